// Sends webhooks: which receivers are allowed, and one request to one of them. The guard of checks decides about addresses,
// with exceptions of its own; redirects are not followed and nothing is sent twice.
import { isIP } from 'node:net'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { contains, parseAddress, parseBlock } from '../../network/address_block.ts'
import { createGuard, type Guard } from '../../network/guard.ts'
import { fieldValues } from '../../network/http.ts'
import type { Network } from '../../network/network.ts'
import { bareHost, URL_CHARACTERS } from '../../targets/url.ts'
import type { ShapeOf } from '../shapes.ts'
import type { WatchEvent } from './event.ts'

/** Milliseconds for a receiver to answer, everything included: what Standard Webhooks recommends at least. */
export const ANSWER_MS = 15_000
/** Bytes of an answer that are read. They are dropped: the status alone matters. */
const ANSWER_OCTETS = 4 * 1024

const WebhookHeaders = Type.Object({
  'webhook-id': Type.String({ description: 'The ID of the event, the same for every attempt.' }),
  'webhook-timestamp': Type.String({ description: 'When this attempt was sent, in Unix seconds.' }),
  'webhook-signature': Type.String({
    description: '`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`.',
  }),
  'webhook-attempt': Type.String({ description: '1 for the first attempt, more for repetitions.' }),
})

/** A webhook as the OpenAPI document describes it. Its body is the event. */
export const webhook = {
  summaries: {
    'watch.changed': 'Receive an event when something changed that matters',
    'watch.test': 'Receive an event on request, to try the receiver',
  } satisfies Record<WatchEvent['type'], string>,
  description:
    'Sent to `notify` of the watch, signed by the Standard Webhooks scheme with its `secret`. The body is a message for Slack or Teams where `format` says so.',
  headers: WebhookHeaders,
  /** By status. */
  answers: {
    '2XX': 'Received.',
    '410': 'Wanted no more: nothing is checked any more.',
    default: 'Not received: it is sent again later, an event of a test is not.',
  },
} as const

export interface WebhookRequest {
  readonly url: string
  /** JSON. */
  readonly body: string
  readonly headers: ShapeOf<typeof WebhookHeaders>
  readonly signal: AbortSignal
}

export interface WebhookAnswer {
  /** Null when there was no response. */
  readonly status: number | null
  /** Null when the receiver accepted it. Otherwise `status_500`, or a failure of the network: `timeout`, `not_public`. */
  readonly failure: string | null
  /** From the header Retry-After, in milliseconds; 0 without one. */
  readonly retry_after_ms: number
}

export type Webhooks = ReturnType<typeof createWebhooks>

type WebhookSettings = Pick<Config['watch'], 'allow_private'> & Pick<Config['network'], 'deny' | 'url_ports'>

/** `open` opens a network that belongs to no check. */
export function createWebhooks({ allow_private, deny, url_ports }: WebhookSettings, open: Network['open']) {
  const inside = allow_private.map(parseBlock)
  const guard = createGuard({ allow: allow_private, deny })
  const isInside = (text: string): boolean => {
    const address = parseAddress(text)
    return address !== null && inside.some(block => contains(block, address))
  }
  /** Over http only to addresses that the operator named: elsewhere anyone on the way could read and forge it. */
  const unencryptedVetting: Pick<Guard, 'refuse' | 'refuseName'> = {
    refuse: address => (isInside(address) ? guard.refuse(address) : 'not_encrypted'),
    refuseName: guard.refuseName,
  }

  /** Why a URL cannot be a receiver, as a sentence; null when it can, as far as is known before its name is resolved. */
  function fault(text: string): string | null {
    if (text.length > URL_CHARACTERS) return `The URL is longer than ${URL_CHARACTERS} characters.`
    const url = URL.canParse(text) ? new URL(text) : null
    const schemes = allow_private.length > 0 ? ['https:', 'http:'] : ['https:']
    if (url === null || !schemes.includes(url.protocol)) return 'The URL of a receiver begins with https://.'
    if (url.username !== '' || url.password !== '') return 'The URL contains a user name or a password.'
    const host = bareHost(url.hostname)
    const isAddress = isIP(host) !== 0
    if (isAddress && guard.refuse(host) !== null) return 'The receiver is not reachable from the public Internet.'
    if (!isAddress && guard.refuseName(host) !== null) return 'This service is configured not to contact the receiver.'
    if (url.protocol === 'http:' && isAddress && !isInside(host)) return 'The URL of a receiver begins with https://.'
    return isInside(host) || url_ports.includes(portOf(url))
      ? null
      : `The receiver’s port is not one of ${url_ports.join(', ')}.`
  }

  return {
    fault,
    /** Never rejects. */
    async send({ url, body, headers, signal }: WebhookRequest): Promise<WebhookAnswer> {
      const refusal = fault(url)
      if (refusal !== null) return { status: null, failure: 'receiver_not_allowed', retry_after_ms: 0 }
      const to = new URL(url)
      const lifetime = new AbortController()
      const scope = { signal: AbortSignal.any([signal, lifetime.signal]), deadline: performance.now() + ANSWER_MS }
      const network = open({ ...scope, guard: to.protocol === 'http:' ? unencryptedVetting : guard })
      const fetchResult = await network.fetch({
        url,
        body,
        signal,
        port: portOf(to),
        redirects: 0,
        max_bytes: ANSWER_OCTETS,
        timeout_ms: ANSWER_MS,
        headers_ms: ANSWER_MS,
        body_ms: ANSWER_MS,
        headers: { 'content-type': 'application/json', ...headers },
        verify_certificate: true,
      })
      lifetime.abort()
      const answer = fetchResult.exchanges.at(-1)
      if (answer === undefined)
        return { status: null, failure: fetchResult.ok ? 'closed' : fetchResult.failure, retry_after_ms: 0 }
      const { status } = answer
      const [seconds = ''] = fieldValues(answer.headers, 'retry-after')
      return {
        status,
        failure: status >= 200 && status < 300 ? null : `status_${status}`,
        retry_after_ms: /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : 0,
      }
    },
  }
}

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

/** For people and lists: the path of a receiver's URL may be a secret, and an address is somebody's. */
export function receiverLabel(receiver: string): string {
  if (receiver.startsWith('mailto:')) return `mailto:…${receiver.slice(receiver.lastIndexOf('@'))}`
  return URL.canParse(receiver) ? `${new URL(receiver).origin}/…` : ''
}
