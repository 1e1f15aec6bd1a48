// Turns the octets of a page into its document. They are decoded and parsed as they are written, and are not kept.

import { createHash } from 'node:crypto'
import { truncate } from '../../base/printable.ts'
import { isXml } from '../../network/media_type.ts'
import { createPageDecoder } from './charset.ts'
import { bounds, type CollectedPage, ENTRY, noteMarkup, nothingCollected, type Pieces } from './collected.ts'
import { createDrawn, type DrawnBuilder } from './drawn.ts'
import { giveStrays, readers } from './elements.ts'
import type { Document, WrittenByScripts } from './facts.ts'
import { LookBuilder } from './look.ts'
import { documentOf as documentInUrl } from './script/writes.ts'
import { type Attributes, DOCUMENT_KEPT, type TagHandler, TagStream } from './tag_stream.ts'
import { append, clean, countWords, fold, gap, textOf } from './text.ts'
import { WrittenReader } from './written.ts'

export type PageParser = ReturnType<typeof createPageParser>

/** `afterScripts`: scripts of the page have run, so that what they write is in the markup. */
export function createPageParser(url: string, contentType: string | null, afterScripts = false) {
  const decoder = createPageDecoder(contentType)
  const builder = new DocumentBuilder(url, afterScripts)
  const tags = new TagStream(builder, isXml(contentType))
  let octetsSeen = 0
  return {
    write(octets: Buffer) {
      octetsSeen += octets.length
      tags.write(decoder.write(octets))
    },
    /** `isTruncated`: the page has more octets than were written. */
    end(isTruncated: boolean) {
      tags.write(decoder.end(isTruncated))
      tags.end()
      return builder.build({ is_html: octetsSeen > 0, charset: decoder.charset(), truncated: isTruncated })
    },
  }
}

/** Elements without visible text. The tokenizer ends each only at its own end tag. */
const RAW_TEXT_TAGS: ReadonlySet<string> = new Set(['script', 'style', 'iframe', 'noembed', 'noframes', 'textarea'])
/** Documents in `srcdoc` attributes that are read within each other. */
const MAX_NESTING = 2
/** Documents in `srcdoc` attributes that are read of one page: each needs a tokenizer. */
const FRAMES = 64

/** Browsers show the content of such a template in place (HTML, "declarative shadow roots"). */
const isShadowRoot = (attributes: Attributes): boolean =>
  /^(?:open|closed)$/i.test(attributes.get('shadowrootmode') ?? '')

/** Elements that have no meaning in SVG and MathML. */
const HTML_ONLY_TAGS: ReadonlySet<string> = new Set(['base', 'form'])
/** Inline elements: their tags do not separate words. */
const PHRASING_TAGS: ReadonlySet<string> = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'big',
  'cite',
  'code',
  'data',
  'del',
  'dfn',
  'em',
  'font',
  'i',
  'ins',
  'kbd',
  'label',
  'mark',
  'nobr',
  'q',
  's',
  'samp',
  'small',
  'span',
  'strike',
  'strong',
  'sub',
  'sup',
  'time',
  'tt',
  'u',
  'var',
  'wbr',
])

/** Elements that may be in the head (HTML section 13.2.6.4.4). */
const HEADED_TAGS: ReadonlySet<string> = new Set([
  'html',
  'head',
  'title',
  'base',
  'basefont',
  'bgsound',
  'link',
  'meta',
  'style',
  'script',
  'noscript',
  'noframes',
  'template',
])

/** End tags that end the head; `</head>` does not: such elements behind it are put back (HTML sections 13.2.6.4.4 and 13.2.6.4.6). */
const HEAD_ENDING_TAGS: ReadonlySet<string> = new Set(['body', 'html', 'br'])
/** Text that the head cannot hold. */
const VISIBLE_TEXT = /[^\t\n\f\r ]/

/** Where elements name the document that they embed. */
const EMBEDDING_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['iframe', 'src'],
  ['frame', 'src'],
  ['embed', 'src'],
  ['object', 'data'],
])

