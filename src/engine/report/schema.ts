// The report as JSON: a view of a result for people, in the order in which it is read. It may change with any version;
// programs read the result.
import { type Static, Type } from 'typebox'
import { nullable } from '../../base/nullable.ts'
import { FIX_LANGUAGES } from '../presentation/presentation.ts'
import { SEVERITIES } from '../scoring/severity.ts'
import { THREAT_TYPES } from '../scoring/threats.ts'

const closed = { additionalProperties: false } as const

const Quoted = Type.Object({ text: Type.String() }, { ...closed, description: 'Text from the target.' })
const Sentence = Type.Array(Type.Union([Type.String(), Quoted]), {
  description: 'Parts of a sentence; objects hold text from the target.',
})
const Value = Type.Union(
  [Type.String(), Type.Number(), Type.Boolean(), Type.Null(), Quoted, Type.Array(Type.String())],
  { description: 'Null means unknown, an empty list means none. Texts may come from the target.' },
)
/** A pair, as draft 2020-12 has it; TypeBox writes tuples as an earlier draft did. */
const Fact = Type.Unsafe<readonly [label: string, value: Static<typeof Value>]>({
  type: 'array',
  prefixItems: [Type.String(), Value],
  items: false,
  minItems: 2,
  maxItems: 2,
})
const Table = Type.Object(
  { title: Type.String(), columns: Type.Array(Type.String()), rows: Type.Array(Type.Array(Value)) },
  closed,
)
const Place = Type.Object(
  { label: Type.String(), latitude: Type.Number(), longitude: Type.Number() },
  { ...closed, description: 'Degrees, WGS 84.' },
)
const severity = Type.Enum([...SEVERITIES])

const Section = Type.Object(
  {
    name: Type.String({ description: 'Name of the field in the result.' }),
    title: Type.String(),
    looks: Type.String({ description: 'What is checked, as the end of “We check …”.' }),
    state: Type.String({ description: 'A few words: severity and points, score, or how much was seen.' }),
    tone: Type.Enum([...SEVERITIES, 'good', 'unknown'], { description: '`info`: seen, and nothing to judge.' }),
    summary: Sentence,
    facts: Type.Array(Fact, { description: 'Pairs of label and value.' }),
    tables: Type.Array(Table),
    remarks: Type.Array(Type.Object({ text: Type.String(), severity, reason: Type.Optional(Type.String()) }, closed), {
      description: 'Remarks that are not findings.',
    }),
    links: Type.Array(Type.Object({ label: Type.String(), url: Type.String() }, closed)),
    place: Type.Optional(Place),
    spans: Type.Optional(
      Type.Array(
        Type.Object({ label: Type.String(), from: Type.String(), to: Type.String(), at: Type.String() }, closed),
        { description: 'Times with a beginning and an end, and the time of the check. ISO 8601 in UTC.' },
      ),
    ),
    hops: Type.Optional(
      Type.Array(Type.Object({ url: Type.String(), by: Type.String() }, closed), {
        description: 'Redirects, in order, with the kind of each.',
      }),
    ),
    fixes: Type.Array(
      Type.Object({ title: Type.String(), language: Type.Enum([...FIX_LANGUAGES]), code: Type.String() }, closed),
    ),
  },
  closed,
)

