// Signatures of webhooks by the Standard Webhooks specification 1.0.0 (symmetric, `v1`). Its library for JavaScript brings a
// SHA-256 of its own under the Unlicense; Node has one. The tests verify with that library.
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** The specification asks for 24 to 64. */
const SECRET_OCTETS = 32

export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_OCTETS).toString('base64')}`

export interface SignedMessage {
  /** The same for all attempts to deliver one event. */
  readonly id: string
  /** When this attempt is sent, in milliseconds. */
  readonly now: number
  /** As it is sent. */
  readonly body: string
}

/** The headers by which the receiver verifies a request. */
export function signatureHeaders(secret: string, { id, now, body }: SignedMessage) {
  const timestamp = `${Math.floor(now / 1_000)}`
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
