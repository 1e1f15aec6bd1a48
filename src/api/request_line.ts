// The first line of a request: a URI of bounded length in origin form, and one of the two methods that only read.
import { Problem } from './problem.ts'
import type { Context, Next } from './visit.ts'

/** Octets: the longest name percent-encoded thrice over, and room for parameters that are ignored. */
const uriOctets = 4 * 1024

/** Octets of a body that is let pass unread; a longer one costs the client its connection. */
const bodyOctets = 64 * 1024

/** Refuses URIs that are too long, and reads the absolute form, which proxies send, as the origin form (RFC 9112 section 3.2.2). */
export const requireUri = (ctx: Context, next: Next) => {
  const { url = '/' } = ctx.req
  if (url.length > uriOctets) throw new Problem('uri-too-long', undefined, { Connection: 'close' })
  if (url.startsWith('/') || url === '*') return next()
  if (!URL.canParse(url)) throw new Problem('invalid-request')
  const { pathname, search } = new URL(url)
  ctx.url = ctx.req.url = pathname + search
  return next()
}

/** Lets GET and HEAD pass, without a body that would have to be read (RFC 9110 section 9.3.1). */
export const requireReading = (ctx: Context, next: Next) => {
  const { method, headers } = ctx.req
  const length = Number(headers['content-length'] ?? 0)
  const unread = headers['transfer-encoding'] !== undefined || length > bodyOctets
  const close: Record<string, string> = unread ? { Connection: 'close' } : {}
  if (method !== 'GET' && method !== 'HEAD') {
    throw new Problem('method-not-allowed', undefined, { Allow: 'GET, HEAD', ...close })
  }
  if (headers['transfer-encoding'] !== undefined)
    throw new Problem('invalid-request', 'A request has no body here.', close)
  if (unread) throw new Problem('content-too-large', undefined, close)
  return next()
}
