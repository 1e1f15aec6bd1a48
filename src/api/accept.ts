// Content negotiation for one representation: JSON or nothing (RFC 9110 section 12.5.1).
import Negotiator from 'negotiator'

/** What clients really send, known without parsing. */
const usual = new Set([undefined, '', '*/*', 'application/json', 'application/json, text/plain, */*'])

/** Would this `Accept` header take `application/json`? */
export function acceptsJson(accept: string | undefined): boolean {
  return usual.has(accept) || new Negotiator({ headers: { accept } }).mediaType(['application/json']) !== undefined
}
