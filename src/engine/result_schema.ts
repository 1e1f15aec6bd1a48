// The JSON Schema of a result: the head of every result, and a field for each section, owned by its plugin.
import { type TSchema, Type } from 'typebox'
import { nullable } from '../base/nullable.ts'
import type { ReadyAnalyzer, Registry } from './registry.ts'
import { HEAD, TAIL } from './result_fields.ts'

/** The fields that extensions add; null until an extension sets them. */
export const extensionFields = (registry: Registry): readonly (readonly [string, TSchema])[] =>
  registry.extensions.flatMap(({ fields }) => Object.entries(fields ?? {}))

/**
 * The schema of every result with this registry. Sections are null unless they completed; sections of `offeredAnalyzers` are there
 * only on installations that enable them.
 */
export function resultSchema(registry: Registry, offeredAnalyzers: Registry['offered'] = []): TSchema {
  return schemaWith(registry, offeredAnalyzers, ({ analyzer: { name, description, schema, aliases = [] } }) => [
    [name, nullable(schema, { description })],
    ...aliases.map(
      alias => [alias, { $ref: `#/properties/${name}`, description: `The same as \`${name}\`.` }] as const,
    ),
  ])
}

/** The same with sections of any shape, for results whose sections were validated one by one. */
export const frameSchema = (registry: Registry): TSchema =>
  schemaWith(registry, [], ({ analyzer: { name, aliases = [] } }) =>
    [name, ...aliases].map(field => [field, Type.Unknown()]),
  )

function schemaWith(
  registry: Registry,
  offeredAnalyzers: Registry['offered'],
  sectionsOf: (ready: ReadyAnalyzer) => readonly (readonly [field: string, schema: TSchema])[],
): TSchema {
  const sections = [
    ...registry.analyzers.flatMap(sectionsOf),
    ...offeredAnalyzers.flatMap(sectionsOf).map(([name, schema]) => [name, Type.Optional(schema)] as const),
  ]
  const fields = extensionFields(registry).map(([name, schema]) => [name, nullable(schema)] as const)
  const properties = { ...HEAD, ...Object.fromEntries([...fields, ...sections]), ...TAIL }
  return Type.Object(properties as Record<string, TSchema>, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Check result',
  })
}
