// Content negotiation: JSON or nothing, unless a stream of events is asked for by name (RFC 9110 section 12.5.1).
import Negotiator from 'negotiator'

/** What clients really send, known without parsing. */
const usual = new Set(['', '*/*', 'application/json', 'application/json, text/plain, */*'])

/** Parameters count when types are compared: the answer is both of these. */
const offered = ['application/json', 'application/json; charset=utf-8']

const events = 'text/event-stream'

/** Characters of a header that is parsed; several times what browsers send. A longer one is not honoured. */
const headerLength = 1_024

/** Does this `Accept` header name a stream of events, and like it no less than JSON? Wildcards do not name it. */
export function wantsEvents(accept: string | undefined): boolean {
  if (accept === undefined || usual.has(accept) || accept.length > headerLength) return false
  if (!/\btext\/event-stream\b/i.test(accept)) return false
  return new Negotiator({ headers: { accept } }).mediaType([...offered, events]) === events
}

/** Would this `Accept` header take `application/json`? */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || usual.has(accept)) return true
  return accept.length <= headerLength && new Negotiator({ headers: { accept } }).mediaType(offered) !== undefined
}
