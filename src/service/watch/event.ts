// What a watch sends: the event as data, and the body for each kind of receiver. Pure.
import { isIP } from 'node:net'
import { Type } from 'typebox'
import { nullable } from '../../base/nullable.ts'
import { truncate } from '../../base/printable.ts'
import type { Result } from '../../results/diff/known.ts'
import type { EventType, LastCheck, Format as ReceiverFormat } from '../../store/watches.ts'
import { closed, id, judgementFields, type ShapeOf, time } from '../shapes.ts'
import { MATTERS } from './matters.ts'

/** The result that an event or a watch is about. */
export const WatchedResult = Type.Object(
  {
    result_id: nullable(id('The ID of the result; null when results are not kept.')),
    ...judgementFields,
    recommendation_reason: Type.String(),
  },
  closed,
)

export const EVENT_TYPES = ['watch.changed', 'watch.test'] as const satisfies readonly EventType[]

const EventChange = Type.Object(
  {
    matter: Type.String({
      description: `${MATTERS.slice(0, -1).join(', ')} or ${MATTERS.at(-1)}.`,
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
export type WatchEvent = ShapeOf<typeof WatchEvent>

export function checkedOf(result: Result): LastCheck {
  const { result_id = null, checked_at, risk_score, verdict, recommendation, recommendation_reason } = result
  return { result_id, checked_at, risk_score, verdict, recommendation, recommendation_reason } as LastCheck
}

/** The format of a webhook: e-mail is none. */
type MessageFormat = Exclude<ReceiverFormat, 'email'>

/** The body of the request: JSON text. `url` is the receiver's. */
export function bodyFor(format: MessageFormat, event: WatchEvent, url: string): string {
  return JSON.stringify(bodies[format](event, url))
}

/** The topic that a URL of ntfy names by its path; null for one that names none, or not in UTF-8. */
export function topicOf(url: string): string | null {
  try {
    return decodeURIComponent(new URL(url).pathname.replace(/^\/+|\/+$/g, '')) || null
  } catch {
    return null
  }
}

/** The topic of ntfy is the path of its URL; JSON is sent to the root (docs.ntfy.sh/publish, “Publish as JSON”). */
export const addressFor = (format: MessageFormat, url: string): string =>
  format === 'ntfy' ? new URL('/', url).href : url

const bodies: Readonly<Record<MessageFormat, (event: WatchEvent, url: string) => object>> = {
  json: event => event,
  slack: event => slackMessage(event),
  teams: event => teamsMessage(event),
  discord: event => discordMessage(event),
  ntfy: (event, url) => ntfyMessage(event, url),
  matrix: event => matrixMessage(event),
}

export const headline = (event: WatchEvent): string =>
  event.type === 'watch.test'
    ? `Test of the watch of ${event.data.target}`
    : `${targetOf(event)}: ${judgementOf(event)}`

export const judgementOf = ({ data: { result } }: WatchEvent): string =>
  `${result?.recommendation} (${result?.verdict}, risk score ${result?.risk_score} of 100)`

/** The target as messages write it. */
export const targetOf = (event: WatchEvent): string => messageText(event.data.target, event)

export const linesOf = (event: WatchEvent): readonly string[] =>
  event.type === 'watch.test'
    ? ['Changes of this target will be sent here']
    : event.data.changes.map(({ matter, message }) =>
        matter === 'lookalike' ? defang(message) : messageText(message, event),
      )

/** Defanged unless the verdict is safe: programs that show messages turn host names into links. */
const messageText = (text: string, { data: { result } }: WatchEvent): string =>
  result?.verdict === 'safe' ? text : defang(text)

/** Writes URLs, host names and IPv4 addresses so that no program turns them into links: `hxxps://example[.]com`. */
const defang = (text: string): string =>
  text
    .replace(/http(?=s?:\/\/)/gi, 'hxxp')
    .replace(/[\p{L}\p{M}\p{N}_.-]+/gu, word => (isHost(word) ? word.replaceAll('.', '[.]') : word))

/** A host name or an IPv4 address, but not a version such as 1.3. */
function isHost(word: string): boolean {
  const name = word.replace(/\.+$/, '')
  const labels = name.split('.')
  return labels.length > 1 && (/^(?:xn--|\p{L}[\p{L}\p{M}])/iu.test(labels.at(-1) ?? '') || isIP(name) !== 0)
}

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
  const text = truncate([`*${head}*`, ...lines].join('\n'), TEXT_LENGTH)
  return {
    text: head,
    blocks: [text, ...link].map(text => ({ type: 'section', text: { type: 'mrkdwn', text } })),
  }
}

/** Characters with a meaning in Markdown, escaped. */
const cardText = (text: string): string => text.replace(/[\\`*_[\]()#~<>]/g, '\\$&')

/** An Adaptive Card, as workflows of Teams accept it (“When a Teams webhook request is received”). */
function teamsMessage(event: WatchEvent): object {
  const { url } = event.data
  const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text: cardText(text), wrap: true, ...more })
  const lines = linesOf(event).map(line => block(`${truncate(line, TEXT_LENGTH)}.`))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [block(headline(event), { weight: 'Bolder', size: 'Medium' }), ...lines],
    ...(url === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open the result', url }] }),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

/** Most characters of `content` (discord.com/developers/docs/resources/webhook, “Execute Webhook”). */
const DISCORD_LENGTH = 2_000

/** A webhook of a channel in Discord. Nobody is mentioned, whatever the text says. */
function discordMessage(event: WatchEvent): object {
  const { url } = event.data
  const lines = linesOf(event).map(line => `- ${cardText(line)}`)
  const link = url === null ? '' : `\n<${url}>`
  const text = truncate([`**${cardText(headline(event))}**`, ...lines].join('\n'), DISCORD_LENGTH - link.length)
  return { content: text + link, allowed_mentions: { parse: [] } }
}

/** Octets of a message beyond which ntfy makes it an attachment (docs.ntfy.sh/publish, “Limitations”): 4,096. */
const NTFY_LENGTH = 1_300
/** 4 is high, 3 the default (docs.ntfy.sh/publish, “Message priority”). */
const NTFY_PRIORITY = { weakened: 4, other: 3 } as const

/** A message for a topic of ntfy, which is the path of the receiver's URL. */
function ntfyMessage(event: WatchEvent, receiver: string): object {
  const { url, changes } = event.data
  const isWorse = changes.some(({ severity }) => severity === 'weakened')
  return {
    topic: topicOf(receiver),
    title: headline(event),
    message: truncate(linesOf(event).join('\n'), NTFY_LENGTH),
    priority: isWorse ? NTFY_PRIORITY.weakened : NTFY_PRIORITY.other,
    ...(url !== null && { click: url }),
  }
}

const htmlText = (text: string): string => slackText(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;')

/** A generic webhook of matrix-hookshot, which posts `html` to its room, or `text` (its documentation, “Webhooks”). */
function matrixMessage(event: WatchEvent): object {
  const { url } = event.data
  const lines = linesOf(event).map(line => truncate(line, TEXT_LENGTH))
  const items = lines.map(line => `<li>${htmlText(line)}</li>`).join('')
  const link = url === null ? '' : `<p><a href="${htmlText(url)}">Open the result</a></p>`
  return {
    text: [headline(event), ...lines, ...(url === null ? [] : [url])].join('\n'),
    html: `<strong>${htmlText(headline(event))}</strong><ul>${items}</ul>${link}`,
  }
}
