// JSON Schema at the seams: how sections are validated, and how a validator's complaint reads.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { didYouMean, type Fault } from './fault.ts'

/** Optimising validators would take half a second of every start, to save microseconds a check. */
const code = { optimize: false }

const sectionOptions = { strict: true, strictTypes: false, validateFormats: false, code }
const sections = new Ajv2020(sectionOptions)
/** The meta-schema takes long to compile, and once is enough: who takes a schema from elsewhere has `sections` look at it. */
const settings = new Ajv2020({
  allErrors: true,
  // An error then carries the schema it is about.
  verbose: true,
  useDefaults: true,
  strictTypes: false,
  validateSchema: false,
  code,
})

/** Sections are checked as they are: nothing coerced, nothing filled in. A schema is compiled once. */
export const sectionAjv = () => sections

/** Settings are checked in full and their defaults filled in. */
export const settingsAjv = () => settings

/** The first complaint about a value, or null. */
export type Validator = (value: unknown) => SchemaError | null

export const sectionValidator = (schema: object): Validator => onceNeeded(() => sections.compile(schema))

/** A compiler of its own goes when it goes: Ajv forgets nothing, and each configuration of a running service has another result. */
export const resultValidator = (schema: object): Validator =>
  onceNeeded(() => new Ajv2020({ ...sectionOptions, validateSchema: false }).compile(schema))

/** Compiled with the first value: the start of the service is not to wait for what only checks need. */
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
  const validate = settingsAjv().compile(schema)
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
    const summary = meant.length > 0 ? [] : [{ ...union, message: `must be ${[...types].join(' or ')}` }]
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
function schemaFault(base: string, { instancePath, params, message, parentSchema }: SchemaError): Fault {
  const path = [base, ...instancePath.split('/').slice(1)].filter(step => step !== '').join('.')
  const extra = params['additionalProperty']
  if (typeof extra === 'string') {
    const known = Object.keys(parentSchema?.['properties'] ?? {})
    const [pattern] = Object.keys(parentSchema?.['patternProperties'] ?? {})
    const message = pattern === undefined ? `unknown key${didYouMean(extra, known)}` : `its name must match ${pattern}`
    return { path: path ? `${path}.${extra}` : extra, message }
  }
  const allowed = params['allowedValues']
  return {
    path,
    message: `${message ?? 'is not valid'}${Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''}`,
  }
}
