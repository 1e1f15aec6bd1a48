// The input of a request: parameters and the body, validated by the schemas that the OpenAPI document shows.
import { text } from 'node:stream/consumers'
import type { Static, TObject, TSchema } from 'typebox'
import { didYouMean, meantName } from '../../base/fault.ts'
import { printable } from '../../base/printable.ts'
import { requestValidator, type SchemaError, type Validator } from '../../engine/json_schema.ts'
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'

/** Longest query string, in characters. */
const QUERY_LENGTH = 1_024
/** Characters of an unknown name in a message. */
const NAME_LENGTH = 40

const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const validate = validators.get(schema) ?? requestValidator(schema)
  validators.set(schema, validate)
  return validate
}

/** A parameter of the path, by its name. */
export const pathParameter = (ctx: Context, name: string): string =>
  String((ctx['params'] as Record<string, string>)[name])

/** The parameters of an operation about an account: few, each at most once. Throws a 400. */
export function readQuery<Query extends TObject>(
  { req: { url = '' } }: Pick<Context, 'req'>,
  { query }: { readonly query: Query },
): Static<Query> {
  const mark = url.indexOf('?')
  const text = mark === -1 ? '' : url.slice(mark + 1)
  if (text.length > QUERY_LENGTH) throw new Problem('invalid-parameter', 'The query string is too long.')
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw new Problem('invalid-parameter', `The parameter ${name} is repeated.`)
    parameters.set(name, value)
  }
  const names = Object.keys(query.properties)
  for (const name of parameters.keys()) {
    const fault = misspeltParameter(name, names)
    if (fault !== null) throw new Problem('invalid-parameter', fault)
  }
  const reading = readParameters(query, Object.fromEntries(parameters))
  if (!reading.ok) throw new Problem('invalid-parameter', reading.fault)
  return reading.values
}

/**
 * What to say of a parameter whose name is nearly that of a known one, and which would have no effect: `Visit=false` opens a link that
 * works only once. Null for any other name.
 */
export function misspeltParameter(name: string, names: readonly string[]): string | null {
  if (names.includes(name)) return null
  const suggestion = meantName(name, names)
  return suggestion === undefined
    ? null
    : `There is no parameter ${printable(name, NAME_LENGTH)}; did you mean ${suggestion}?`
}

/** The values, or a sentence that says what is wrong with one. */
type ParsedParameters<Query extends TObject> =
  | { readonly ok: true; readonly values: Static<Query> }
  | { readonly ok: false; readonly fault: string }

/** Takes decoded texts by name, and returns numbers and booleans where the schema has them. */
export function readParameters<Query extends TObject>(
  query: Query,
  texts: Readonly<Record<string, string>>,
): ParsedParameters<Query> {
  const values = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typedValue(query.properties[name], text)]),
  )
  const error = validatorOf(query)(values)
  return error === null ? { ok: true, values: values as Static<Query> } : { ok: false, fault: parameterFault(error) }
}

/** Only decimal digits are a number. What is none stays a text, which the schema refuses. */
function typedValue(schema: TSchema | undefined, text: string): unknown {
  const type = (schema as { readonly type?: string } | undefined)?.type
  if (type === 'integer' && /^\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** The JSON of a request. Throws a 400. */
export async function readBody<Body extends TSchema>(
  { req }: Pick<Context, 'req'>,
  { body }: { readonly body: Body },
): Promise<Static<Body>> {
  const value = parseJson(await text(req))
  const error = validatorOf(body)(value)
  if (error !== null) throw new Problem('invalid-body', bodyFault(error))
  return value as Static<Body>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('invalid-body', 'The request body is not JSON.')
  }
}

function parameterFault(error: SchemaError): string {
  const unknownField = unknownName(error)
  return unknownField === null
    ? `The parameter ${placeOf(error)} ${faultText(error)}`
    : `There is no parameter ${unknownField}`
}

function bodyFault(error: SchemaError): string {
  const unknownField = unknownName(error)
  if (unknownField !== null) return `The request body has an unknown member, ${unknownField}`
  const place = placeOf(error)
  return `${place === '' ? 'The request body' : `The member ${place}`} ${faultText(error)}`
}

/** A name that the schema does not have, with the one that was probably meant; null when that is not the error. */
function unknownName({ params, parentSchema }: SchemaError): string | null {
  const name = params['additionalProperty']
  if (typeof name !== 'string') return null
  const names = Object.keys(parentSchema?.['properties'] ?? {})
  return printable(name, NAME_LENGTH) + (didYouMean(name, names) || '.')
}

const placeOf = ({ instancePath, params }: SchemaError): string =>
  [...instancePath.split('/').slice(1), ...(params['missingProperty'] ? [params['missingProperty']] : [])].join('.')

/** Ends a sentence whose subject is the value. */
function faultText({ keyword, params, parentSchema = {}, data }: SchemaError): string {
  const { minimum, maximum, minItems, maxItems, examples } = parentSchema
  const [example] = (examples as readonly string[] | undefined) ?? []
  switch (keyword) {
    case 'required':
      return 'is missing.'
    case 'enum': {
      const values = params['allowedValues'] as readonly string[]
      return `is not ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}${didYouMean(String(data), values) || '.'}`
    }
    case 'minItems':
    case 'maxItems':
      return `does not have ${minItems} to ${maxItems} elements.`
    case 'pattern':
      return example === undefined ? `does not match ${params['pattern']}.` : `must look like ${example}.`
    case 'type':
      if (params['type'] !== 'integer') return `is not ${TYPES[String(params['type'])] ?? 'valid'}.`
      break
  }
  return maximum === undefined
    ? `is not a number, at least ${minimum}.`
    : `is not a number from ${minimum} to ${maximum}.`
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  string: 'a string',
  array: 'a list',
  object: 'an object',
}
