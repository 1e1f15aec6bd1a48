// How a gatherer says that DNS left it without an answer.
import { Unavailable } from '../engine/outcome.ts'
import type { DnsFailure } from '../network/resolve.ts'

export const unanswered = (reason: DnsFailure): Unavailable =>
  new Unavailable(reason === 'timeout' ? 'resolver_timeout' : reason)
