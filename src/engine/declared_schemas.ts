// Checks the JSON Schemas that a plugin declares, before it runs. An open schema would let any field into the result, and
// an option without a default would be undefined for every operator who does not set it.
import { fillDefaults, sectionAjv, settingsAjv } from './json_schema.ts'

interface Node {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly patternProperties?: Readonly<Record<string, unknown>>
  readonly additionalProperties?: unknown
  readonly unevaluatedProperties?: unknown
  readonly items?: unknown
  readonly prefixItems?: unknown
  readonly anyOf?: unknown
  readonly oneOf?: unknown
  readonly required?: unknown
}

const CLOSE = 'add "additionalProperties": false'

/** The schema of a section: one object that names all its fields, at every depth. */
export const sectionSchemaFaults = (schema: unknown): string[] => objectFaults('schema', schema, sectionAjv)

/** The schema of options: the same, and each property has a valid default, or is required. */
export function optionsSchemaFaults(options: unknown): string[] {
  const faults = objectFaults('options', options, settingsAjv)
  return faults.length > 0 ? faults : defaultFaults(options as Node)
}

/** The schema of a field that an extension adds to the result, or of evidence; `key` is its place in the plugin. */
export const partSchemaFaults = (key: string, schema: unknown): string[] => compileFaults(key, schema, sectionAjv)

type CreateAjv = typeof sectionAjv

function objectFaults(key: string, schema: unknown, ajv: CreateAjv): string[] {
  if ((schema as Node | null | undefined)?.type !== 'object') return [`"${key}" must be a JSON Schema of type object`]
  const faults = compileFaults(key, schema, ajv)
  return faults.length > 0 ? faults : openObjects(key, schema as Node)
}

function compileFaults(key: string, schema: unknown, ajv: CreateAjv): string[] {
  if (typeof schema !== 'object' || schema === null) return [`"${key}" must be a JSON Schema`]
  try {
    sectionAjv().validateSchema(schema, true)
    ajv().compile(schema)
    return []
  } catch (error) {
    return [`"${key}" is not a JSON Schema: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** Every object in the schema that allows fields it does not name. A nested map may state the schema of its values. */
function openObjects(key: string, schema: Node): string[] {
  if (isMap(schema)) return [`"${key}" must name its fields: ${CLOSE}`]
  const open = openPlaces(schema, key)
  return open.map(place => `"${place}" allows fields that it does not name: ${CLOSE}`)
}

const isMap = ({ additionalProperties: more, properties, patternProperties }: Node): boolean =>
  (typeof more === 'object' && more !== null) || (properties === undefined && patternProperties !== undefined)

function openPlaces(schema: unknown, place: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties, patternProperties, additionalProperties, items, prefixItems, anyOf, oneOf } = schema as Node
  const placesInList = (list: unknown, name: string) =>
    Array.isArray(list) ? list.flatMap((one, at) => openPlaces(one, `${place}.${name}.${at}`)) : []
  const placesIn = (table: Node['properties'], name: string) =>
    Object.entries(table ?? {}).flatMap(([key, one]) => openPlaces(one, `${place}.${name}.${key}`))
  return [
    ...(isOpen(schema) ? [place] : []),
    ...placesIn(properties, 'properties'),
    ...placesIn(patternProperties, 'patternProperties'),
    ...openPlaces(additionalProperties, `${place}.additionalProperties`),
    ...openPlaces(items, `${place}.items`),
    ...placesInList(prefixItems, 'prefixItems'),
    ...placesInList(anyOf, 'anyOf'),
    ...placesInList(oneOf, 'oneOf'),
  ]
}

function isOpen({ type, properties, patternProperties, ...rest }: Node): boolean {
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined
  if (!isObject || rest.unevaluatedProperties === false) return false
  if (rest.additionalProperties === undefined) return properties !== undefined || patternProperties === undefined
  return rest.additionalProperties === true
}

function defaultFaults(options: Node): string[] {
  const requiredNames: readonly unknown[] = Array.isArray(options.required) ? options.required : []
  const lacking = Object.entries(options.properties ?? {})
    .filter(([name, schema]) => !requiredNames.includes(name) && !Object.hasOwn(Object(schema), 'default'))
    .map(([name]) => `"options.${name}" has no default: add one, or list it in "required"`)
  const { faults } = fillDefaults(options, {}, 'options')
  // Errors of the object itself concern required options, which only the operator can set.
  const invalid = faults.filter(({ path }) => path !== 'options')
  return [...lacking, ...invalid.map(({ path, message }) => `the default of "${path}" is not valid: it ${message}`)]
}
