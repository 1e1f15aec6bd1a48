// Turns the octets of a page into its document. They are decoded and parsed as they are written, and are not kept.

import { createHash } from 'node:crypto'
import { truncate } from '../../base/printable.ts'
import { isXml } from '../../network/media_type.ts'
import { createPageDecoder } from './charset.ts'
import { bounds, type Collected, ENTRY, noteMarkup, nothingCollected, type Pieces } from './collected.ts'
import { createDrawn, type DrawnBuilder } from './drawn.ts'
import { giveStrays, readers } from './elements.ts'
import type { Document, WrittenByScripts } from './facts.ts'
import { createLook, type LookBuilder } from './look.ts'
import { documentOf as documentInUrl } from './script/writes.ts'
import { type Attributes, createTagStream, DOCUMENT_KEPT, type TagHandler } from './tag_stream.ts'
import { append, clean, countWords, fold, gap, textOf } from './text.ts'
import { createWrittenReader } from './written.ts'

export interface PageParser {
  write(octets: Buffer): void
  /** `truncated`: the page has more octets than were written. */
  end(truncated: boolean): Document
}

/** `afterScripts`: scripts of the page have run, so that what they write is in the markup. */
export function createPageParser(url: string, contentType: string | null, afterScripts = false): PageParser {
  const decoder = createPageDecoder(contentType)
  const builder = createDocumentBuilder(url, afterScripts)
  const tags = createTagStream(builder, isXml(contentType))
  let octetsSeen = 0
  return {
    write(octets) {
      octetsSeen += octets.length
      tags.write(decoder.write(octets))
    },
    end(truncated) {
      tags.write(decoder.end(truncated))
      tags.end()
      return builder.build({ is_html: octetsSeen > 0, charset: decoder.charset(), truncated })
    },
  }
}

/** Elements without visible text. The tokenizer ends each only at its own end tag. */
const RAW_TEXT_TAGS: ReadonlySet<string> = new Set(['script', 'style', 'iframe', 'noembed', 'noframes', 'textarea'])
/** Documents in `srcdoc` attributes that are read within each other. */
const NESTED = 2
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
const SHOWN = /[^\t\n\f\r ]/

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

interface DocumentBuilder extends TagHandler {
  build(seen: Pick<Document, 'is_html' | 'charset' | 'truncated'>): Document
}

const NOTHING_WRITTEN: WrittenByScripts = { read: [], unread: [], destinations: [], leaves: [] }

