// JSON Schema at the seams: how sections are validated, and how a validator's complaint reads.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import { compiledSchemas } from './compiled_schemas.ts'
import { didYouMean, type Fault } from './fault.ts'

/** What is validated: the section of a plugin, a whole result, or settings, whose defaults are filled in too. */
export type SchemaKind = 'section' | 'result' | 'settings'

const sections = { strict: true, strictTypes: false, validateFormats: false } as const

/** By kind. Sections and results are checked as they are: no value is coerced or filled in. */
export const ajvOptions = {
  section: sections,
  result: { ...sections, validateSchema: false },
  settings: {
    allErrors: true,
    // Each error then carries the schema that it violates.
    verbose: true,
    useDefaults: true,
    strictTypes: false,
    // The meta-schema takes long to compile; `contractFaults` has checked the schemas of other people's plugins against it.
    validateSchema: false,
  },
} as const

/** Ajv is loaded only for a schema that the build has not compiled. */
const load = createRequire(import.meta.url)

function createAjv(kind: SchemaKind): Ajv2020 {
  const { Ajv2020: Ajv } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  // Optimising the code of validators costs half a second at each start and saves microseconds in each check.
  return new Ajv({ ...ajvOptions[kind], code: { optimize: false } })
}

const compilers: Partial<Record<SchemaKind, Ajv2020>> = {}

function ajvFor(kind: SchemaKind): Ajv2020 {
  compilers[kind] ??= createAjv(kind)
  return compilers[kind]
}

export const sectionAjv = (): Ajv2020 => ajvFor('section')
export const settingsAjv = (): Ajv2020 => ajvFor('settings')

/** The name under which the build compiles a schema. */
export const compiledName = (kind: SchemaKind, schema: object): string =>
  `${kind}_${createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 32)}`

function compile(kind: SchemaKind, schema: object): ValidateFunction {
  const built = compiledSchemas[compiledName(kind, schema)]
  if (built !== undefined) return built()
  // Ajv never forgets a schema, and each reloaded configuration has another result schema: those get a compiler of their own.
  return (kind === 'result' ? createAjv(kind) : ajvFor(kind)).compile(schema)
}

/** The first error of a value, or null. */
export type Validator = (value: unknown) => SchemaError | null

export const sectionValidator = (schema: object): Validator => onceNeeded(() => compile('section', schema))

export const resultValidator = (schema: object): Validator => onceNeeded(() => compile('result', schema))

/** Compiles at the first value, so that the start of the service does not wait for schemas that only checks need. */
function onceNeeded(compile: () => ValidateFunction): Validator {
  let validate: ValidateFunction | undefined
  return value => {
    validate ??= compile()
    return validate(value) ? null : (validate.errors?.[0] ?? null)
  }
}

/** Fills a schema's defaults into a copy of what was given, and says all that is wrong with it. */
export function fillDefaults(schema: object, given: unknown, path: string): { value: unknown; faults: Fault[] } {
  const value = structuredClone(given)
  const validate = compile('settings', schema)
  const faults = validate(value) ? [] : tried(validate.errors ?? []).map(error => schemaFault(path, error))
  return { value, faults }
}

export interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string | undefined
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined
}

/** Of alternatives, only the complaints of those that are of the value's type: one mistake is to be one fault. */
function tried(errors: readonly SchemaError[]): readonly SchemaError[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  return unions.reduce((left, union) => {
    const branch = ({ schemaPath }: SchemaError) => schemaPath.slice(union.schemaPath.length + 1).split('/')[0]
    const inside = left.filter(error => isWithin(error, union))
    const mistyped = inside.filter(error => error.keyword === 'type' && error.instancePath === union.instancePath)
    const others = new Set(mistyped.map(branch))
    const meant = inside.filter(error => !others.has(branch(error)))
    const types = new Set(mistyped.map(({ params }) => params['type']))
    const summary = meant.length > 0 ? [] : [{ ...union, keyword: 'type', params: { type: [...types] } }]
    return left.flatMap(error => {
      if (error === union) return summary
      return inside.includes(error) && !meant.includes(error) ? [] : [error]
    })
  }, errors)
}

const isWithin = (error: SchemaError, union: SchemaError): boolean =>
  error.schemaPath.startsWith(`${union.schemaPath}/`) &&
  (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`))

/** A validator's complaint as a fault: dotted path, plain words, the name that was probably meant. */
function schemaFault(base: string, { keyword, instancePath, params, message, parentSchema }: SchemaError): Fault {
  const path = [base, ...instancePath.split('/').slice(1)].filter(step => step !== '').join('.')
  const extra = params['additionalProperty']
  if (typeof extra === 'string') {
    const known = Object.keys(parentSchema?.['properties'] ?? {})
    const [pattern] = Object.keys(parentSchema?.['patternProperties'] ?? {})
    const message = pattern === undefined ? `unknown key${didYouMean(extra, known)}` : `the name must match ${pattern}`
    return { path: path ? `${path}.${extra}` : extra, message }
  }
  return { path, message: complaints[keyword]?.(params) ?? message ?? 'is not valid' }
}

type Params = SchemaError['params']

/** Ajv's complaints in plain words, by keyword. None quotes the value, which may be a secret. */
const complaints: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${[type].flat().map(typeText).join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of: ${(allowedValues as readonly unknown[]).join(', ')}`,
  required: ({ missingProperty }) => `"${missingProperty}" is missing`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minLength: atLeast('characters'),
  maxLength: atMost('characters'),
  minItems: atLeast('elements'),
  maxItems: atMost('elements'),
  minProperties: atLeast('entries'),
  maxProperties: atMost('entries'),
}

const typeTexts: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

const typeText = (type: unknown): string => typeTexts[String(type)] ?? String(type)

function atLeast(what: string) {
  return ({ limit }: Params): string => (limit === 1 ? 'must not be empty' : `must have at least ${limit} ${what}`)
}

function atMost(what: string) {
  return ({ limit }: Params): string => `must have at most ${limit} ${what}`
}
