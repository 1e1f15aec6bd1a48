// The fields of every result, whichever plugins are installed.
import { Type } from 'typebox'
import { nullable } from '../base/nullable.ts'
import { URL_CHARACTERS } from '../targets/url.ts'
import { CONFIDENCES } from './scoring/confidence.ts'
import { RECOMMENDATIONS } from './scoring/recommendation.ts'
import { SEVERITIES } from './scoring/severity.ts'
import { THREAT_TYPES } from './scoring/threats.ts'
import { VERDICTS } from './scoring/verdict.ts'

const SignalDetailSchema = Type.Object({
  id: Type.String({ description: 'Stable identifier of the finding.' }),
  section: Type.String({ description: 'The section that reported it.' }),
  group: Type.String({ description: 'The group of the signal. A group’s points have a ceiling.' }),
  severity: Type.Enum([...SEVERITIES], {
    description:
      'What it means for your decision, regardless of points: critical (harm is established), high (have a person look first), medium (counts together with others), low (poor practice), info.',
  }),
  points: Type.Number({
    description: 'Points added to the score, after the ceiling of its group; negative points lower it.',
  }),
  floor: nullable(Type.Number({ description: 'The lowest score possible with this signal.' })),
  threat_types: Type.Optional(
    Type.Array(Type.Enum([...THREAT_TYPES]), {
      description: 'Threat types it indicates. Absent if an extension added the signal.',
    }),
  ),
  title: Type.String({ description: 'Fixed text, the same for every target.' }),
  detail: nullable(Type.String({ description: 'What was seen on this target.' })),
  evidence: Type.Record(Type.String(), Type.Unknown(), { description: 'The supporting evidence, by signal.' }),
})

const SectionCoverage = Type.Object({
  status: Type.Enum(['completed', 'not_applicable', 'unavailable', 'failed'], {
    description:
      '`completed`: the section is there. `not_applicable`: there is nothing to look at for this target. `unavailable`: it could not be looked at. `failed`: a defect of the plugin.',
  }),
  reason: nullable(Type.String({ description: 'Why the section is missing, or which part of it is unknown.' })),
  duration_ms: Type.Integer({ minimum: 0, description: 'From the start of the check until the section was finished.' }),
})

/** The members before the sections, in this order. */
export const HEAD = {
  result_id: nullable(
    Type.String({
      description:
        'ID of this result: `GET /api/v1/results/{id}` returns it as long as it is kept. Null if it is not kept: results of URLs, results without a visit, and outside the service.',
    }),
  ),
  domain: nullable(
    Type.String({ description: 'Canonical: lower case, A-labels. Null if only an IP address was given.' }),
  ),
  ip: nullable(Type.String({ description: 'The given address, else the address connected to.' })),
  url: nullable(
    Type.String({
      description:
        'The URL that was checked, normalised by the URL standard, without its fragment. Null if no URL was given. The page sections describe this page; name, address, DNS, mail and certificate sections describe its host.',
    }),
  ),
  final_url: nullable(
    Type.String({
      description: `The URL of the page after redirects, at most ${URL_CHARACTERS} characters. Null if no URL was given, or if no page answered.`,
    }),
  ),
  host_verdict: nullable(
    Type.Enum([...VERDICTS], {
      description:
        'The verdict on the host’s own front page, if its result was cached; it is never fetched for this. Null if no URL was given, or nothing was cached. A page is not judged better than the content of the front page of its host.',
    }),
  ),
  risk_score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'The sum of all points, rounded, raised to the highest floor, limited to 0 to 100.',
  }),
  verdict: Type.Enum([...VERDICTS], {
    description: 'From the score: safe from 0, suspicious from 31, malicious from 71.',
  }),
  is_malicious: Type.Boolean({ description: 'Whether the verdict is malicious.' }),
  threat_types: Type.Array(Type.Enum([...THREAT_TYPES]), {
    description:
      'Threat types that were listed or seen; types of the most serious signal come first. Empty if none is known, and always if the recommendation is allow. More types may be added.',
  }),
  recommendation: Type.Enum([...RECOMMENDATIONS], {
    description:
      'The value to base a decision on. block: the verdict is malicious. review: the verdict is suspicious, or safe with low confidence, with a signal of severity high or critical, or while a feed of the operator has not been read. Otherwise allow.',
  }),
  recommendation_reason: Type.String({
    description: 'The deciding reason as a sentence.',
    examples: ['The certificate of shop.example expired on 22 October 2026 at 05:10 UTC.'],
  }),
  confidence: Type.Enum([...CONFIDENCES], {
    description:
      'How much of the deciding evidence was seen: DNS, page, certificate, registration and lists. Negative answers count as seen.',
  }),
  signals: Type.Array(Type.String(), { description: 'IDs of the threat signals found, most points first.' }),
  signal_details: Type.Array(SignalDetailSchema, {
    description: 'All signals found. Their points add up to the score.',
  }),
}

/** The members after the sections, in this order; the last three belong to the request. */
export const TAIL = {
  coverage: Type.Object(
    {
      complete: Type.Boolean({
        description:
          'Everything applicable was fully seen, and no expected source was missing. Evidence that is not configured does not apply.',
      }),
      ratio: Type.Number({ minimum: 0, maximum: 1, description: 'The fraction of applicable sections that was seen.' }),
      missing: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'Present only while this installation lacks a dataset that it should have, because its operator configured it or a copy is on disk: the IDs of those that are not read. Such a result has at most medium confidence and is not kept.',
        }),
      ),
      sections: Type.Record(Type.String(), SectionCoverage, {
        description: 'What became of each section that is enabled, by its name.',
      }),
    },
    { description: 'How much of what applies to the target was seen.' },
  ),
  scoring_policy: Type.String({ description: 'The name of the weights in force.' }),
  checked_at: Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }),
  process_time_ms: Type.Integer({ minimum: 0, description: 'Processing time of this request.' }),
  cached: Type.Boolean({ description: 'Whether the result is from the cache, as in X-Cache.' }),
  stale: Type.Optional(
    Type.Literal(true, {
      description: 'Present only when no new check is possible: the result from `checked_at`, at most a day old.',
    }),
  ),
  email: Type.Optional(
    Type.Object(
      {
        disposable: nullable(Type.Boolean(), {
          description: 'Whether a list names it among services for disposable addresses; null if none answered.',
        }),
        free_mail: Type.Boolean({ description: 'Whether anyone can get a free address at this domain.' }),
        deliverable: nullable(Type.Boolean(), {
          description:
            'Whether the domain takes mail, by its MX records or without any by its address. Whether the mailbox exists is not asked.',
        }),
      },
      { description: 'Only with the parameter `email`: facts about e-mail addresses at the domain.' },
    ),
  ),
  test: Type.Optional(
    Type.Literal(true, {
      description:
        'Present only for a test target of this installation: a fixed result, for which nothing was looked at. Never act on it in production.',
    }),
  ),
}
