// The delivery network and the web server that a response shows, so that the lines for them come first.
import { nullable, Type } from '../../src/engine/plugin.ts'
import { type Headers, linesOf } from './fields.ts'

/** In the order in which a response passes them, the nearest to the visitor first. */
const SERVERS = [
  { name: 'cloudflare', fields: { 'cf-ray': /./, server: /^cloudflare\b/i } },
  { name: 'cloudfront', fields: { 'x-amz-cf-id': /./, via: /\(CloudFront\)/ } },
  { name: 'netlify', fields: { 'x-nf-request-id': /./, server: /^netlify\b/i } },
  { name: 'vercel', fields: { 'x-vercel-id': /./, server: /^vercel\b/i } },
  // GitHub Pages are on Fastly, and their owners have no access to it.
  { name: 'fastly', fields: { 'x-fastly-request-id': /./, 'x-served-by': /^cache-/ }, except: /^github\.com$/i },
  { name: 'nginx', fields: { server: /^(?:nginx|openresty)\b/i } },
  { name: 'apache', fields: { server: /^apache(?![\w-])/i } },
  { name: 'caddy', fields: { server: /^caddy\b/i } },
  { name: 'iis', fields: { server: /^microsoft-iis\b/i } },
] as const satisfies readonly { name: string; fields: Readonly<Record<string, RegExp>>; except?: RegExp }[]

export type ServerName = (typeof SERVERS)[number]['name']

export const ServedBy = nullable(
  Type.Array(Type.Enum(SERVERS.map(({ name }) => name)), {
    description:
      'Delivery networks and web servers that the header fields show, the nearest to the visitor first. Null if none is recognised.',
  }),
)

/** Null if none is recognised: there is one all the same. */
export function servedBy(headers: Headers): ServerName[] | null {
  const shows = (name: string, pattern: RegExp) => linesOf(headers, name).some(value => pattern.test(value))
  const servers = SERVERS.filter(one => !('except' in one && shows('server', one.except)))
    .filter(({ fields }) => Object.entries(fields).some(([name, pattern]) => shows(name, pattern)))
    .map(({ name }) => name)
  return servers.length > 0 ? servers : null
}
