// The fields every result has, whichever plugins are installed.
import { type TSchema, Type } from 'typebox'

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const SignalDetailSchema = Type.Object({
  id: Type.String({ description: 'Names the fault; stable.' }),
  section: Type.String({ description: 'The section that noticed it.' }),
  group: Type.String({ description: 'The kind of signal; a group has a ceiling.' }),
  points: Type.Number({
    description: 'What it adds to the score here, its group’s ceiling considered; negative takes off.',
  }),
  floor: Nullable(Type.Number({ description: 'The least score it leaves.' })),
  title: Type.String({ description: 'The same for every target.' }),
  detail: Nullable(Type.String({ description: 'What was seen here.' })),
  evidence: Type.Record(Type.String(), Type.Unknown(), { description: 'What it rests on, by signal.' }),
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
  risk_score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'The sum of all points, rounded, raised to the highest floor, held within 0 to 100.',
  }),
  verdict: Type.Enum(['safe', 'suspicious', 'malicious'], {
    description: 'By the score: safe from 0, suspicious from 31, malicious from 71.',
  }),
  is_malicious: Type.Boolean({ description: 'The verdict is malicious.' }),
  signals: Type.Array(Type.String(), { description: 'Ids of the threat signals found, most points first.' }),
  signal_details: Type.Array(SignalDetailSchema, {
    description: 'Every signal found; the points add up to the score.',
  }),
}

/** Members that come after the sections, in this order; the last three are the request's own. */
export const TAIL = {
  coverage: Type.Object({
    complete: Type.Boolean({ description: 'All that applies was seen whole.' }),
    ratio: Type.Number({ minimum: 0, maximum: 1, description: 'The part of what applies that was seen.' }),
    sections: Type.Record(Type.String(), SectionCoverage),
  }),
  scoring_policy: Type.String({ description: 'Names the weights in force.' }),
  checked_at: Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }),
  process_time_ms: Type.Integer({ minimum: 0, description: 'Of this request.' }),
  cached: Type.Boolean({ description: 'It was kept from an earlier request, as X-Cache says too.' }),
  stale: Type.Optional(
    Type.Literal(true, {
      description: 'Only there when nothing can be looked at now: what was seen at `checked_at`, a day ago at most.',
    }),
  ),
}
