// Labels of fields: the titles of a schema, so that report, documentation and OpenAPI use the same words.
import type { TSchema } from 'typebox'

/** An identifier such as `not_green` as words. */
export const words = (slug: string): string => slug.replaceAll('_', ' ')

/** The same with a capital. */
export const titled = (slug: string): string => capital(words(slug))

/** The text with a capital as its first letter. */
export const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** The parts of a JSON Schema that descriptions read. */
export interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly format?: string
  readonly anyOf?: readonly FieldSchema[]
  readonly items?: FieldSchema
  readonly properties?: Readonly<Record<string, FieldSchema>>
}

const isNull = ({ type }: FieldSchema) => type === 'null'

/** The schema of the value when it is not null. */
export const presentSchema = (schema: FieldSchema): FieldSchema =>
  schema.anyOf?.find(option => !isNull(option)) ?? schema

/** The label of a field: the title of its schema, otherwise its name in words. */
export function labelOf(name: string, schema: FieldSchema | undefined): string {
  const title = schema === undefined ? undefined : (schema.title ?? presentSchema(schema).title)
  return typeof title === 'string' && title !== '' ? title : titled(name)
}

/** The schema with a title: the label of its field in reports, documentation and OpenAPI. */
export const labelled = <Schema extends TSchema>(title: string, schema: Schema): Schema => ({ ...schema, title })

/** The labels of an object’s fields. */
export function labelsOf<Properties extends object>({
  properties,
}: {
  readonly properties: Properties
}): { readonly [Name in keyof Properties]: string } {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, labelOf(name, schema as FieldSchema)]),
  ) as { readonly [Name in keyof Properties]: string }
}