export const ReportSchema = Type.Object(
  {
    target: Type.String({ description: 'The URL, name or address that was checked.' }),
    host: Type.String(),
    card: Type.Array(Fact, { description: 'What the site says about itself, and how long it has been known.' }),
    about: Type.Array(Fact, { description: 'What the target is and where it leads.' }),
    recommendation: Type.Enum(['allow', 'review', 'block']),
    reason: Type.String({ description: 'The main reason for the recommendation.' }),
    meaning: nullable(Type.String({ description: 'What the reader should do.' })),
    tone: Type.Enum(['bad', 'doubtful', 'good', 'unknown']),
    verdict: Type.String(),
    score: Type.Integer(),
    confidence: Type.Enum(['high', 'medium', 'low']),
    threat_types: Type.Array(Type.Enum([...THREAT_TYPES])),
    stale_since: nullable(
      Type.String({ description: 'When this old result was made; it is shown because nothing can be checked now.' }),
    ),
    before: Type.Array(
      Type.Object(
        {
          text: Type.String(),
          reason: nullable(Type.String({ description: 'The title of the finding, or what was not seen, in words.' })),
          signal: nullable(Type.String({ description: 'The ID of the signal behind it.' })),
        },
        closed,
      ),
      {
        maxItems: 3,
        description:
          'What to do before you accept or open the target, the most important first. For a review, at least one settles it.',
      },
    ),
    fixes: Type.Array(
      Type.Object(
        {
          text: Type.String(),
          severity,
          points: Type.Number({ description: 'Points of its signals.' }),
          signals: Type.Array(
            Type.Object({ signal: Type.String(), title: Type.String(), section: Type.String() }, closed),
          ),
        },
        closed,
      ),
      { description: 'What its owner can do: each change once, the change that removes the most points first.' },
    ),
    findings: Type.Array(
      Type.Object(
        {
          signal: Type.String({ description: 'Its ID.' }),
          severity,
          title: Type.String(),
          detail: nullable(
            Type.String({ description: 'Null if it would repeat the reason above, or does not exist.' }),
          ),
          points: Type.Number(),
          floor: nullable(Type.Integer()),
          group: Type.String(),
          section: Type.String(),
          section_title: Type.String(),
        },
        closed,
      ),
      { description: 'The most serious first.' },
    ),
    steps: Type.Array(
      Type.Object(
        {
          signal: nullable(Type.String()),
          title: Type.String(),
          points: Type.Number(),
          from: Type.Number(),
          to: Type.Number(),
        },
        closed,
      ),
      {
        description: 'The score step by step; the last step ends at the score. `signal` is null where a limit applies.',
      },
    ),
    groups: Type.Array(
      Type.Object(
        {
          group: Type.String(),
          points: Type.Number(),
          ceiling: nullable(Type.Number()),
          count: Type.Integer(),
          reached: Type.Boolean(),
        },
        closed,
      ),
    ),
    sections: Type.Array(Section, { description: 'Sections with something seen.' }),
    dependencies: Type.Array(Type.Object({ role: Type.String(), parties: Type.Array(Type.String()) }, closed), {
      description: 'Parties that the target depends on, by role, as the sections name them.',
    }),
    unseen: Type.Array(
      Type.Object(
        {
          status: Type.String({ description: 'In words.' }),
          reason: nullable(Type.String({ description: 'In words.' })),
          sections: Type.Array(Type.String(), { description: 'Their titles.' }),
          applies: Type.Boolean({ description: 'False if there is nothing to check, or no source for it.' }),
        },
        closed,
      ),
      { description: 'What could not be seen, or only in part, and why.' },
    ),
    coverage: Type.Object({ percent: Type.Integer(), complete: Type.Boolean(), text: Type.String() }, closed),
    checked: Type.Array(Fact, { description: 'When and how it was checked.' }),
    durations: Type.Array(Type.Object({ title: Type.String(), milliseconds: Type.Integer() }, closed), {
      description: 'When each section was complete, from the start of the check. The fastest first.',
    }),
    requests: Type.Array(
      Type.Object(
        {
          url: Type.String(),
          status: Type.Integer(),
          purpose: nullable(Type.String({ description: 'What the request was for, in words; null if unknown.' })),
          started_ms: Type.Integer({ description: 'From the start of the check.' }),
          phases: Type.Array(
            Type.Object(
              { phase: Type.Enum(['connect', 'TLS', 'queue', 'wait', 'body']), milliseconds: Type.Integer() },
              closed,
            ),
            { description: 'One after another: `wait` ends with the head of the response.' },
          ),
        },
        closed,
      ),
      { description: 'The answered requests to the site, in the order in which they began; empty if unknown.' },
    ),
  },
  { ...closed, $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Report' },
)

export type Report = Static<typeof ReportSchema>
export type ReportSection = Static<typeof Section>
