// Turns markup into a flat stream of tags and text. There is no tree, so depth costs nothing and the time is linear.
import { QuoteType, Tokenizer } from 'htmlparser2'

/** The attributes of one tag, valid until the next tag. Names are in lower case; the first of equal names counts (HTML). */
export interface Attributes {
  readonly names: readonly string[]
  /** Those of event handlers, such as `onload`. */
  readonly handlers: readonly string[]
  get(name: string): string | undefined
  has(name: string): boolean
}

export interface TagHandler {
  /** `foreign`: an element of SVG or MathML. */
  open(name: string, attributes: Attributes, foreign: boolean): void
  /** `foreign`: the next element is still in SVG or MathML. */
  close(name: string, foreign: boolean): void
  text(text: string): void
  /** A character reference in text. Its character is passed as text too. */
  reference?(code: number): void
  comment(text: string): void
  doctype(text: string): void
}

/** Attributes per tag, and characters per name and value, that are kept: more than authored markup has. */
const MAX_ATTRIBUTES = 64
const MAX_NAME_CHARACTERS = 64
const MAX_VALUE_CHARACTERS = 8 * 1024
/** A `srcdoc` attribute holds a document, and so may the URL of what embeds one: saved pages are as long as this. */
export const DOCUMENT_KEPT = 1024 * 1024
const EMBED_TAGS: ReadonlySet<string> = new Set(['iframe', 'frame', 'object', 'embed'])
const keptOf = (tag: string, attribute: string): number =>
  attribute === 'srcdoc' || ((attribute === 'src' || attribute === 'data') && EMBED_TAGS.has(tag))
    ? DOCUMENT_KEPT
    : MAX_VALUE_CHARACTERS

/**
 * `xml`: `/>` closes any element, CDATA is text everywhere (XML sections 2.7 and 3.1), and a prefix of a name stands for its
 * namespace: `html:form` is a form.
 */
export class TagStream {
  readonly #handler: TagHandler
  readonly #xml: boolean
  readonly #source = createSource()
  #tag = ''
  readonly #attributes = createAttributes()
  #name = ''
  #value = ''
  readonly #joined = createSurrogateJoiner()
  readonly #foreign = createForeignContent()
  /** Leaves the open `noscript`: to browsers that run scripts its content is text, which only its end tag ends. */
  #leaveNoscript: (() => void) | null = null
  readonly #tokenizer: Tokenizer
  #pendingText = ''

  constructor(handler: TagHandler, xml = false) {
    this.#handler = handler
    this.#xml = xml
    const source = this.#source
    this.#tokenizer = new Tokenizer(
      { decodeEntities: true, recognizeSelfClosing: xml },
      {
        onopentagname: (start, end) => {
          this.#tag = this.#nameOf(start, end)
          this.#attributes.clear()
        },
        onattribname: (start, end) => {
          this.#name = source.slice(start, end).slice(0, MAX_NAME_CHARACTERS).toLowerCase()
          this.#value = ''
        },
        onattribdata: (start, end) => {
          const data = source.slice(start, end)
          const keptLength = keptOf(this.#tag, this.#name)
          if (this.#value.length < keptLength) this.#value += data.slice(0, keptLength - this.#value.length)
        },
        onattribentity: unit => {
          const code = this.#joined(unit)
          if (code !== null && this.#value.length < keptOf(this.#tag, this.#name)) this.#value += character(code)
        },
        onattribend: (quote: QuoteType) => {
          this.#attributes.add(this.#name, quote === QuoteType.NoValue ? '' : this.#value)
        },
        onopentagend: () => this.#opened(false),
        onselfclosingtag: () => this.#opened(true),
        onclosetag: (start, end) => this.#closed(this.#nameOf(start, end)),
        // In XML no element holds raw text.
        isInForeignContext: () => xml || this.#foreign.isForeign(),
        ontext: (start, end) => handler.text(source.slice(start, end)),
        ontextentity: unit => {
          const code = this.#joined(unit)
          if (code === null) return
          handler.reference?.(code)
          handler.text(character(code))
        },
        oncomment: (start, end, offset) => handler.comment(source.slice(start, end - offset)),
        oncdata: (start, end, offset) => handler.text(source.slice(start, end - offset)),
        ondeclaration: (start, end) => handler.doctype(source.slice(start, end)),
        onprocessinginstruction: () => {},
        onend: () => {},
      },
    )
  }

  #closed(name: string) {
    this.#foreign.close(name)
    this.#handler.close(name, this.#foreign.isForeign())
  }

  #nameOf(start: number, end: number): string {
    const name = this.#source.slice(start, end).slice(0, MAX_NAME_CHARACTERS).toLowerCase()
    return this.#xml ? name.slice(name.indexOf(':') + 1) : name
  }

