// JSON Schema validation of sections, results and settings, and readable messages for its errors.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import { didYouMean, type Fault } from '../base/fault.ts'
import { compiledSchemas } from './compiled_schemas.ts'

/** What is validated: a plugin's section, a whole result, settings (defaults are also filled in), or the input of a request. */
export type SchemaKind = 'section' | 'result' | 'settings' | 'request'

const sections = { strict: true, strictTypes: false, validateFormats: false } as const

/** Ajv options by kind. Sections and results are validated as they are: no value is coerced or filled in. */
export const ajvOptions = {
  section: sections,
  result: { ...sections, validateSchema: false },
  settings: {
    allErrors: true,
    // Adds the violated schema to each error.
    verbose: true,
    useDefaults: true,
    strictTypes: false,
    // The meta-schema is slow to compile, and `contractFaults` has validated third-party schemas against it.
    validateSchema: false,
  },
  request: { ...sections, verbose: true, validateSchema: false },
} as const

/** Ajv is loaded only for schemas that the build has not compiled. */
const load = createRequire(import.meta.url)

function createAjv(kind: SchemaKind): Ajv2020 {
  const ajv = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  // Optimizing validator code costs half a second per start and saves only microseconds per check.
  return new ajv.Ajv2020({ ...ajvOptions[kind], code: { optimize: false } })
}

const compilers: Partial<Record<SchemaKind, Ajv2020>> = {}

function ajvFor(kind: SchemaKind): Ajv2020 {
  compilers[kind] ??= createAjv(kind)
  return compilers[kind]
}

export const sectionAjv = (): Ajv2020 => ajvFor('section')
export const settingsAjv = (): Ajv2020 => ajvFor('settings')

/** The name of a schema among the compiled ones. */
export const compiledName = (kind: SchemaKind, schema: object): string =>
  `${kind}_${createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 32)}`

function compile(kind: SchemaKind, schema: object): ValidateFunction {
  const validator = compiledSchemas[compiledName(kind, schema)]
  if (validator !== undefined) return validator()
  // Ajv never releases a schema, and each reloaded configuration has a new result schema, so these get their own
  // compiler.
  return (kind === 'result' ? createAjv(kind) : ajvFor(kind)).compile(schema)
}

/** Returns the first error of a value, or null. */
export type Validator = (value: unknown) => SchemaError | null

export const sectionValidator = (schema: object): Validator => onceNeeded(() => compile('section', schema))

export const resultValidator = (schema: object): Validator => onceNeeded(() => compile('result', schema))

/** Its errors also have the value and its schema. */
export const requestValidator = (schema: object): Validator => onceNeeded(() => compile('request', schema))

/** Compiles on the first value, so that startup does not wait for schemas that only checks need. */
function onceNeeded(compile: () => ValidateFunction): Validator {
  let validate: ValidateFunction | undefined
  return value => {
    validate ??= compile()
    return validate(value) ? null : (validate.errors?.[0] ?? null)
  }
}

/** Fills a schema's defaults into a copy of the given value and returns all errors. */
export function fillDefaults(schema: object, input: unknown, path: string): { value: unknown; faults: Fault[] } {
  const value = structuredClone(input)
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
  readonly data?: unknown
}

/** Keeps only the errors of alternatives that match the value's type, so that one mistake is one error. */
function tried(errors: readonly SchemaError[]): readonly SchemaError[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  return unions.reduce((errors, union) => {
    const branch = ({ schemaPath }: SchemaError) => schemaPath.slice(union.schemaPath.length + 1).split('/')[0]
    const inside = errors.filter(error => isWithin(error, union))
    const typeErrors = inside.filter(error => error.keyword === 'type' && error.instancePath === union.instancePath)
    const others = new Set(typeErrors.map(branch))
    const branchErrors = inside.filter(error => !others.has(branch(error)))
    const types = new Set(typeErrors.map(({ params }) => params['type']))
    const summary = branchErrors.length > 0 ? [] : [{ ...union, keyword: 'type', params: { type: [...types] } }]
    return errors.flatMap(error => {
      if (error === union) return summary
      return inside.includes(error) && !branchErrors.includes(error) ? [] : [error]
    })
  }, errors)
}

const isWithin = (error: SchemaError, union: SchemaError): boolean =>
  error.schemaPath.startsWith(`${union.schemaPath}/`) &&
  (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`))

/** Converts a validator's error: dotted path, plain words, and the name that was probably meant. */
export function schemaFault(
  base: string,
  { keyword, instancePath, params, message, parentSchema }: SchemaError,
): Fault {
  const path = [base, ...instancePath.split('/').slice(1)].filter(step => step !== '').join('.')
  const extra = params['additionalProperty']
  if (typeof extra === 'string') {
    const knownKeys = Object.keys(parentSchema?.['properties'] ?? {})
    const [pattern] = Object.keys(parentSchema?.['patternProperties'] ?? {})
    const message =
      pattern === undefined ? `unknown key${didYouMean(extra, knownKeys)}` : `the name must match ${pattern}`
    return { path: path ? `${path}.${extra}` : extra, message }
  }
  return { path, message: complaints[keyword]?.(params) ?? message ?? 'is not valid' }
}

type Params = SchemaError['params']

/** Ajv's errors in plain words, by keyword. None quotes the value, which may be a secret. */
const complaints: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${[type].flat().map(typeText).join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of: ${(allowedValues as readonly unknown[]).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
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
  integer: 'an integer',
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
