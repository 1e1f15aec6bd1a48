// Reads the values of attributes, bounded and cleaned, and the marks that frameworks leave in them.

import { truncate } from '../../printable.ts'
import { bounds, type Collected, type Marks } from './collected.ts'
import type { Attributes } from './tag_stream.ts'
import { clean } from './text.ts'

export const text = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(value, length)
}

/** Tabs and line breaks are removed from URLs wherever they are (URL section 4.4). */
const unbroken = (written: string): string => written.replace(/[\t\n\r]/g, '')

/** Like `text`, for a value that is or contains a URL. */
export const textOfUrl = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(unbroken(value), length)
}

/** Most links have no tokens: all of them share one list. */
const none: readonly string[] = Object.freeze([])

export const tokens = (value: string | undefined): readonly string[] =>
  value === undefined
    ? none
    : clean(value, bounds.string)
        .toLowerCase()
        .split(' ', bounds.tokens)
        .filter(token => token !== '')

/** Absolute if it resolves to http(s), otherwise as written. Pages repeat the same few references: each is resolved once. */
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

/** Browsers honour these only in `http-equiv`, not as a name (HTML section 4.2.5.3). */
const pragmas: ReadonlySet<string> = new Set(['content-security-policy', 'refresh'])

/** The names of a meta element in lower case. Browsers obey `http-equiv` whether or not there is a name, so both count. */
export function metaNames(attributes: Attributes): string[] {
  const named = (key: string) => text(attributes, key, bounds.name)?.toLowerCase() || []
  const names = ['name', 'property', 'itemprop'].flatMap(named).filter(name => !pragmas.has(name))
  return [named('http-equiv'), names.slice(0, 1)].flat()
}

/** Standard HTML attributes identify no framework; names of other attributes contain one of these characters. */
const foreign = /[-:@_]/

export function noteMarkup(page: Collected, element: string, attributes: Attributes): void {
  if (element.includes('-')) note(page.elements, element)
  for (const name of attributes.names) {
    if (name === 'id') note(page.ids, attributes.get(name) ?? '')
    else if (name === 'class') noteClasses(page, attributes.get(name) ?? '')
    else if (name === 'data-cfemail') noteCloaked(page.cloakedEmails, attributes.get(name) ?? '')
    else if (foreign.test(name)) note(page.attributes, name)
  }
}

/** The cost of a list entry in addition to its text. */
export const ENTRY = 16

function note(marks: Marks, text: string): void {
  if (marks.left <= 0 || text === '' || marks.texts.has(text)) return
  const kept = clean(text, bounds.name)
  if (marks.texts.has(kept)) return
  marks.texts.add(kept)
  marks.left -= kept.length + ENTRY
}

/** Pages repeat the same few lists of classes: each is split once. */
function noteClasses({ classLists, classes }: Collected, value: string): void {
  if (classes.left <= 0 || classLists.size >= bounds.classLists || classLists.has(value)) return
  classLists.add(value)
  for (const one of value.slice(0, bounds.classList).split(/\s+/)) note(classes, one)
}

/** Hexadecimal: a key octet, then an address of at most 254 octets. */
function noteCloaked(emails: Set<string>, value: string): void {
  if (emails.size < bounds.contacts && /^[0-9a-f]{4,510}$/i.test(value)) emails.add(value.toLowerCase())
}
