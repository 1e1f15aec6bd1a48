// What a watch sends: the event as data, and the body for each kind of receiver. Pure.
import type { Result } from '../../results/diff/known.ts'
import type { Checked, EventType, Format } from '../../store/watches.ts'
import type { Change } from './matters.ts'

export interface WatchEvent {
  readonly type: EventType
  /** When it happened, ISO 8601 in UTC. */
  readonly timestamp: string
  readonly data: {
    readonly watch_id: string
    readonly target: string
    readonly changes: readonly Change[]
    readonly result: Checked | null
    readonly previous: Checked | null
    /** The result on the page of this installation; null without `server.public_url` or a kept result. */
    readonly url: string | null
  }
}

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