/** The document that an element embeds by itself, or null. */
function framedIn(name: string, attributes: Attributes): string | null {
  const source = EMBEDDING_ATTRIBUTES.get(name)
  if (source === undefined) return null
  if (name === 'iframe' && attributes.has('srcdoc')) return attributes.get('srcdoc') ?? null
  const url = attributes.get(source)
  return url === undefined ? null : documentInUrl(url)
}

/** Such a frame shows nothing, unless a script gives it a document. Those that are loaded later name theirs in another attribute. */
const namesNothing = ({ names }: Attributes): boolean => !names.some(one => one === 'src' || one.startsWith('data-'))

/** Its end was not kept. */
const isCut = (attributes: Attributes): boolean =>
  ['srcdoc', 'src', 'data'].some(one => (attributes.get(one)?.length ?? 0) >= DOCUMENT_KEPT)

/** Elements whose type is a part of the structure. */
const TYPED_TAGS: ReadonlySet<string> = new Set(['input', 'button', 'select', 'textarea'])
/** Characters that are hashed at once. */
const STRUCTURE_CHUNK = 4_096
const TYPE_LENGTH = 32

/** Hashes the start tags. */
function createStructure() {
  const hash = createHash('sha256')
  let tags = ''
  return {
    open(name: string, attributes: Attributes) {
      const type = TYPED_TAGS.has(name) ? ` ${(attributes.get('type') ?? '').slice(0, TYPE_LENGTH).toLowerCase()}` : ''
      tags += `${name}${type}\n`
      if (tags.length < STRUCTURE_CHUNK) return
      hash.update(tags)
      tags = ''
    },
    digest: () => hash.update(tags).digest('hex'),
  }
}

const NOTHING_WRITTEN: WrittenByScripts = { read: [], unread: [], destinations: [], leaves: [] }

/** `url` is the page's URL, against which links are resolved. */
class DocumentBuilder implements TagHandler {
  readonly #afterScripts: boolean
  readonly #page: CollectedPage
  readonly #writtenReader = new WrittenReader()
  readonly #look = new LookBuilder()
  readonly #drawn: DrawnBuilder
  /** Open templates: their content is not part of the page. */
  #templates = 0
  /** The open element without visible text. A foreign one ends with the foreign content at the latest. */
  #raw: { readonly name: string; readonly foreign: boolean } | null = null
  /** The first title is the page's. The text of other titles is not shown either. */
  #inTitle: 'first' | 'other' | null = null
  #titled = false
  /** Closes the open `noscript` and everything that was opened in it. */
  #leaveNoscript: (() => void) | null = null
  #nested = 0
  #frames = 0
  readonly #structure = createStructure()
  /** What is read besides the markup of the page: characters and controls that it draws, and its first doctype. */
  readonly #inner = { drawn: 0, doctype: null as string | null }

  constructor(url: string, afterScripts: boolean) {
    this.#afterScripts = afterScripts
    this.#page = nothingCollected(url)
    this.#drawn = createDrawn(this.#page)
  }

  #markNoscript() {
    const savedState = { templates: this.#templates, raw: this.#raw, into: { ...this.#page.into } }
    this.#page.unscripted = true
    return () => {
      this.#page.unscripted = false
      this.#templates = savedState.templates
      this.#raw = savedState.raw
      this.#inTitle = null
      Object.assign(this.#page.into, savedState.into)
    }
  }

  #drawnUntilNow() {
    return this.#page.visible.text.length + this.#drawn.controls()
  }

