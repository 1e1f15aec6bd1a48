// Look-alikes as lines of JSON, the same over HTTP and on the command line.
import { Type } from 'typebox'
import { nullable } from '../base/nullable.ts'
import { KINDS, type Kind } from '../results/lookalikes/candidates.ts'
import type { Lookalike, Lookalikes, LookalikesTally } from '../results/lookalikes/run.ts'
import { closed, count, id, judgementFields, type ShapeOf } from './shapes.ts'

const yes = (description: string) => nullable(Type.Boolean(), { description: `${description} Null when unknown.` })

const kinds = Object.entries(KINDS).map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)

/** A name that exists, as a line tells it. */
const ShownLookalike = Type.Object(
  {
    name: Type.String({ description: 'In A-labels.' }),
    unicode: Type.String({ description: 'The same name as browsers may show it.' }),
    kind: Type.Enum(Object.keys(KINDS) as Kind[], { description: kinds.join(' ') }),
    addresses: Type.Array(Type.String(), { description: 'At most four; empty when it has none.' }),
    mail: yes('Whether it receives mail.'),
    result: nullable(
      Type.Object(
        {
          result_id: nullable(id('The ID of the kept result; null when results are not kept.')),
          ...judgementFields,
          recommendation_reason: Type.String(),
          signals: Type.Array(Type.String(), { description: 'As in the result.' }),
          title: nullable(Type.String({ description: 'Of its page.' })),
        },
        closed,
      ),
      { description: 'What the whole result says in short; null when it was not judged.' },
    ),
    error: nullable(Type.Object({ code: Type.String(), detail: Type.String() }, closed), {
      description: 'Why it could not be judged.',
    }),
    shared: nullable(
      Type.Object(
        {
          title: yes('Whether both pages have the same title.'),
          icon: yes('Whether both sites have the same icon: the one that the page declares, else `/favicon.ico`.'),
          form_target: yes('Whether a form of it sends to the original, or where a form of the original sends, too.'),
          redirects_to: yes('Whether it leads to the original, as names of the same owner do.'),
          redirected_from: yes('Whether the original leads to it.'),
          name_servers: yes('Whether both have a name server in common.'),
        },
        closed,
      ),
      { description: 'What it shares with the original; null when one of them was not judged.' },
    ),
  },
  closed,
)

const tally = {
  asked: count('Names that were asked for.'),
  existing: count('Names that exist.'),
  judged: count('Look-alikes with a result, each counted against the quota.'),
  unanswered: count('Names for which no answer came.'),
  unproved: count('Names in zones that answer for every name, where an answer proves nothing.'),
}

const ShownSummary = Type.Object(
  {
    domain: Type.String({ description: 'The original.' }),
    ...tally,
    ended: Type.Enum(['whole', 'stopped', 'unavailable'], {
      description: '`unavailable`: the resolver or the network of this installation failed, and the rest is missing.',
    }),
    ranking: Type.Array(Type.String(), {
      description: 'The names that exist, what deserves a look first: by recommendation, what they share, and score.',
    }),
  },
  closed,
)

/** Each line has one of the members. */
export const LookalikeLine = Type.Object(
  {
    lookalike: Type.Optional(ShownLookalike),
    progress: Type.Optional(Type.Object(tally, { ...closed, description: 'From time to time.' })),
    summary: Type.Optional({ ...ShownSummary, description: 'The last line.' }),
  },
  closed,
)
export type LookalikeLine = ShapeOf<typeof LookalikeLine>
export type ShownLookalike = ShapeOf<typeof ShownLookalike>
export type LookalikesSummary = ShapeOf<typeof ShownSummary>

export function lookalikeLine({
  name,
  unicode,
  kind,
  addresses,
  mail,
  result,
  error,
  shared,
}: Lookalike): LookalikeLine {
  const brief = result === null ? null : briefOf(result)
  return { lookalike: { name, unicode, kind, addresses, mail, result: brief, error, shared } }
}

function briefOf(result: NonNullable<Lookalike['result']>): NonNullable<ShownLookalike['result']> {
  const { result_id = null, checked_at, risk_score, verdict, recommendation, recommendation_reason, signals } = result
  const { title = null } = (result['content_analysis'] ?? {}) as { readonly title?: string | null }
  const brief = { result_id, checked_at, risk_score, verdict, recommendation, recommendation_reason, signals, title }
  return brief as NonNullable<ShownLookalike['result']>
}

const shownTally = ({ asked, existing, judged, unanswered, unproved }: LookalikesTally) => ({
  asked,
  existing,
  judged,
  unanswered,
  unproved,
})

export const progressLine = (of: LookalikesTally): LookalikeLine => ({ progress: shownTally(of) })

export const summaryLine = (domain: string, { tally: of, ended, ranking }: Lookalikes): LookalikeLine => ({
  summary: { domain, ...shownTally(of), ended, ranking },
})

/** Names after which a progress line follows. */
export const PROGRESS_NAMES = 250
/** Default number of look-alikes to check. */
export const DEFAULT_JUDGED = 50
/** Concurrent checks of one search. */
export const LOOKALIKE_CHECKS = 8
