// The JSON Schema of the whole result: a head every result has, and a field for each section, owned by its plugin.
import { type TSchema, Type } from 'typebox'
import type { Registry } from './registry.ts'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const SignalDetailSchema = Type.Object({
  id: Type.String(),
  section: Type.String(),
  group: Type.String(),
  points: Type.Number({
    description: 'What it adds to the score here, its group’s ceiling considered; negative takes off.',
  }),
  floor: Nullable(Type.Number({ description: 'The least score it leaves.' })),
  title: Type.String(),
  detail: Nullable(Type.String()),
  evidence: Type.Record(Type.String(), Type.Unknown()),
})

const SectionCoverage = Type.Object({
  status: Type.Enum(['completed', 'not_applicable', 'unavailable', 'failed']),
  reason: Nullable(Type.String({ description: 'Why there is no section, or which part of it is unknown.' })),
  duration_ms: Type.Integer({ minimum: 0 }),
})

/** Members that come before the sections, in this order. */
export const HEAD = {
  domain: Nullable(
    Type.String({ description: 'Canonical: lower case, A-labels. Null when only an ip was asked for.' }),
  ),
  ip: Nullable(Type.String({ description: 'The given address, else the one that was connected to.' })),
  risk_score: Type.Integer({ minimum: 0, maximum: 100 }),
  verdict: Type.Enum(['safe', 'suspicious', 'malicious']),
  is_malicious: Type.Boolean(),
  signals: Type.Array(Type.String(), { description: 'Ids of the threat signals found, most points first.' }),
  signal_details: Type.Array(SignalDetailSchema, {
    description: 'Every signal found; the points add up to the score.',
  }),
}

/** Members that come after the sections, in this order; the last two are the request's own. */
export const TAIL = {
  coverage: Type.Object({
    complete: Type.Boolean(),
    ratio: Type.Number({ minimum: 0, maximum: 1 }),
    sections: Type.Record(Type.String(), SectionCoverage),
  }),
  scoring_policy: Type.String(),
  checked_at: Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }),
  process_time_ms: Type.Integer({ minimum: 0 }),
  cached: Type.Boolean(),
}

/** Fields that extensions add; null until one of them fills it. */
export const extensionFields = (registry: Registry): readonly (readonly [string, TSchema])[] =>
  registry.extensions.flatMap(({ fields }) => Object.entries(fields ?? {}))

/** The schema of every result under this registry. Sections are null unless they completed. */
export function resultSchema(registry: Registry): TSchema {
  const sections = registry.analyzers.flatMap(({ analyzer }) => [
    [analyzer.name, Nullable(analyzer.schema)] as const,
    ...(analyzer.aliases ?? []).map(alias => [alias, { $ref: `#/properties/${analyzer.name}` }] as const),
  ])
  const fields = extensionFields(registry).map(([name, schema]) => [name, Nullable(schema)] as const)
  const properties = { ...HEAD, ...Object.fromEntries([...fields, ...sections]), ...TAIL }
  return Type.Object(properties as Record<string, TSchema>, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Check result',
  })
}
