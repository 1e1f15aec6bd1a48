// What each element adds to a document when its tags go by.
import { bounds } from './bounds.ts'
import { clean, cut } from './clean.ts'
import type { Collected, Pieces } from './collected.ts'
import { foldedText } from './folded_text.ts'
import type { Attributes } from './tag_stream.ts'

interface Reader {
  open(page: Collected, attributes: Attributes): void
  close?(page: Collected): void
}

const text = (attributes: Attributes, name: string, length: number): string | null => {
  const value = attributes.get(name)
  return value === undefined ? null : clean(value, length)
}

const tokens = (value: string | undefined): string[] =>
  clean(value ?? '', bounds.string)
    .toLowerCase()
    .split(' ', bounds.tokens)
    .filter(token => token !== '')

/** Absolute when it resolves to http(s), else as written. */
function reference(page: Collected, written: string): string {
  const bare = clean(written, bounds.url)
  try {
    const { protocol, href } = new URL(bare, page.base ?? page.url)
    return protocol === 'http:' || protocol === 'https:' ? cut(href, bounds.url) : bare
  } catch {
    return bare
  }
}

const metaName = (attributes: Attributes): string | null =>
  ['name', 'property', 'http-equiv', 'itemprop'].map(key => text(attributes, key, bounds.name)).find(name => name) ??
  null

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

/** A new text, when there is room for one. */
function begin(pieces: Pieces): Pieces | null {
  if (pieces.left <= 0 || pieces.texts.length >= bounds.scripts) return null
  pieces.texts.push('')
  return pieces
}

const form: Reader = {
  open(page, attributes) {
    page.into.form = null
    if (page.forms.length >= bounds.forms) return
    page.into.form = []
    page.forms.push({
      action: text(attributes, 'action', bounds.url),
      method: (text(attributes, 'method', bounds.name) ?? 'get').toLowerCase(),
      inputs: page.into.form,
    })
  },
  close(page) {
    page.into.form = null
  },
}

export const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['a', anchor],
  ['script', script],
  ['form', form],
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
        if (href !== undefined) page.base ??= reference(page, href)
      },
    },
  ],
  [
    'meta',
    {
      open(page, attributes) {
        const name = metaName(attributes)?.toLowerCase()
        const content = text(attributes, 'content', bounds.content)
        if (name && content !== null && page.metas.length < bounds.metas) page.metas.push({ name, content })
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
      open({ images }, attributes) {
        images.total += 1
        images.without_alt += attributes.has('alt') ? 0 : 1
      },
    },
  ],
  [
    'input',
    {
      open(page, attributes) {
        const inputs = page.into.form ?? page.looseInputs
        if (inputs.length < bounds.inputs) inputs.push(text(attributes, 'type', bounds.name)?.toLowerCase() || 'text')
      },
    },
  ],
])
