// A JSON Schema as people read it: names, types in words, and what is inside.
import type { JsonSchema } from './document.ts'

export interface Field {
  readonly name: string
  /** Such as `array of strings, or null`. */
  readonly type: string
  readonly description: string | null
  /** The only values there are; empty when any is. */
  readonly values: readonly string[]
  readonly inside: readonly Field[]
  /** Another field with the same inside, told there. */
  readonly sameAs: string | null
}

const isNull = ({ type }: JsonSchema) => type === 'null'

/** What it is when it is not null, and whether it may be. */
function apart(schema: JsonSchema): { readonly core: JsonSchema; readonly nullable: boolean } {
  const options = schema.anyOf ?? [schema]
  const [core = schema] = options.filter(option => !isNull(option))
  return { core, nullable: options.some(isNull) }
}

const plurals: Readonly<Record<string, string>> = {
  string: 'strings',
  integer: 'integers',
  number: 'numbers',
  boolean: 'booleans',
  object: 'objects',
}

function bounds({ minimum, maximum, maxLength }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  if (maximum !== undefined) return `, at most ${maximum}`
  return maxLength === undefined ? '' : `, at most ${maxLength} characters`
}

function kindOf(schema: JsonSchema): string {
  const [first] = schema.enum ?? ('const' in schema ? [schema.const] : [])
  return first === undefined ? String(schema.type ?? 'any') : typeof first
}

function typeOf(schema: JsonSchema): string {
  const { core, nullable } = apart(schema)
  const kind = kindOf(core)
  const items = core.items === undefined ? '' : ` of ${plurals[kindOf(apart(core.items).core)] ?? 'values'}`
  return `${kind}${items}${bounds(core)}${nullable ? ', or null' : ''}`
}

const valuesOf = (schema: JsonSchema): string[] => {
  const { core } = apart(schema)
  const listed = core.enum ?? core.items?.enum ?? ('const' in core ? [core.const] : [])
  return listed.map(value => JSON.stringify(value))
}

function insideOf(schema: JsonSchema): Field[] {
  const { core } = apart(schema)
  const holder = core.items === undefined ? core : apart(core.items).core
  const [named] = Object.values(holder.patternProperties ?? {})
  if (holder.properties === undefined && named !== undefined && insideOf(named).length > 0) {
    return [field('(each name)', named)]
  }
  return fieldsOf(holder)
}

function field(name: string, schema: JsonSchema): Field {
  const reference = schema.$ref?.split('/').at(-1) ?? null
  return {
    name,
    type: reference === null ? typeOf(schema) : 'object, or null',
    description: schema.description ?? apart(schema).core.description ?? null,
    values: valuesOf(schema),
    inside: reference === null ? insideOf(schema) : [],
    sameAs: reference,
  }
}

/** The members of an object, in their order. */
export const fieldsOf = (schema: JsonSchema): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => field(name, member))
