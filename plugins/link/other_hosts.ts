// Host names where a URL has no host: in its path, and beside an `@`.
import { getPublicSuffix, parse } from 'tldts'
import { identify, type OwnersOf } from '../../src/engine/plugin.ts'
import { type LinkParts, withoutEnding } from './link_parts.ts'

/** A host name in a path. */
export interface PathHost {
  readonly host: string
  /** The brand that it belongs to, or null. */
  readonly brand: string | null
}

const LONGEST = 253
const LABELS = 12
const lookups: ReadonlySet<string> = new Set(
  'whois domain domains website websites site sites siteinfo review reviews dns status proxy'.split(' '),
)
/** Whether the following segment is the subject of a page: a whole URL, as in archives, or a name to look up. */
export const isSubject = (before = ''): boolean => /^https?:$/.test(before) || lookups.has(before)

/** Suffixes that are not also endings of files. */
const plainSuffix = /^(?:com|net|org|edu|gov|info|biz)(?:\.[a-z]{2})?$|^(?:co|ac|or|ne)\.[a-z]{2}$/

/** Hosts of other owners in the path, those of brands first. */
export function hostsInPath({ segments }: LinkParts, target: string | null, ownersOf: OwnersOf): PathHost[] {
  const owner = target === null ? null : identify(target).owner
  const own = new Set(target === null ? [] : ownersOf(target))
  const hosts = new Map<string, PathHost>()
  for (const [at, segment] of segments.entries()) {
    if (isSubject(segments[at - 1])) continue
    const labels = withoutEnding(segment).split('.')
    if (segment.length > LONGEST || labels.length < 2 || labels.length > LABELS) continue
    const host = brandHost(labels, ownersOf) ?? plainHost(segment)
    if (host === null || (owner !== null && identify(host.host).owner === owner)) continue
    if (host.brand !== null && [...own].some(({ name }) => name === host.brand)) continue
    hosts.set(host.host, host)
  }
  return [...hosts.values()].sort((a, b) => Number(b.brand !== null) - Number(a.brand !== null))
}

/** The longest run of labels that is a brand's own domain: `paypal.com` in `https.www.paypal.com.home`. */
function brandHost(labels: readonly string[], ownersOf: OwnersOf): PathHost | null {
  for (let length = labels.length; length >= 2; length--) {
    for (let start = 0; start + length <= labels.length; start++) {
      const host = labels.slice(start, start + length).join('.')
      if (!hostName.test(host) || parse(host).isIcann !== true) continue
      // `case-for.apple` is more likely a file name than a name under the brand's own top-level domain.
      if (ownersOf(getPublicSuffix(host) ?? '').length > 0) continue
      const owner = ownersOf(host).find(({ family }) => !family)
      if (owner) return { host, brand: owner.name }
    }
  }
  return null
}

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}$/

function plainHost(segment: string): PathHost | null {
  if (!hostName.test(segment)) return null
  const { publicSuffix, domain, isIcann } = parse(segment)
  if (isIcann !== true || domain === null || publicSuffix === null) return null
  return segment.startsWith('www.') || plainSuffix.test(publicSuffix) ? { host: segment, brand: null } : null
}

/**
 * A host name before or after an `@` of the path, as in `/www.example.com@login/`, which readers take for the site.
 * Excludes handles (`/@name`), scoped packages, map positions and e-mail addresses.
 */
export function hostBesideAt({ segments }: LinkParts): string | null {
  for (const segment of segments) {
    const at = segment.indexOf('@')
    if (at < 0 || at !== segment.lastIndexOf('@')) continue
    const [before, after] = [segment.slice(0, at), segment.slice(at + 1)]
    if (before !== '' && plainHost(before) !== null) return before
    if (before === '' && plainHost(after) !== null) return after
  }
  return null
}
