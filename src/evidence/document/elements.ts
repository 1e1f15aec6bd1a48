// What each element adds to a document when its tags go by.
import { metaNames, reference, text, textOfUrl, tokens } from './attributes.ts'
import { bounds } from './bounds.ts'
import type { Collected, Pieces } from './collected.ts'
import { append, foldedText } from './folded_text.ts'
import { formReaders } from './form_elements.ts'
import type { Reader } from './reader.ts'

const anchor: Reader = {
  open(page, attributes) {
    const written = attributes.get('href')
    page.into.anchor = null
    if (written === undefined) return
    const isContact = /^\s{0,9}(?:mailto|tel):/i.test(written)
    if (isContact ? page.contacts >= bounds.contacts : page.anchors.length - page.contacts >= bounds.anchors) return
    page.contacts += isContact ? 1 : 0
    const link = { href: reference(page, written), rel: tokens(attributes.get('rel')) }
    page.into.anchor = foldedText(bounds.string)
    page.anchors.push({ link, text: page.into.anchor })
  },
  close(page) {
    page.into.anchor = null
  },
}

const heading = (level: number): Reader => ({
  open(page) {
    page.into.heading = null
    if (page.headings.length >= bounds.headings) return
    page.into.heading = foldedText(bounds.string)
    page.headings.push({ level, text: page.into.heading })
  },
  close(page) {
    page.into.heading = null
  },
})

const script: Reader = {
  open(page, attributes) {
    const src = attributes.get('src')
    const type = text(attributes, 'type', bounds.name)?.toLowerCase() ?? null
    if (page.scripts.length < bounds.scripts) {
      page.scripts.push({
        src: src === undefined ? null : reference(page, src),
        type,
        integrity: attributes.has('integrity'),
      })
    }
    page.into.script = src === undefined ? begin(type === 'application/ld+json' ? page.jsonLd : page.inline) : null
  },
  close(page) {
    page.into.script = null
  },
}

/** One of data or script is as none (HTML, "set the frozen base URL"). */
function baseOf(page: Collected, href: string): string {
  const isRefused = URL.canParse(href, page.url) && refused.has(new URL(href, page.url).protocol)
  return isRefused ? page.url : reference(page, href)
}
const refused: ReadonlySet<string> = new Set(['data:', 'javascript:'])

/** A new text, when there is room for one. */
function begin(pieces: Pieces): Pieces | null {
  if (pieces.left <= 0 || pieces.texts.length >= bounds.scripts) return null
  pieces.texts.push('')
  return pieces
}

export const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['a', anchor],
  ['script', script],
  ...[1, 2, 3, 4, 5, 6].map(level => [`h${level}`, heading(level)] as const),
  [
    'html',
    {
      open(page, attributes) {
        page.lang ??= text(attributes, 'lang', bounds.name)
      },
    },
  ],
  [
    'base',
    {
      open(page, attributes) {
        const href = attributes.get('href')
        if (href === undefined || page.base !== null) return
        page.base = baseOf(page, href)
        page.references.clear()
      },
    },
  ],
  [
    'meta',
    {
      open(page, attributes) {
        const content = text(attributes, 'content', bounds.content)
        // What stands in for a header does so in no browser with scripts when it is within noscript
        if (content === null || (page.unscripted && attributes.has('http-equiv'))) return
        for (const name of metaNames(attributes)) {
          if (page.metas.length >= bounds.metas) return
          // Browsers take a policy from the head alone (HTML section 4.2.5.3)
          if (page.inBody && name === 'content-security-policy') continue
          const url = name === 'refresh' ? textOfUrl(attributes, 'content', bounds.content) : null
          page.metas.push({ name, content: url ?? content })
        }
      },
    },
  ],
  [
    'link',
    {
      open(page, attributes) {
        const href = attributes.get('href')
        if (href === undefined || page.links.length >= bounds.links) return
        page.links.push({
          rel: tokens(attributes.get('rel')),
          href: reference(page, href),
          hreflang: text(attributes, 'hreflang', bounds.name),
          type: text(attributes, 'type', bounds.name),
        })
      },
    },
  ],
  [
    'iframe',
    {
      open(page, attributes) {
        const src = attributes.get('src')
        if (src !== undefined && page.iframes.length < bounds.iframes) page.iframes.push(reference(page, src))
      },
    },
  ],
  [
    'img',
    {
      // Trackers count visitors by images there, which nobody sees
      open({ images, into, unscripted }, attributes) {
        if (unscripted) return
        // A logo in a heading says what its alternative text says
        if (into.heading) append(into.heading, ` ${text(attributes, 'alt', bounds.string) ?? ''} `)
        images.total += 1
        images.without_alt += attributes.has('alt') ? 0 : 1
      },
    },
  ],
  ...formReaders,
])
