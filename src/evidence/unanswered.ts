// How a gatherer says that DNS left it without an answer.
import type { DnsFailure } from '../network/resolve.ts'
import { Unavailable } from './decline.ts'

export const unanswered = (reason: DnsFailure): Unavailable =>
  new Unavailable(reason === 'timeout' ? 'resolver_timeout' : reason)
