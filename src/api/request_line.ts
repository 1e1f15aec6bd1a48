// Checks before a request is processed: exactly one host, a URI of limited length, a method that the path allows.
import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'
import type { Context, Next } from './request_state.ts'

/** Bytes: three times the longest URL, as it is when it is percent-encoded once more, and room for other parameters. */
const uriOctets = 8 * 1024

/** Bytes of a body that is discarded unread; a longer one closes the connection. */
const bodyOctets = 64 * 1024

const hasOneHost = ({ headers: { host }, httpVersionMinor }: IncomingMessage) =>
  host === undefined ? httpVersionMinor === 0 : !host.includes(',')

const isChunked = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined

const isTooLarge = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? 0) > bodyOctets

/** The parser drops everything that arrives with such a request, as if it belonged to the other protocol. */
const isUpgrade = ({ headers }: IncomingMessage) => headers.upgrade !== undefined

/** Whether the connection may carry another request: not when its start could be ambiguous (RFC 9112 section 11.2). */
export const isFollowable = (request: IncomingMessage) =>
  hasOneHost(request) && !isChunked(request) && !isTooLarge(request) && !isUpgrade(request)

/**
 * Accepts only the methods that `allowed` returns for the path, without a body that would have to be read (RFC 9110 section
 * 9.3.1), to exactly one host (RFC 9112 section 3.2). The absolute form, which proxies send, is rewritten to the origin form
 * (section 3.2.2).
 */
export const requireAllowed = (allowed: (path: string) => readonly string[]) => (ctx: Context, next: Next) => {
  const { method = '', url = '/' } = ctx.req
  if (!hasOneHost(ctx.req)) throw new Problem('invalid-request', 'A request must have exactly one Host header.')
  if (url.length > uriOctets) throw new Problem('uri-too-long')
  if (method !== 'GET') {
    const methods = allowed(pathOf(url))
    if (!methods.includes(method)) throw new Problem('method-not-allowed', undefined, { Allow: methods.join(', ') })
  }
  if (isChunked(ctx.req)) throw new Problem('invalid-request', 'Request bodies are not accepted.')
  if (isTooLarge(ctx.req)) throw new Problem('content-too-large')
  if (!url.startsWith('/')) ctx.url = originForm(url)
  return next()
}

function pathOf(url: string): string {
  const origin = url.startsWith('/') ? url : URL.canParse(url) ? new URL(url).pathname : ''
  const query = origin.indexOf('?')
  return query === -1 ? origin : origin.slice(0, query)
}

function originForm(url: string): string {
  if (!URL.canParse(url)) throw new Problem('invalid-request')
  const { pathname, search } = new URL(url)
  return pathname + search
}