  #opened(empty: boolean) {
    const isForeign = this.#foreign.open(this.#tag, this.#attributes, empty)
    if (this.#tag === 'noscript' && !isForeign && !(this.#xml && empty)) this.#leaveNoscript ??= this.#foreign.mark()
    this.#handler.open(this.#tag, this.#attributes, isForeign)
    if ((isForeign || this.#xml) && empty) this.#handler.close(this.#tag, this.#foreign.isForeign())
  }

  /** Feeds the tokenizer up to each landmark, so that the context of the landmark is known. */
  #tokenize(text: string) {
    this.#source.add(text)
    let at = 0
    for (const { 0: landmark, index } of text.matchAll(LANDMARK)) {
      this.#tokenizer.write(text.slice(at, index))
      at = index
      if (landmark === CDATA) {
        this.#tokenizer.write(this.#xml || this.#foreign.isForeign() ? CDATA : NO_CDATA)
        at += CDATA.length
      } else if (this.#leaveNoscript) {
        this.#tokenizer.end()
        this.#tokenizer.reset()
        this.#source.restart(text.slice(at))
        this.#leaveNoscript()
        this.#leaveNoscript = null
      }
    }
    this.#tokenizer.write(text.slice(at))
  }

  write(text: string): void {
    const all = this.#pendingText + text
    const last = all.lastIndexOf('<')
    this.#pendingText = last !== -1 && all.length - last < LONGEST_LANDMARK ? all.slice(last) : ''
    this.#tokenize(all.slice(0, all.length - this.#pendingText.length))
  }

  end(): void {
    this.#tokenize(this.#pendingText)
    this.#tokenizer.end()
  }
}

/** In HTML outside SVG and MathML, CDATA is a comment up to the next `>` (HTML, "markup declaration open state"). The tokenizer does not know this. */
const CDATA = '<![CDATA['
const NO_CDATA = '<!?CDATA['
const LANDMARK = /<!\[CDATA\[|<\/[Nn][Oo][Ss][Cc][Rr][Ii][Pp][Tt][\t\n\f\r />]/g
const LONGEST_LANDMARK = '</noscript>'.length

export const isHandler = (name: string): boolean => name.startsWith('on')

/** Lists that all tags share: a map per tag would be most of the memory that a page needs. */
function createAttributes() {
  const names: string[] = []
  const values: string[] = []
  const handlers: string[] = []
  return {
    names,
    handlers,
    get: (name: string): string | undefined => values[names.indexOf(name)],
    has: (name: string): boolean => names.includes(name),
    add(name: string, value: string) {
      if (names.length >= MAX_ATTRIBUTES || names.includes(name)) return
      names.push(name)
      values.push(value)
      if (isHandler(name)) handlers.push(name)
    },
    clear() {
      // Setting the length would free the memory, and the next tag would allocate it again.
      while (names.pop() !== undefined) values.pop()
      while (handlers.pop() !== undefined);
    },
  }
}

/**
 * The tokenizer sends the characters of named references beyond U+FFFF (`&Afr;`) as two surrogates: null for the first,
 * and the code point for the second.
 */
function createSurrogateJoiner(): (unit: number) => number | null {
  let high: number | null = null
  return unit => {
    const first = high
    high = unit >= 0xd800 && unit < 0xdc00 ? unit : null
    if (high !== null) return null
    const isLow = unit >= 0xdc00 && unit < 0xe000
    return first !== null && isLow ? (first - 0xd800) * 0x400 + (unit - 0xdc00) + 0x10000 : unit
  }
}

/** An invalid numeric reference is U+FFFD (HTML, numeric character reference end state). */
function character(code: number): string {
  const isNone = code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || code === 0
  return isNone ? '\ufffd' : String.fromCodePoint(code)
}

/** The text written so far, by overall index. Text before the latest slice is dropped. */
function createSource() {
  const chunks: string[] = []
  let offset = 0
  const first = () => chunks[0] ?? ''
  const drop = () => {
    offset += first().length
    chunks.shift()
  }
  return {
    add: (text: string) => void chunks.push(text),
    /** Drops everything before `text`. */
    restart(text: string) {
      offset = 0
      chunks.splice(0, chunks.length, text)
    },
    slice(start: number, end: number): string {
      while (chunks.length > 1 && start - offset >= first().length) drop()
      let text = first().slice(start - offset, end - offset)
      while (chunks.length > 1 && end - offset > first().length) {
        drop()
        text += first().slice(0, end - offset)
      }
      return text
    },
  }
}

// Foreign content: SVG and MathML within HTML (HTML, "the rules for parsing tokens in foreign content"). There, `<style>`
// holds markup, `<template>` hides nothing, and `/>` ends an element.

/** Elements that contain HTML again. */
const integration: Readonly<Record<string, ReadonlySet<string>>> = {
  svg: new Set(['foreignobject', 'desc', 'title']),
  math: new Set(['mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml']),
}

/** HTML elements that end the foreign content around them. */
const LEADING_OUT_TAGS: ReadonlySet<string> = new Set([
  'b',
  'big',
  'blockquote',
  'body',
  'br',
  'center',
  'code',
  'dd',
  'div',
  'dl',
  'dt',
  'em',
  'embed',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'head',
  'hr',
  'i',
  'img',
  'li',
  'listing',
  'menu',
  'meta',
  'nobr',
  'ol',
  'p',
  'pre',
  'ruby',
  's',
  'small',
  'span',
  'strong',
  'strike',
  'sub',
  'sup',
  'table',
  'tt',
  'u',
  'ul',
  'var',
])
const FONT_ATTRIBUTES = ['color', 'face', 'size']

/** Nested roots and HTML parts that are tracked. */
const MAX_DEPTH = 64

function createForeignContent() {
  /** Open `svg` and `math` elements, and the HTML parts in them. */
  const open: string[] = []
  const parts = () => (open.length === 0 ? undefined : integration[open.at(-1) ?? ''])
  /** The next element belongs to SVG or MathML, unless it is an HTML element that ends them. */
  const isForeign = () => parts() !== undefined
  const leave = () => {
    while (isForeign()) open.pop()
  }
  const isRoot = (name: string) => Object.hasOwn(integration, name)

  return {
    isForeign,
    /** Returns whether the element is foreign. `empty`: its tag ends in `/>`. */
    open(name: string, attributes: Attributes, empty: boolean) {
      const inside = parts()
      if (inside && leadsOut(name, attributes)) {
        leave()
        return false
      }
      const isNoted = isRoot(name) ? !inside || name === open.at(-1) : inside?.has(name) && isHtml(name, attributes)
      if (isNoted && !empty && open.length < MAX_DEPTH) open.push(name)
      return inside !== undefined || isRoot(name)
    },
    close(name: string) {
      if (isForeign() && (name === 'p' || name === 'br')) return leave()
      const at = open.lastIndexOf(name)
      if (at !== -1) open.length = at
    },
    /** Returns a function that restores the current state. */
    mark(): () => void {
      const openTags = [...open]
      return () => void open.splice(0, open.length, ...openTags)
    },
  }
}

const leadsOut = (name: string, attributes: Attributes): boolean =>
  LEADING_OUT_TAGS.has(name) || (name === 'font' && FONT_ATTRIBUTES.some(attributes.has))

/** An `annotation-xml` element contains HTML only if its `encoding` says so. */
const isHtml = (name: string, attributes: Attributes): boolean =>
  name !== 'annotation-xml' ||
  ['text/html', 'application/xhtml+xml'].includes(attributes.get('encoding')?.toLowerCase() ?? '')