  #readInner(read: () => void) {
    const before = this.#drawnUntilNow()
    read()
    this.#inner.drawn += this.#drawnUntilNow() - before
  }

  /** A frame shows the document in its `srcdoc` attribute, or in a data URL, as a part of the page. */
  #readFrame(markup: string, attributes: Attributes) {
    if (this.#frames >= FRAMES || this.#nested >= MAX_NESTING || isCut(attributes)) this.#writtenReader.cut()
    if (this.#frames >= FRAMES || this.#nested >= MAX_NESTING) return
    this.#frames += 1
    this.#readMarkup(markup)
  }

  #readMarkup(markup: string) {
    return this.#nested === 0 ? this.#readInner(() => this.#parse(markup)) : this.#parse(markup)
  }

  #parse(markup: string) {
    this.#nested += 1
    const frame = { raw: this.#raw, inTitle: this.#inTitle, into: { ...this.#page.into } }
    this.#raw = null
    Object.assign(this.#page.into, { anchor: null, heading: null, script: null, form: null })
    const stream = new TagStream(this)
    stream.write(markup)
    stream.end()
    this.#templates = 0
    ;({ raw: this.#raw, inTitle: this.#inTitle } = frame)
    Object.assign(this.#page.into, frame.into)
    this.#nested -= 1
  }

  open(name: string, attributes: Attributes, foreign: boolean): void {
    if (this.#nested === 0) this.#structure.open(name, attributes)
    if (this.#templates > 0) this.#writtenReader.template.open(name, attributes, foreign)
    else if (!this.#page.unscripted) this.#writtenReader.open(name, attributes, foreign)
    if (!PHRASING_TAGS.has(name)) {
      gap(this.#page.visible)
      this.#look.gap()
    }
    if (this.#raw?.foreign && !foreign) this.#raw = null
    if (name === 'noscript' && !foreign) this.#leaveNoscript ??= this.#markNoscript()
    if (name === 'template' && !foreign && (this.#templates > 0 || !isShadowRoot(attributes))) this.#templates += 1
    if (RAW_TEXT_TAGS.has(name) || (name === 'title' && foreign)) this.#raw = { name, foreign }
    if (name === 'title' && !foreign) {
      this.#inTitle = this.#titled || this.#templates > 0 || this.#page.unscripted ? 'other' : 'first'
      this.#titled ||= this.#inTitle === 'first'
      if (this.#templates === 0 && !this.#page.unscripted) this.#page.titles += 1
    }
    if (this.#templates > 0) return
    // With scripts, the content of noscript is text.
    this.#page.inBody ||= !this.#page.unscripted && !HEADED_TAGS.has(name)
    noteMarkup(this.#page, name, attributes)
    const frameMarkup = foreign ? null : framedIn(name, attributes)
    if (!this.#page.unscripted) {
      this.#look.open(name, attributes, frameMarkup !== null || (name === 'iframe' && namesNothing(attributes)))
      this.#drawn.open(name, attributes, { foreign, isHidden: this.#look.isHidden(name, attributes) })
    }
    const isIdle = foreign ? HTML_ONLY_TAGS.has(name) : this.#page.unscripted && name === 'base'
    if (!isIdle) readers.get(name)?.open(this.#page, attributes)
    if (frameMarkup !== null && !this.#page.unscripted) this.#readFrame(frameMarkup, attributes)
  }

  close(name: string, foreign: boolean): void {
    if (this.#templates > (name === 'template' ? 1 : 0)) this.#writtenReader.template.close(name, foreign)
    else this.#writtenReader.close()
    if (!PHRASING_TAGS.has(name)) {
      gap(this.#page.visible)
      this.#look.gap()
    }
    if (name === this.#raw?.name || (this.#raw?.foreign && !foreign)) this.#raw = null
    if (name === 'template') this.#templates = Math.max(0, this.#templates - 1)
    if (name === 'title') this.#inTitle = null
    if (name === 'noscript') {
      this.#leaveNoscript?.()
      this.#leaveNoscript = null
    }
    if (this.#templates === 0 && !this.#page.unscripted && HEAD_ENDING_TAGS.has(name)) this.#page.inBody = true
    if (this.#templates === 0) readers.get(name)?.close?.(this.#page)
    if (this.#templates === 0 && !this.#page.unscripted) this.#look.close(name)
  }

  text(text: string): void {
    if (this.#templates > 0) this.#writtenReader.template.text(text)
    else {
      this.#writtenReader.text(text)
      if (this.#inTitle === 'first') append(this.#page.title, text)
      else if (this.#inTitle === null) this.#content(text)
    }
  }

  #content(text: string): void {
    if (this.#raw !== null) {
      if (this.#raw.name === 'style') this.#look.style(text)
      else if (this.#raw.name === 'script') keep(this.#page.into.script, text)
      return
    }
    this.#page.inBody ||= !this.#page.unscripted && VISIBLE_TEXT.test(text)
    append(this.#page.visible, text)
    if (!this.#page.unscripted) this.#look.text(text)
    if (this.#page.into.anchor) append(this.#page.into.anchor, text)
    if (this.#page.into.heading) append(this.#page.into.heading, text)
  }

  reference(code: number): void {
    this.#look.reference(code)
  }

  comment(text: string): void {
    if (this.#page.comments.left <= 0) return
    const cleanText = clean(text, bounds.comment)
    this.#page.comments.texts.push(cleanText)
    this.#page.comments.left -= cleanText.length + ENTRY
  }

  doctype(text: string): void {
    if (this.#nested > 0) this.#inner.doctype ??= clean(text, bounds.string)
    else this.#page.doctype ??= clean(text, bounds.string)
  }

  build(response: Pick<Document, 'is_html' | 'charset' | 'truncated'>): Document {
    this.#raw = null
    this.#inTitle = null
    this.#templates = 0
    this.#page.unscripted = false
    const replay = (play: (to: TagHandler) => void) => {
      this.#readInner(() => play(this))
      this.#templates = 0
    }
    const drawnSoFar = () => ({
      characters: this.#page.visible.text.length,
      controls: this.#drawn.controls(),
      fields: this.#look.fields(),
    })
    const all = this.#afterScripts
      ? NOTHING_WRITTEN
      : this.#writtenReader.finish(markup => this.#readMarkup(markup), replay, drawnSoFar)
    // A page that draws nothing but this is a shell around it.
    if (this.#inner.drawn > 0 && this.#inner.drawn === this.#drawnUntilNow()) this.#page.doctype = this.#inner.doctype
    return documentOf(
      this.#page,
      {
        look: this.#look,
        drawn: this.#drawn,
        written: all,
        structure: response.truncated ? null : this.#structure.digest(),
      },
      response,
    )
  }
}

/** Line breaks in scripts are folded too, because they are searched for words, not for lines. */
function keep(pieces: Pieces | null, text: string): void {
  const last = (pieces?.texts.length ?? 0) - 1
  if (!pieces || last < 0 || pieces.left <= 0) return
  const foldedText = fold(text)
  // As in one piece, wherever the pieces end.
  const withoutBlank = pieces.blank && foldedText.startsWith(' ') ? foldedText.slice(1) : foldedText
  if (withoutBlank === '') return
  const addition = truncate(withoutBlank, pieces.left)
  pieces.texts[last] += addition
  pieces.left = addition.length < withoutBlank.length ? 0 : pieces.left - addition.length
  pieces.blank = withoutBlank.endsWith(' ')
}

const nonEmpty = (text: string): string | null => (text === '' ? null : text)

function documentOf(
  page: CollectedPage,
  builders: {
    readonly look: LookBuilder
    readonly drawn: DrawnBuilder
    readonly written: WrittenByScripts
    readonly structure: string | null
  },
  { is_html, charset, truncated }: Pick<Document, 'is_html' | 'charset' | 'truncated'>,
): Document {
  giveStrays(page)
  const text = textOf(page.visible)
  const look = builders.look.build()
  const { url, base, lang, doctype, metas, links, scripts, iframes, images, forms } = page
  return {
    is_html,
    url,
    charset,
    title: nonEmpty(textOf(page.title)),
    titles: page.titles,
    lang,
    base,
    doctype,
    metas,
    links,
    anchors: page.anchors.map(anchor => ({ text: textOf(anchor.text), ...anchor.link })),
    scripts,
    iframes,
    images,
    forms,
    formless_inputs: page.looseInputs,
    headings: page.headings.map(heading => ({ level: heading.level, text: textOf(heading.text) })),
    text,
    word_count: countWords(text),
    inline_scripts: page.inline.texts,
    json_ld: page.jsonLd.texts,
    comments: page.comments.texts,
    cloaked_emails: [...page.cloakedEmails],
    ids: [...page.ids.texts],
    classes: [...page.classes.texts],
    attribute_names: [...page.attributes.texts],
    custom_elements: [...page.elements.texts],
    structure: builders.structure,
    look,
    written: builders.written,
    drawn: builders.drawn.build(look, builders.look.covering()),
    truncated,
  }
}
