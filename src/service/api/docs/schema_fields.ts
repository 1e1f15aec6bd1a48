// Turns a JSON Schema into a description for people: names, types in words, and nested fields.

export interface SchemaField {
  readonly name: string
  /** For example `array of strings, or null`. */
  readonly type: string
  readonly description: string | null
  /** The allowed values; empty when any value is allowed. */
  readonly values: readonly string[]
  readonly inside: readonly SchemaField[]
  /** Another field with the same nested fields, which are described there. */
  readonly sameAs: string | null
}

const isNull = ({ type }: JsonSchema) => type === 'null'

/** The schema of the value when it is not null, and whether it may be null. */
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
  const values = core.enum ?? core.items?.enum ?? ('const' in core ? [core.const] : [])
  return values.map(value => JSON.stringify(value))
}

function insideOf(schema: JsonSchema): SchemaField[] {
  const { core } = apart(schema)
  const holder = core.items === undefined ? core : apart(core.items).core
  const [pattern] = Object.values(holder.patternProperties ?? {})
  if (holder.properties === undefined && pattern !== undefined && insideOf(pattern).length > 0) {
    return [field('(each name)', pattern)]
  }
  return fieldsOf(holder)
}

function field(name: string, schema: JsonSchema): SchemaField {
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

/** The members of an object, in order. */
export const fieldsOf = (schema: JsonSchema): SchemaField[] =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => field(name, member))

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly $ref?: string
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
}

export interface DocumentedHeader {
  readonly description: string
  readonly schema: JsonSchema
}

export interface MediaContent {
  readonly schema?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

export interface DocumentedResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, DocumentedHeader>>
  readonly content?: Readonly<Record<string, MediaContent>>
}

export interface DocumentedOperation {
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, DocumentedResponse>>
  readonly 'x-event-stream'?: { readonly description: string; readonly example: string }
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  /** Operations by method. The first path is that of checks. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly name: string; readonly description?: string }>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}
