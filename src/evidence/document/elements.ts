// Adds what each element contributes to the document.
import {
  bounds,
  type CollectedForm,
  type CollectedPage,
  metaNames,
  type Pieces,
  placeIn,
  reference,
  text,
  textOfUrl,
  tokens,
} from './collected.ts'
import type { Attributes } from './tag_stream.ts'
import { append, foldedText } from './text.ts'

/** Adds an element to the collected document. */
export interface Reader {
  open(page: CollectedPage, attributes: Attributes): void
  close?(page: CollectedPage): void
}

const anchor: Reader = {
  open(page, attributes) {
    const href = attributes.get('href')
    page.into.anchor = null
    if (href === undefined) return
    const isContact = /^\s{0,9}(?:mailto|tel):/i.test(href)
    if (isContact ? page.contacts >= bounds.contacts : page.anchors.length - page.contacts >= bounds.anchors) return
    page.contacts += isContact ? 1 : 0
    const link = { href: reference(page, href), rel: tokens(attributes.get('rel')) }
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

/** A base URL with the scheme `data` or `javascript` is ignored (HTML, "set the frozen base URL"). */
function baseOf(page: CollectedPage, href: string): string {
  const isRefused = URL.canParse(href, page.url) && REFUSED_SCHEMES.has(new URL(href, page.url).protocol)
  return isRefused ? page.url : reference(page, href)
}
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(['data:', 'javascript:'])

/** Begins a new text if there is room for one. */
function begin(pieces: Pieces): Pieces | null {
  if (pieces.left <= 0 || pieces.texts.length >= bounds.scripts) return null
  pieces.texts.push('')
  pieces.blank = false
  return pieces
}

// Forms: their fields, and every URL that they may be submitted to.

/** Forms do not nest, and the first end tag closes the form (HTML section 13.2.6.4.7). */
const form: Reader = {
  open(page, attributes) {
    if (page.into.form !== null) return
    const form: CollectedForm = {
      action: textOfUrl(attributes, 'action', bounds.url),
      formactions: [],
      method: (text(attributes, 'method', bounds.name) ?? 'get').toLowerCase(),
      inputs: [],
    }
    page.into.form = form
    if (page.forms.length >= bounds.forms) return
    const id = text(attributes, 'id', bounds.string)
    if (id && !page.formsById.has(id)) page.formsById.set(id, form)
    page.forms.push(form)
  },
  close(page) {
    page.into.form = null
  },
}

const input: Reader = {
  open(page, attributes) {
    const type = typeOf(attributes) || 'text'
    note(page, attributes, type, type === 'submit' || type === 'image')
  },
}

/** The default `type` of a button is `submit` (HTML). */
const button: Reader = {
  open(page, attributes) {
    const type = typeOf(attributes)
    note(page, attributes, null, type !== 'button' && type !== 'reset')
  },
}

const typeOf = (attributes: Attributes): string => text(attributes, 'type', bounds.name)?.toLowerCase() ?? ''

function note(page: CollectedPage, attributes: Attributes, input: string | null, submits: boolean): void {
  const formaction = submits ? textOfUrl(attributes, 'formaction', bounds.url) : null
  const owner = text(attributes, 'form', bounds.string)
  if (owner === null || page.strays.length >= bounds.strays) give(page, page.into.form, input, formaction)
  else page.strays.push({ owner, input, formaction })
}

function give(page: CollectedPage, owner: CollectedForm | null, input: string | null, formaction: string | null): void {
  const inputs = owner?.inputs ?? page.looseInputs
  const isFirst = input !== null && isFirstPassword(input, inputs)
  if (input !== null && (isFirst || inputs.length < bounds.inputs)) inputs.push(input)
  if (isFirst && owner && !page.forms.includes(owner) && page.forms.length < bounds.passwordForms)
    page.forms.push(owner)
  if (formaction !== null && owner && owner.formactions.length < bounds.formactions) owner.formactions.push(formaction)
}

/** A password field is kept even if the lists of fields and forms are full. */
const isFirstPassword = (input: string, inputs: readonly string[]): boolean =>
  input === 'password' && !inputs.includes(input)

/** A `form` attribute holds the `id` of a form; if there is no such form, the field has none (HTML section 4.10.17.3). */
export function giveStrays(page: CollectedPage): void {
  for (const { owner, input, formaction } of page.strays.splice(0)) {
    give(page, page.formsById.get(owner) ?? null, input, formaction)
  }
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
        // Browsers that run scripts ignore `http-equiv` inside noscript
        if (content === null || (page.unscripted && attributes.has('http-equiv'))) return
        for (const name of metaNames(attributes)) {
          if (page.metas.length >= bounds.metas) return
          // Browsers accept a policy only in the head (HTML section 4.2.5.3)
          if (page.inBody && name === 'content-security-policy') continue
          const url = name === 'refresh' ? textOfUrl(attributes, 'content', bounds.content) : null
          page.metas.push({ name, content: url ?? content, ...placeIn(page) })
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
        const [media, lang] = ['media', 'lang'].map(name => text(attributes, name, bounds.name))
        page.links.push({
          rel: tokens(attributes.get('rel')),
          href: reference(page, href),
          hreflang: text(attributes, 'hreflang', bounds.name),
          type: text(attributes, 'type', bounds.name),
          ...(media && { media }),
          ...(lang && { lang }),
          ...placeIn(page),
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
      // Images inside noscript are mostly invisible tracking pixels
      open({ images, into, unscripted }, attributes) {
        if (unscripted) return
        // The alternative text of a logo is part of the heading
        if (into.heading) append(into.heading, ` ${text(attributes, 'alt', bounds.string) ?? ''} `)
        images.total += 1
        images.without_alt += attributes.has('alt') ? 0 : 1
      },
    },
  ],
  ['form', form],
  ['input', input],
  ['button', button],
])
