// The data collected from a page while it streams in, its limits, and how attribute values are read.

import { truncate } from '../../base/printable.ts'
import type { Document, Form, Link, Placed } from './facts.ts'
import type { Attributes } from './tag_stream.ts'
import { clean, type FoldedText, foldedText } from './text.ts'

/** Far more than honest pages have, and few enough to keep and search. */
export const bounds = {
  /** Entries of each list. */
  metas: 200,
  links: 300,
  anchors: 1_000,
  /** `mailto:` and `tel:` links are kept beyond the other anchors: contact data is read from them. */
  contacts: 200,
  scripts: 200,
  iframes: 50,
  forms: 50,
  /** Including forms beyond the first ones that ask for a password. */
  passwordForms: 60,
  inputs: 64,
  formactions: 16,
  /** Fields with a `form` attribute. */
  strays: 256,
  headings: 200,
  classLists: 20_000,
  name: 64,
  tokens: 16,
  /** UTF-16 code units. */
  string: 512,
  url: 2_048,
  content: 4_096,
  comment: 256,
  classList: 4_096,
  /**
   * For each list of distinct ids, classes, attribute names, element names and comments, plus 16 per entry. Among 2,185
   * real pages, the most classes take 83 Ki and the most comments 53 Ki; one page in a hundred needs more than 12 Ki.
   * Plugins match their patterns on these lists after the page is parsed.
   */
  marks: 128 * 1024,
  visible: 200 * 1024,
  /** All inline scripts together: the amount that is searched for obfuscation. */
  inline: 256 * 1024,
  /** All JSON-LD blocks together: twice the maximum of 2,185 real pages. */
  jsonLd: 64 * 1024,
} as const

type List<Name extends keyof Document> = Document[Name] extends readonly (infer Item)[] ? Item[] : never

/** A form to which fields are still added. */
export interface CollectedForm extends Form {
  readonly formactions: string[]
  readonly inputs: string[]
}

/** Scripts or comments, and the characters that may still be kept. */
export interface Pieces {
  readonly texts: string[]
  left: number
  /** The last text ends with a blank. */
  blank: boolean
}

/** Distinct texts. */
export interface Marks {
  readonly texts: Set<string>
  /** Characters left. */
  left: number
}

const noMarks = (): Marks => ({ texts: new Set(), left: bounds.marks })

export interface CollectedPage {
  readonly url: string
  base: string | null
  lang: string | null
  doctype: string | null
  /** URLs as written and resolved, under the current base. */
  readonly references: Map<string, string>
  readonly metas: List<'metas'>
  readonly links: List<'links'>
  readonly anchors: { readonly link: Omit<Link, 'text'>; readonly text: FoldedText }[]
  contacts: number
  readonly scripts: List<'scripts'>
  readonly inline: Pieces
  readonly jsonLd: Pieces
  readonly iframes: string[]
  readonly images: { total: number; without_alt: number }
  /** The head has ended: by text, by an element that cannot be in it, or by the end of the document (HTML section 13.2.6.4.4). */
  inBody: boolean
  /** Inside a noscript element, which browsers that run scripts do not show. */
  unscripted: boolean
  readonly forms: CollectedForm[]
  /** The first form of each `id`. */
  readonly formsById: Map<string, CollectedForm>
  /** Fields with a `form` attribute. They are assigned when all forms are known. */
  readonly strays: { readonly owner: string; readonly input: string | null; readonly formaction: string | null }[]
  readonly looseInputs: string[]
  readonly headings: { readonly level: number; readonly text: FoldedText }[]
  readonly comments: Pieces
  readonly cloakedEmails: Set<string>
  readonly ids: Marks
  readonly classes: Marks
  /** `class` attributes seen, as written. */
  readonly classLists: Set<string>
  readonly attributes: Marks
  readonly elements: Marks
  readonly visible: FoldedText
  readonly title: FoldedText
  titles: number
  /** Where the current text is added, in addition to the visible text. */
  readonly into: {
    anchor: FoldedText | null
    heading: FoldedText | null
    script: Pieces | null
    form: CollectedForm | null
  }
}

