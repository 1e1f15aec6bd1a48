// The fields every result has, whichever plugins are installed.
import { Type } from 'typebox'
import { nullable } from '../nullable.ts'
import { CONFIDENCES } from '../scoring/confidence.ts'
import { RECOMMENDATIONS } from '../scoring/recommendation.ts'
import { SEVERITIES } from '../scoring/severity.ts'
import { THREAT_TYPES } from '../scoring/threats.ts'

const SignalDetailSchema = Type.Object({
  id: Type.String({ description: 'Names the fault; stable.' }),
  section: Type.String({ description: 'The section that noticed it.' }),
  group: Type.String({ description: 'The kind of signal; a group has a ceiling.' }),
  severity: Type.Enum([...SEVERITIES], {
    description:
      'What it means for your decision, whatever it costs: critical (harm is established), high (have a person look first), medium (counts with others), low (poor housekeeping), info.',
  }),
  points: Type.Number({
    description: 'What it adds to the score here, its group’s ceiling considered; negative takes off.',
  }),
  floor: nullable(Type.Number({ description: 'The least score it leaves.' })),
  threat_types: Type.Optional(
    Type.Array(Type.Enum([...THREAT_TYPES]), {
      description: 'Kinds of threat that it speaks for. Absent where an extension added the signal.',
    }),
  ),
  title: Type.String({ description: 'The same for every target.' }),
  detail: nullable(Type.String({ description: 'What was seen here.' })),
  evidence: Type.Record(Type.String(), Type.Unknown(), { description: 'What it rests on, by signal.' }),
})

const SectionCoverage = Type.Object({
  status: Type.Enum(['completed', 'not_applicable', 'unavailable', 'failed']),
  reason: nullable(Type.String({ description: 'Why there is no section, or which part of it is unknown.' })),
  duration_ms: Type.Integer({ minimum: 0 }),
})

/** Members that come before the sections, in this order. */
export const HEAD = {
  domain: nullable(
    Type.String({ description: 'Canonical: lower case, A-labels. Null when only an ip was asked for.' }),
  ),
  ip: nullable(Type.String({ description: 'The given address, else the one that was connected to.' })),
  risk_score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'The sum of all points, rounded, raised to the highest floor, held within 0 to 100.',
  }),
  verdict: Type.Enum(['safe', 'suspicious', 'malicious'], {
    description: 'By the score: safe from 0, suspicious from 31, malicious from 71.',
  }),
  is_malicious: Type.Boolean({ description: 'The verdict is malicious.' }),
  threat_types: Type.Array(Type.Enum([...THREAT_TYPES]), {
    description:
      'Kinds of threat that lists name and that were seen, those of the most serious signal first. Empty if none is known, and always if the recommendation is allow. More kinds may be added.',
  }),
  recommendation: Type.Enum([...RECOMMENDATIONS], {
    description:
      'What to decide by. block: the verdict is malicious. review: it is suspicious, or it is safe with low confidence or beside a signal of severity high or critical. Else allow.',
  }),
  recommendation_reason: Type.String({
    description: 'The one deciding reason, as a sentence for people.',
    examples: ['The certificate of shop.example expired at 2026-10-22T05:10:01Z.'],
  }),
  confidence: Type.Enum([...CONFIDENCES], {
    description:
      'How much of the evidence that decides was seen: DNS, page, certificate, registration and lists. Negative answers count as seen.',
  }),
  signals: Type.Array(Type.String(), { description: 'Ids of the threat signals found, most points first.' }),
  signal_details: Type.Array(SignalDetailSchema, {
    description: 'Every signal found; the points add up to the score.',
  }),
}

/** Members that come after the sections, in this order; the last three are the request's own. */
export const TAIL = {
  coverage: Type.Object({
    complete: Type.Boolean({
      description: 'All that applies was seen whole; what this installation has no source for does not apply.',
    }),
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
