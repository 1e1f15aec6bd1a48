// Checks before a request is processed: exactly one host, a URI of limited length, a method that the path allows.
import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'
import type { Context, Next } from './request_state.ts'
import type { AllowedRequests } from './routes.ts'

/** Bytes: three times the longest URL, as it is when it is percent-encoded once more, and room for other parameters. */
const uriOctets = 8 * 1024

/** Bytes of a body that is discarded unread; a longer one closes the connection. */
const discardedOctets = 64 * 1024

const hasOneHost = ({ headers: { host }, httpVersionMinor }: IncomingMessage) =>
  host === undefined ? httpVersionMinor === 0 : !host.includes(',')

const isChunked = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined

const lengthOf = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? 0)

/** The parser drops everything that arrives with such a request, as if it belonged to the other protocol. */
const isUpgrade = ({ headers }: IncomingMessage) => headers.upgrade !== undefined

/** Whether the connection may carry another request: not when its start could be ambiguous (RFC 9112 section 11.2). */
export const isFollowable = (request: IncomingMessage) =>
  hasOneHost(request) && !isChunked(request) && lengthOf(request) <= discardedOctets && !isUpgrade(request)

/**
 * Accepts only what `allowedAt` returns for the path: methods, and bodies up to a length. Other bodies are discarded unread
 * (RFC 9110 section 9.3.1). A request has exactly one host (RFC 9112 section 3.2). The absolute form, which proxies send, is
 * rewritten to the origin form (section 3.2.2).
 */
export const requireAllowed = (allowedAt: (path: string) => AllowedRequests) => (ctx: Context, next: Next) => {
  const { method = '', url = '/' } = ctx.req
  let bodyMost = 0
  if (!hasOneHost(ctx.req)) throw new Problem('invalid-request', 'A request must have exactly one Host header.')
  if (url.length > uriOctets) throw new Problem('uri-too-long')
  if (method !== 'GET') {
    const requests = allowedAt(pathOf(url))
    requireMethod(requests, method)
    bodyMost = requests.bodyOctets(method)
  }
  if (isChunked(ctx.req)) throw new Problem('invalid-request', 'A request body must state its length.')
  if (lengthOf(ctx.req) > (bodyMost === 0 ? discardedOctets : bodyMost)) throw new Problem('content-too-large')
  if (!url.startsWith('/')) ctx.url = originForm(url)
  return next()
}

export function requireMethod({ methods }: AllowedRequests, method: string): void {
  if (!methods.includes(method)) throw new Problem('method-not-allowed', undefined, { Allow: methods.join(', ') })
}

/** The path of a request's URL, which is absolute when a proxy sends it. */
export function pathOf(url: string): string {
  const origin = url.startsWith('/') ? url : URL.canParse(url) ? new URL(url).pathname : ''
  const query = origin.indexOf('?')
  return query === -1 ? origin : origin.slice(0, query)
}

function originForm(url: string): string {
  if (!URL.canParse(url)) throw new Problem('invalid-request')
  const { pathname, search } = new URL(url)
  return pathname + search
}