export const nothingCollected = (url: string): CollectedPage => ({
  url,
  base: null,
  lang: null,
  doctype: null,
  references: new Map(),
  metas: [],
  links: [],
  anchors: [],
  contacts: 0,
  scripts: [],
  inline: { texts: [], left: bounds.inline, blank: false },
  jsonLd: { texts: [], left: bounds.jsonLd, blank: false },
  iframes: [],
  images: { total: 0, without_alt: 0 },
  inBody: false,
  unscripted: false,
  forms: [],
  formsById: new Map(),
  strays: [],
  looseInputs: [],
  headings: [],
  comments: { texts: [], left: bounds.marks, blank: false },
  cloakedEmails: new Set(),
  ids: noMarks(),
  classes: noMarks(),
  classLists: new Set(),
  attributes: noMarks(),
  elements: noMarks(),
  visible: foldedText(bounds.visible),
  title: foldedText(bounds.string),
  titles: 0,
  into: { anchor: null, heading: null, script: null, form: null },
})

/** Where an element stands that is opened now. */
export const placeIn = ({ inBody, unscripted }: CollectedPage): Placed =>
  unscripted ? { at: 'noscript' } : inBody ? { at: 'body' } : {}

// Attributes.

export const text = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(value, length)
}

/** Tabs and line breaks are removed from URLs wherever they are (URL section 4.4). */
const withoutBreaks = (text: string): string => text.replace(/[\t\n\r]/g, '')

/** Like `text`, for a value that is or contains a URL. */
export const textOfUrl = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(withoutBreaks(value), length)
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
export function reference(page: CollectedPage, address: string): string {
  const knownReference = page.references.get(address)
  if (knownReference !== undefined) return knownReference
  const resolvedUrl = resolve(address, page.base ?? page.url)
  if (page.references.size < bounds.anchors && address.length <= bounds.string)
    page.references.set(address, resolvedUrl)
  return resolvedUrl
}

function resolve(address: string, base: string): string {
  const bare = clean(withoutBreaks(address), bounds.url)
  try {
    const { protocol, href } = new URL(bare, base)
    return protocol === 'http:' || protocol === 'https:' ? truncate(href, bounds.url) : bare
  } catch {
    return bare
  }
}

/** Browsers honour these only in `http-equiv`, not as a name (HTML section 4.2.5.3). */
const PRAGMAS: ReadonlySet<string> = new Set(['content-security-policy', 'refresh'])

/** The names of a meta element in lower case. Browsers obey `http-equiv` whether or not there is a name, so both count. */
export function metaNames(attributes: Attributes): string[] {
  const nameIn = (key: string) => text(attributes, key, bounds.name)?.toLowerCase() || []
  const names = ['name', 'property', 'itemprop'].flatMap(nameIn).filter(name => !PRAGMAS.has(name))
  return [nameIn('http-equiv'), names.slice(0, 1)].flat()
}

/** Standard HTML attributes identify no framework; names of other attributes contain one of these characters. */
const FOREIGN_NAME = /[-:@_]/

export function noteMarkup(page: CollectedPage, element: string, attributes: Attributes): void {
  if (element.includes('-')) note(page.elements, element)
  for (const name of attributes.names) {
    if (name === 'id') note(page.ids, attributes.get(name) ?? '')
    else if (name === 'class') noteClasses(page, attributes.get(name) ?? '')
    else if (name === 'data-cfemail') noteCloaked(page.cloakedEmails, attributes.get(name) ?? '')
    else if (FOREIGN_NAME.test(name)) note(page.attributes, name)
  }
}

/** The cost of a list entry in addition to its text. */
export const ENTRY = 16

function note(marks: Marks, text: string): void {
  if (marks.left <= 0 || text === '' || marks.texts.has(text)) return
  const cleanText = clean(text, bounds.name)
  if (marks.texts.has(cleanText)) return
  marks.texts.add(cleanText)
  marks.left -= cleanText.length + ENTRY
}

/** Pages repeat the same few lists of classes: each is split once. */
function noteClasses({ classLists, classes }: CollectedPage, value: string): void {
  if (classes.left <= 0 || classLists.size >= bounds.classLists || classLists.has(value)) return
  classLists.add(value)
  for (const one of value.slice(0, bounds.classList).split(/\s+/)) note(classes, one)
}

/** Hexadecimal: a key octet, then an address of at most 254 octets. */
function noteCloaked(emails: Set<string>, value: string): void {
  if (emails.size < bounds.contacts && /^[0-9a-f]{4,510}$/i.test(value)) emails.add(value.toLowerCase())
}
