// What a watch sends: the event as data, and the body for each kind of receiver. Pure.
import { Type } from 'typebox'
import { nullable } from '../../base/nullable.ts'
import type { Result } from '../../results/diff/known.ts'
import type { Checked, EventType, Format } from '../../store/watches.ts'
import { closed, id, judged, type Shape, time } from '../shapes.ts'

/** The result that an event or a watch is about. */
export const WatchedResult = Type.Object(
  {
    result_id: nullable(id('The ID of the result; null when results are not kept.')),
    ...judged,
    recommendation_reason: Type.String(),
  },
  closed,
)

export const EVENT_TYPES = ['watch.changed', 'watch.test'] as const satisfies readonly EventType[]

const EventChange = Type.Object(
  {
    matter: Type.String({
      description:
        'recommendation, verdict, listing, certificate, certificate_expiring, mail, name_servers or address.',
    }),
    severity: Type.Enum(['weakened', 'strengthened', 'changed']),
    path: Type.String({ description: 'The field that changed.' }),
    message: Type.String({ description: 'The change as a sentence.' }),
    before: Type.Unknown(),
    after: Type.Unknown(),
  },
  closed,
)

/** The body of a webhook with the format `json`. */
export const WatchEvent = Type.Object(
  {
    type: Type.Enum([...EVENT_TYPES]),
    timestamp: time('When the change was found.'),
    data: Type.Object(
      {
        watch_id: Type.String(),
        target: Type.String(),
        changes: Type.Array(EventChange),
        result: nullable(WatchedResult),
        previous: nullable(WatchedResult),
        url: nullable(Type.String(), { description: 'The result on the page of this installation.' }),
      },
      closed,
    ),
  },
  closed,
)
export type WatchEvent = Shape<typeof WatchEvent>

export function checkedOf(result: Result): Checked {
  const { result_id = null, checked_at, risk_score, verdict, recommendation, recommendation_reason } = result
  return { result_id, checked_at, risk_score, verdict, recommendation, recommendation_reason } as Checked
}

/** The body of the request: JSON text. */
export function bodyFor(format: Format, event: WatchEvent): string {
  return JSON.stringify(bodies[format](event))
}

const bodies: Readonly<Record<Format, (event: WatchEvent) => object>> = {
  json: event => event,
  slack: event => slackMessage(event),
  teams: event => teamsMessage(event),
}

function headline({ type, data: { target, result } }: WatchEvent): string {
  if (type === 'watch.test') return `Test of the watch of ${target}`
  return `${target}: ${result?.recommendation} (${result?.verdict}, risk score ${result?.risk_score} of 100)`
}

const linesOf = ({ type, data: { changes } }: WatchEvent): readonly string[] =>
  type === 'watch.test' ? ['Changes of this target will be sent here'] : changes.map(({ message }) => message)

/** Characters of one message that Slack shows in one block, and of a card that Teams accepts with room to spare. */
const TEXT_LENGTH = 2_900

/** Slack reads `&`, `<` and `>` as its own (docs.slack.dev, formatting message text). */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** An incoming webhook of Slack. `text` is what notifications show. */
function slackMessage(event: WatchEvent): object {
  const { url } = event.data
  const head = slackText(headline(event))
  const lines = linesOf(event).map(line => `• ${slackText(line)}`)
  const link = url === null ? [] : [`<${url}|Open the result>`]
  const text = [`*${head}*`, ...lines].join('\n').slice(0, TEXT_LENGTH)
  return {
    text: head,
    blocks: [text, ...link].map(text => ({ type: 'section', text: { type: 'mrkdwn', text } })),
  }
}

/** Text blocks of a card understand some Markdown. */
const cardText = (text: string): string => text.replace(/[\\`*_[\]()#~<>]/g, '\\$&')

/** An Adaptive Card, as workflows of Teams accept it (“When a Teams webhook request is received”). */
function teamsMessage(event: WatchEvent): object {
  const { url } = event.data
  const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text: cardText(text), wrap: true, ...more })
  const lines = linesOf(event).map(line => block(`${line.slice(0, TEXT_LENGTH)}.`))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4' },
    body: [block(headline(event), { weight: 'Bolder', size: 'Medium' }), ...lines],
    ...(url === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open the result', url }] }),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}
