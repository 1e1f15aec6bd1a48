// What must hold before a request is looked at: one host, a URI of bounded length, and a method that only reads.
import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'
import type { Context, Next } from './visit.ts'

/** Octets: the longest name percent-encoded thrice over, and room for parameters that are ignored. */
const uriOctets = 4 * 1024

/** Octets of a body that is let pass unread; a longer one costs the client its connection. */
const bodyOctets = 64 * 1024

const hasOneHost = ({ headers: { host }, httpVersionMinor }: IncomingMessage) =>
  host === undefined ? httpVersionMinor === 0 : !host.includes(',')

const isChunked = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined

const isTooLarge = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? 0) > bodyOctets

/** The parser drops what arrived along with such a request, whole or in part, as if it were of the other protocol. */
const isUpgrade = ({ headers }: IncomingMessage) => headers.upgrade !== undefined

/** Whether another request may follow on the connection: not where its beginning could be disputed (RFC 9112 section 11.2). */
export const isFollowable = (request: IncomingMessage) =>
  hasOneHost(request) && !isChunked(request) && !isTooLarge(request) && !isUpgrade(request)

/**
 * Lets only reading pass: GET or HEAD, without a body that would have to be read (RFC 9110 section 9.3.1), to exactly
 * one host (RFC 9112 section 3.2). The absolute form, which proxies send, is read as the origin form (section 3.2.2).
 */
export const requireReading = (ctx: Context, next: Next) => {
  const { method, url = '/' } = ctx.req
  if (!hasOneHost(ctx.req)) throw new Problem('invalid-request', 'A request has one host.')
  if (url.length > uriOctets) throw new Problem('uri-too-long')
  if (method !== 'GET' && method !== 'HEAD') throw new Problem('method-not-allowed', undefined, { Allow: 'GET, HEAD' })
  if (isChunked(ctx.req)) throw new Problem('invalid-request', 'A request has no body here.')
  if (isTooLarge(ctx.req)) throw new Problem('content-too-large')
  if (!url.startsWith('/')) ctx.url = originForm(url)
  return next()
}

function originForm(url: string): string {
  if (!URL.canParse(url)) throw new Problem('invalid-request')
  const { pathname, search } = new URL(url)
  return pathname + search
}