/** `url` is the page's URL, against which links are resolved. */
function createDocumentBuilder(url: string, afterScripts: boolean): DocumentBuilder {
  const page = nothingCollected(url)
  const writtenReader = createWrittenReader()
  const look = createLook()
  const drawn = createDrawn(page)
  /** Open templates: their content is not part of the page. */
  let templates = 0
  /** The open element without visible text. A foreign one ends with the foreign content at the latest. */
  let raw: { readonly name: string; readonly foreign: boolean } | null = null
  /** The first title is the page's. The text of other titles is not shown either. */
  let inTitle: 'first' | 'other' | null = null
  let titled = false
  /** Closes the open `noscript` and everything that was opened in it. */
  let leaveNoscript: (() => void) | null = null
  const markNoscript = () => {
    const marked = { templates, raw, into: { ...page.into } }
    page.unscripted = true
    return () => {
      page.unscripted = false
      templates = marked.templates
      raw = marked.raw
      inTitle = null
      Object.assign(page.into, marked.into)
    }
  }

  let nested = 0
  let frames = 0
  const structure = createStructure()
  /** What is read besides the markup of the page: characters and controls that it draws, and its first doctype. */
  const inner = { drawn: 0, doctype: null as string | null }
  const drawnUntilNow = () => page.visible.text.length + drawn.controls()
  const readInner = (read: () => void) => {
    const before = drawnUntilNow()
    read()
    inner.drawn += drawnUntilNow() - before
  }
  /** A frame shows the document in its `srcdoc` attribute, or in a data URL, as a part of the page. */
  const readFrame = (markup: string, attributes: Attributes) => {
    if (frames >= FRAMES || nested >= NESTED || isCut(attributes)) writtenReader.cut()
    if (frames >= FRAMES || nested >= NESTED) return
    frames += 1
    readMarkup(markup)
  }
  const readMarkup = (markup: string) => (nested === 0 ? readInner(() => parse(markup)) : parse(markup))
  const parse = (markup: string) => {
    nested += 1
    const frame = { raw, inTitle, into: { ...page.into } }
    raw = null
    Object.assign(page.into, { anchor: null, heading: null, script: null, form: null })
    const stream = createTagStream(handler)
    stream.write(markup)
    stream.end()
    templates = 0
    ;({ raw, inTitle } = frame)
    Object.assign(page.into, frame.into)
    nested -= 1
  }

  const handler: DocumentBuilder = {
    open(name, attributes, foreign) {
      if (nested === 0) structure.open(name, attributes)
      if (templates > 0) writtenReader.template.open(name, attributes, foreign)
      else if (!page.unscripted) writtenReader.open(name, attributes, foreign)
      if (!PHRASING_TAGS.has(name)) {
        gap(page.visible)
        look.gap()
      }
      if (raw?.foreign && !foreign) raw = null
      if (name === 'noscript' && !foreign) leaveNoscript ??= markNoscript()
      if (name === 'template' && !foreign && (templates > 0 || !isShadowRoot(attributes))) templates += 1
      if (RAW_TEXT_TAGS.has(name) || (name === 'title' && foreign)) raw = { name, foreign }
      if (name === 'title' && !foreign) {
        inTitle = titled || templates > 0 || page.unscripted ? 'other' : 'first'
        titled ||= inTitle === 'first'
        if (templates === 0 && !page.unscripted) page.titles += 1
      }
      if (templates > 0) return
      // With scripts, the content of noscript is text.
      page.inBody ||= !page.unscripted && !HEADED_TAGS.has(name)
      noteMarkup(page, name, attributes)
      const framed = foreign ? null : framedIn(name, attributes)
      if (!page.unscripted) {
        look.open(name, attributes, framed !== null || (name === 'iframe' && namesNothing(attributes)))
        drawn.open(name, attributes, { foreign, isHidden: look.isHidden(name, attributes) })
      }
      const isIdle = foreign ? HTML_ONLY_TAGS.has(name) : page.unscripted && name === 'base'
      if (!isIdle) readers.get(name)?.open(page, attributes)
      if (framed !== null && !page.unscripted) readFrame(framed, attributes)
    },
    close(name, foreign) {
      if (templates > (name === 'template' ? 1 : 0)) writtenReader.template.close(name, foreign)
      else writtenReader.close(name, foreign)
      if (!PHRASING_TAGS.has(name)) {
        gap(page.visible)
        look.gap()
      }
      if (name === raw?.name || (raw?.foreign && !foreign)) raw = null
      if (name === 'template') templates = Math.max(0, templates - 1)
      if (name === 'title') inTitle = null
      if (name === 'noscript') {
        leaveNoscript?.()
        leaveNoscript = null
      }
      if (templates === 0 && !page.unscripted && HEAD_ENDING_TAGS.has(name)) page.inBody = true
      if (templates === 0) readers.get(name)?.close?.(page)
      if (templates === 0 && !page.unscripted) look.close(name)
    },
    text(text) {
      if (templates > 0) return writtenReader.template.text(text)
      writtenReader.text(text)
      if (inTitle) return inTitle === 'first' ? append(page.title, text) : undefined
      if (raw?.name === 'style') return look.style(text)
      if (raw !== null) return raw.name === 'script' ? keep(page.into.script, text) : undefined
      page.inBody ||= !page.unscripted && SHOWN.test(text)
      append(page.visible, text)
      if (!page.unscripted) look.text(text)
      if (page.into.anchor) append(page.into.anchor, text)
      if (page.into.heading) append(page.into.heading, text)
    },
    reference: look.reference,
    comment(text) {
      if (page.comments.left <= 0) return
      const cleanText = clean(text, bounds.comment)
      page.comments.texts.push(cleanText)
      page.comments.left -= cleanText.length + ENTRY
    },
    doctype(text) {
      if (nested > 0) inner.doctype ??= clean(text, bounds.string)
      else page.doctype ??= clean(text, bounds.string)
    },
    build(seen) {
      raw = null
      inTitle = null
      templates = 0
      page.unscripted = false
      const replay = (play: (to: TagHandler) => void) => {
        readInner(() => play(handler))
        templates = 0
      }
      const drawnSoFar = () => ({
        characters: page.visible.text.length,
        controls: drawn.controls(),
        fields: look.fields(),
      })
      const all = afterScripts ? NOTHING_WRITTEN : writtenReader.finish(readMarkup, replay, drawnSoFar)
      // A page that draws nothing but this is a shell around it.
      if (inner.drawn > 0 && inner.drawn === drawnUntilNow()) page.doctype = inner.doctype
      return documentOf(
        page,
        { look, drawn, written: all, structure: seen.truncated ? null : structure.digest() },
        seen,
      )
    },
  }
  return handler
}

/** Line breaks in scripts are folded too, because they are searched for words, not for lines. */
function keep(pieces: Pieces | null, text: string): void {
  const last = (pieces?.texts.length ?? 0) - 1
  if (!pieces || last < 0 || pieces.left <= 0) return
  const folded = fold(text)
  // As in one piece, wherever the pieces end.
  const added = pieces.blank && folded.startsWith(' ') ? folded.slice(1) : folded
  if (added === '') return
  const addition = truncate(added, pieces.left)
  pieces.texts[last] += addition
  pieces.left = addition.length < added.length ? 0 : pieces.left - addition.length
  pieces.blank = added.endsWith(' ')
}

const nonEmpty = (text: string): string | null => (text === '' ? null : text)

function documentOf(
  page: Collected,
  shown: {
    readonly look: LookBuilder
    readonly drawn: DrawnBuilder
    readonly written: WrittenByScripts
    readonly structure: string | null
  },
  { is_html, charset, truncated }: Pick<Document, 'is_html' | 'charset' | 'truncated'>,
): Document {
  giveStrays(page)
  const text = textOf(page.visible)
  const look = shown.look.build()
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
    structure: shown.structure,
    look,
    written: shown.written,
    drawn: shown.drawn.build(look, shown.look.covering()),
    truncated,
  }
}
