// What attributes say, as it may be kept.
import { bounds } from './bounds.ts'
import { clean, cut } from './clean.ts'
import type { Collected } from './collected.ts'
import type { Attributes } from './tag_stream.ts'

export const text = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(value, length)
}

export const tokens = (value: string | undefined): string[] =>
  value === undefined
    ? []
    : clean(value, bounds.string)
        .toLowerCase()
        .split(' ', bounds.tokens)
        .filter(token => token !== '')

/** Absolute when it resolves to http(s), else as written. */
export function reference(page: Collected, written: string): string {
  const bare = clean(written, bounds.url)
  try {
    const { protocol, href } = new URL(bare, page.base ?? page.url)
    return protocol === 'http:' || protocol === 'https:' ? cut(href, bounds.url) : bare
  } catch {
    return bare
  }
}

/** What a meta is about, lower case: browsers heed `http-equiv` whatever else stands beside it, so that both count. */
export function metaNames(attributes: Attributes): string[] {
  const named = (key: string) => text(attributes, key, bounds.name)?.toLowerCase() || []
  return [named('http-equiv'), ['name', 'property', 'itemprop'].flatMap(named).slice(0, 1)].flat()
}
