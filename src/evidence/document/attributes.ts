// What attributes say, as it may be kept.

import { truncate } from '../../printable.ts'
import { bounds } from './bounds.ts'
import { clean } from './clean.ts'
import type { Collected } from './collected.ts'
import type { Attributes } from './tag_stream.ts'

export const text = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(value, length)
}

/** URLs lose tabs and line ends wherever those stand, and do not part there (URL section 4.4). */
const unbroken = (written: string): string => written.replace(/[\t\n\r]/g, '')

/** As `text`, of what is a URL or has one in it. */
export const textOfUrl = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(unbroken(value), length)
}

/** Most links have none: one list serves them all. */
const none: readonly string[] = Object.freeze([])

export const tokens = (value: string | undefined): readonly string[] =>
  value === undefined
    ? none
    : clean(value, bounds.string)
        .toLowerCase()
        .split(' ', bounds.tokens)
        .filter(token => token !== '')

/** Absolute when it resolves to http(s), else as written. The same few come again and again on a page: each is resolved once. */
export function reference(page: Collected, written: string): string {
  const known = page.references.get(written)
  if (known !== undefined) return known
  const resolved = resolve(written, page.base ?? page.url)
  if (page.references.size < bounds.anchors && written.length <= bounds.string) page.references.set(written, resolved)
  return resolved
}

function resolve(written: string, base: string): string {
  const bare = clean(unbroken(written), bounds.url)
  try {
    const { protocol, href } = new URL(bare, base)
    return protocol === 'http:' || protocol === 'https:' ? truncate(href, bounds.url) : bare
  } catch {
    return bare
  }
}

/** Said by `http-equiv` alone: as a name they mean nothing to browsers (HTML section 4.2.5.3). */
const pragmas: ReadonlySet<string> = new Set(['content-security-policy', 'refresh'])

/** What a meta is about, lower case: browsers heed `http-equiv` whatever else stands beside it, so that both count. */
export function metaNames(attributes: Attributes): string[] {
  const named = (key: string) => text(attributes, key, bounds.name)?.toLowerCase() || []
  const names = ['name', 'property', 'itemprop'].flatMap(named).filter(name => !pragmas.has(name))
  return [named('http-equiv'), names.slice(0, 1)].flat()
}
