// Links to the site's profiles on social networks, recognised by registrable domain and path.
import { type Document, dataFile, type Static, TextList, Type } from '../../src/engine/plugin.ts'
import data from './data/social_networks.json' with { type: 'json' }
import { isHttp, siteOf } from './text.ts'

/** A page with more is a directory of profiles. */
const MAX_LINKS = 50
/** Longer links are ignored, so that 50 of them fit a section. */
const MAX_LENGTH = 160

const SocialNetwork = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z_]*$' }),
    domains: Type.Array(Type.String(), { minItems: 1, description: 'Registrable domains.' }),
    hosts: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description:
          'More hosts with profiles, besides the bare domain, `www`, mobile and language hosts. `*`: each host is a profile.',
      }),
    ),
    profiles: Type.Array(Type.String({ pattern: '^/' }), {
      minItems: 1,
      description:
        'Paths of profiles. `{}` is a name, optionally after a sign (`@{}`). `{a}` is a name that is not all digits, because all digits is a video ID. A query parameter may hold the name (`?id`).',
    }),
  },
  { additionalProperties: false },
)
type SocialNetwork = Static<typeof SocialNetwork>

export const SocialNetworksFile = dataFile({
  networks: Type.Array(SocialNetwork, { minItems: 1 }),
  reserved: TextList,
})
const { networks, reserved } = data as Static<typeof SocialNetworksFile>

/** First path segments and names of a network's own pages and of share buttons. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(reserved)

const byDomain: ReadonlyMap<string, SocialNetwork> = new Map(
  networks.flatMap(network => network.domains.map(domain => [domain, network] as const)),
)

/** A profile that the page links to. */
export interface SocialProfile {
  readonly network: string
  /** The link with https and without anything after the profile name. */
  readonly url: string
}

/** Unique profiles in document order. */
export function findProfiles({ anchors }: Pick<Document, 'anchors'>): SocialProfile[] {
  const profiles = new Map<string, SocialProfile>()
  for (const { href, rel } of anchors) {
    const profile =
      href.length <= 4 * MAX_LENGTH ? (profileOf(href) ?? (rel.includes('me') ? fediverse(href) : null)) : null
    if (profile === null) continue
    const key = profile.url.toLowerCase().replace('://www.', '://')
    if (!profiles.has(key)) profiles.set(key, profile)
    if (profiles.size === MAX_LINKS) break
  }
  return [...profiles.values()]
}

/** Rejects the common case, a link to an unknown host, without parsing the URL. */
function isElsewhere(href: string): boolean {
  const [, host] = /^https?:\/\/([a-z0-9.-]+)(?:[/?#]|$)/.exec(href) ?? []
  if (host === undefined) return false
  for (let at = 0; ; ) {
    if (byDomain.has(host.slice(at))) return false
    const dot = host.indexOf('.', at)
    if (dot === -1) return true
    at = dot + 1
  }
}

/** The profile that a link leads to; null for anything else, including share buttons. */
export function profileOf(href: string): SocialProfile | null {
  if (isElsewhere(href)) return null
  const url = URL.canParse(href) ? new URL(href) : null
  if (url === null || !isHttp(url) || url.port !== '' || url.username !== '') return null
  const site = siteOf(url)
  const network = byDomain.get(site)
  if (network === undefined) return null
  const path = profilePath(url, url.hostname.slice(0, -site.length - 1), network)
  if (path === null) return null
  const profile = `https://${url.hostname}${path}`
  return profile.length <= MAX_LENGTH ? { network: network.id, url: profile } : null
}

/** Anyone can run a fediverse server, so `rel=me` and an account path are required together. */
function fediverse(href: string): SocialProfile | null {
  const url = URL.canParse(href) ? new URL(href) : null
  return url !== null && url.protocol === 'https:' && /^\/@\w{1,60}\/?$/.test(url.pathname)
    ? { network: 'fediverse', url: `https://${url.host}${url.pathname}` }
    : null
}

function profilePath(url: URL, subdomain: string, { hosts = [], profiles }: SocialNetwork): string | null {
  const hasSubdomain = !isOrdinaryHost(subdomain)
  if (hasSubdomain && hosts.includes('*')) return isUserName(subdomain) ? '' : null
  if (hasSubdomain && !hosts.includes(subdomain)) return null
  for (const shape of profiles) {
    const path = matchShape(url, shape)
    if (path !== null) return path
  }
  return null
}

/** The bare domain, `www`, mobile hosts, and language or country hosts (`de-de.`, `uk.`). */
const isOrdinaryHost = (subdomain: string): boolean => /^(?:www|m|mobile|[a-z]{2}(?:-[a-z]{2})?)?$/.test(subdomain)

/** For networks that give every user a host. */
const isUserName = (subdomain: string): boolean => /^[a-z0-9-]+$/.test(subdomain) && !RESERVED_NAMES.has(subdomain)

const NAME = /^@?[\w.~+%-]{1,100}$/

/** Sub-pages stand for their profile, except where the name is the first segment: there they are posts and pages. */
function matchShape(url: URL, shape: string): string | null {
  const [path = '', parameter] = shape.split('?')
  const pattern = path.slice(1).split('/')
  const segments = url.pathname.split('/').filter(segment => segment !== '')
  if (parameter !== undefined) return matchParameter(url, path, parameter)
  if (segments.length < pattern.length || (/^\/\{a?\}$/.test(shape) && segments.length > 1)) return null
  const matches = pattern.every((part, i) => matchSegment(part, segments[i] ?? '', i === 0))
  return matches ? `/${segments.slice(0, pattern.length).join('/')}` : null
}

function matchParameter(url: URL, path: string, parameter: string): string | null {
  const value = url.searchParams.get(parameter)
  return url.pathname === path && value !== null && /^\+?\d{3,20}$/.test(value.trim())
    ? `${path}?${parameter}=${encodeURIComponent(value.trim())}`
    : null
}

function matchSegment(part: string, segment: string, first: boolean): boolean {
  const [hole] = /\{a?\}$/.exec(part) ?? []
  if (hole === undefined) return part === segment.toLowerCase() || part === segment
  if (hole === '{a}' && /^\d+$/.test(segment)) return false
  const sign = part.slice(0, -hole.length)
  const name = segment.slice(sign.length)
  return segment.startsWith(sign) && NAME.test(name) && !(first && RESERVED_NAMES.has(name.toLowerCase()))
}

/** The networks of the profiles, each once. */
export const networksOf = (profiles: readonly SocialProfile[]): string[] => [
  ...new Set(profiles.map(({ network }) => network)),
]
