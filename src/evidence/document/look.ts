// Collects the visible part of a page, the data it requests, and how it is built.
import { text } from './collected.ts'
import type { Field, Look, Picture, Written } from './facts.ts'
import type { Attributes } from './tag_stream.ts'
import { append, clean, countWords, type FoldedText, foldedText, gap, textOf } from './text.ts'

const bounds = {
  fields: 128,
  labels: 64,
  buttons: 32,
  images: 100,
  targets: 300,
  actions: 16,
  frames: 16,
  onload: 16,
  handlers: 32,
  text: 96,
  url: 512,
  shown: 32 * 1024,
  style: 64 * 1024,
  selectors: 256,
}

const COUNTED_ELEMENTS: ReadonlySet<string> = new Set(
  [
    'div span p ul li table tr td nav footer header main article section aside svg br center font b label iframe',
    'video img input select option button style script noscript a form h1 h2 h3 textarea canvas marquee fieldset',
    'picture time',
  ].flatMap(line => line.split(' ')),
)

/** Elements with an optional end tag: the next of the same name closes them. */
const SELF_ENDING_TAGS: ReadonlySet<string> = new Set(['p', 'li', 'td', 'tr', 'th', 'dt', 'dd', 'option'])
const EMPTY_TAGS: ReadonlySet<string> = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])

const nothingWritten = (): Written => ({ relative: 0, rooted: 0, absolute: 0, dead: 0, other: 0 })

function note(forms: Written, address: string): void {
  const bare = address.trim()
  if (bare === '' || bare === '#' || /^javascript:/i.test(bare)) forms.dead += 1
  else if (bare.startsWith('//') || /^https?:/i.test(bare)) forms.absolute += 1
  else if (bare.startsWith('#') || /^[a-z][a-z0-9+.-]{0,20}:/i.test(bare)) forms.other += 1
  else if (bare.startsWith('/')) forms.rooted += 1
  else forms.relative += 1
}

/** Where an element that embeds a page names it. */
const embedding: Readonly<Record<string, string>> = { iframe: 'src', frame: 'src', embed: 'src', object: 'data' }
/** Pixels; a frame that is smaller is a widget or a tracker beside the content of the page. */
const SMALLEST_WINDOW = 600
const PIXELS = /^\s{0,9}(\d{1,9})(?:\.\d{0,9})?(?:px)?\s{0,9}$/i
const TINY_STYLE = /(?:^|[;\s])(?:width|height)\s{0,9}:\s{0,9}\d{1,2}(?:px)?\s{0,9}(?:;|!|$)/i

function isSmall(attributes: Attributes): boolean {
  const isShort = (length: string | undefined) => {
    const [, pixels] = PIXELS.exec(length ?? '') ?? []
    return pixels !== undefined && Number(pixels) < SMALLEST_WINDOW
  }
  const style = attributes.get('style')?.slice(0, bounds.url) ?? ''
  return isShort(attributes.get('width')) || isShort(attributes.get('height')) || TINY_STYLE.test(style)
}

/** An element around what comes next, and how many elements of its name are open. */
interface Around {
  readonly name: string
  depth: number
}

/** After an element was opened. */
function afterOpening(around: Around, name: string): Around | null {
  if (around.name !== name) return around
  if (SELF_ENDING_TAGS.has(name)) return null
  around.depth += 1
  return around
}

/** After an element was closed. */
function afterClosing(around: Around, name: string): Around | null {
  if (around.name !== name) return around
  around.depth -= 1
  return around.depth <= 0 ? null : around
}

export class LookBuilder {
  readonly #fields: Field[] = []
  readonly #labels: FoldedText[] = []
  readonly #buttons: FoldedText[] = []
  readonly #images: Picture[] = []
  readonly #anchors = nothingWritten()
  readonly #targets: string[] = []
  readonly #resources = nothingWritten()
  readonly #actions: string[] = []
  readonly #frames: string[] = []
  readonly #onload: string[] = []
  readonly #visibleText = foldedText(bounds.shown)
  readonly #elements: Record<string, number> = {}
  readonly #handlers = new Set<string>()
  readonly #selectors = new Set<string>()
  readonly #coverSelectors = new Set<string>()
  readonly #covering: string[] = []
  /** The rule of a style sheet that is being read. */
  #rule = ''
  #hiddenCharacters = 0
  #coded = 0
  #masked = false
  #label: FoldedText | null = null
  #button: FoldedText | null = null
  /** The link that is open, as written. */
  #link: string | null = null
  /** Where each form begins and ends, and which is open. */
  readonly #spans: [from: number, to: number][] = []
  #form: number | null = null
  /** The element that hides its content, and how many elements of that name are open. */
  #hidden: Around | null = null
  /** The element that covers the window. */
  #cover: Around | null = null
  readonly #read: Readonly<Record<string, (attributes: Attributes) => void>> = {
    a: attributes => {
      const href = attributes.get('href')
      this.#link = null
      if (href === undefined || this.#hidden !== null) return
      this.#link = clean(href, bounds.url)
      note(this.#anchors, href)
      if (this.#targets.length < bounds.targets) this.#targets.push(this.#link)
    },
    script: attributes => {
      const src = attributes.get('src')
      if (src !== undefined) note(this.#resources, src)
    },
    link: attributes => {
      if (/stylesheet|icon/i.test(attributes.get('rel') ?? '')) note(this.#resources, attributes.get('href') ?? '')
    },
    img: attributes => {
      const src = attributes.get('src') ?? attributes.get('data-src') ?? ''
      note(this.#resources, src.startsWith('data:') ? 'data:' : src)
      if (this.#images.length >= bounds.images) return
      const at = this.#visibleText.text.length
      this.#images.push({
        src: clean(src, bounds.url),
        alt: textAt(attributes, 'alt'),
        at,
        ...(this.#link !== null && { link: this.#link }),
      })
    },
    form: attributes => {
      if (this.#actions.length >= bounds.actions) return
      // Forms do not nest, and the first end tag closes the form (HTML section 13.2.6.4.7).
      if (this.#form === null) {
        this.#form = this.#actions.length
        this.#spans[this.#form] = [this.#visibleText.text.length, bounds.shown]
      } else this.#spans[this.#actions.length] = [this.#visibleText.text.length, this.#visibleText.text.length]
      this.#actions.push(clean(attributes.get('action') ?? '', bounds.url))
    },
    input: attributes => {
      const type = textAt(attributes, 'type').toLowerCase() || 'text'
      if (type === 'submit' || type === 'button') {
        const submit = begin(this.#buttons, bounds.buttons)
        if (submit) append(submit, textAt(attributes, 'value'))
      } else this.#field(type, attributes)
      if (/-webkit-text-security/i.test(attributes.get('style') ?? '')) this.#masked = true
    },
    select: attributes => this.#field('select', attributes),
    textarea: attributes => this.#field('textarea', attributes),
    label: () => {
      this.#label = begin(this.#labels, bounds.labels)
    },
    button: () => {
      this.#button = begin(this.#buttons, bounds.buttons)
    },
  }

  #endForm() {
    const span = this.#form === null ? undefined : this.#spans[this.#form]
    if (span !== undefined) span[1] = this.#visibleText.text.length
    this.#form = null
  }

  #field(type: string, attributes: Attributes): void {
    if (this.#fields.length >= bounds.fields) return
    const fieldName = [textAt(attributes, 'name'), textAt(attributes, 'id')].filter(one => one !== '').join(' ')
    const placeholder = [textAt(attributes, 'placeholder'), textAt(attributes, 'aria-label')].join(' ').trim()
    this.#fields.push({
      type,
      name: fieldName.toLowerCase(),
      autocomplete: textAt(attributes, 'autocomplete').toLowerCase(),
      placeholder,
      at: this.#visibleText.text.length,
      ...(this.#form !== null && { form: this.#form }),
    })
  }

  #embed(address: string | undefined, attributes: Attributes): void {
    // The document in a `srcdoc` attribute is read as part of the page, and the URL beside it is not used.
    if (address === undefined || attributes.has('srcdoc')) return
    if (this.#frames.length >= bounds.frames || isSmall(attributes)) return
    this.#frames.push(clean(address, bounds.url))
    if (this.#cover !== null || this.#isCovering('iframe', attributes)) this.#covering.push(clean(address, bounds.url))
  }

  #hide(name: string, attributes: Attributes): void {
    if (this.#hidden !== null) this.#hidden = afterOpening(this.#hidden, name)
    if (this.#cover !== null) this.#cover = afterOpening(this.#cover, name)
    if (EMPTY_TAGS.has(name) || name === 'body' || name === 'html') return
    if (this.#hidden !== null) return
    if (this.#isHiding(attributes)) this.#hidden = { name, depth: 1 }
    else if (this.#cover === null && this.#isCovering(name, attributes)) this.#cover = { name, depth: 1 }
  }

  #isCovering(name: string, attributes: Attributes): boolean {
    if (
      this.#coverSelectors.size > 0 &&
      (this.#coverSelectors.has(name) || isSelected(attributes, this.#coverSelectors))
    )
      return true
    const style = attributes.get('style')
    if (style === undefined || !PLACING.test(style)) return false
    const sizes = ['width', 'height'].map(side => `;${side}:${attributes.get(side) ?? ''}`).join('')
    return covers(style + sizes)
  }

  #isHiding(attributes: Attributes): boolean {
    const style = attributes.get('style')
    return (
      attributes.has('hidden') ||
      (style !== undefined && hidesItself(style)) ||
      (this.#selectors.size > 0 && isSelected(attributes, this.#selectors))
    )
  }

  #addToRule(piece: string): void {
    this.#rule += piece.slice(0, bounds.style - this.#rule.length)
  }

  #endRule(): void {
    if (this.#rule === '') return
    for (const selector of selectorsOf(this.#rule, hidesByRule))
      if (this.#selectors.size < bounds.selectors) this.#selectors.add(selector)
    for (const selector of selectorsOf(this.#rule, covers))
      if (this.#coverSelectors.size < bounds.selectors) this.#coverSelectors.add(selector)
    this.#masked ||= /-webkit-text-security/i.test(this.#rule)
    this.#rule = ''
  }

  /** `isOpenFrame`: a frame that shows no other document than one that the page holds, which is read as a part of the page. */
  open(name: string, attributes: Attributes, isOpenFrame: boolean): void {
    for (const one of attributes.handlers) if (this.#handlers.size < bounds.handlers) this.#handlers.add(one)
    this.#hide(name, attributes)
    if (this.#hidden === null && !isOpenFrame && COUNTED_ELEMENTS.has(name))
      this.#elements[name] = (this.#elements[name] ?? 0) + 1
    if (Object.hasOwn(this.#read, name)) this.#read[name]?.(attributes)
    if (this.#hidden === null && Object.hasOwn(embedding, name))
      this.#embed(attributes.get(embedding[name] ?? ''), attributes)
    const onload = attributes.get('onload')
    if (onload !== undefined && this.#onload.length < bounds.onload) this.#onload.push(clean(onload, bounds.url))
  }

  close(name: string): void {
    if (name === 'label') this.#label = null
    if (name === 'button') this.#button = null
    if (name === 'a') this.#link = null
    if (name === 'form') this.#endForm()
    // The end of a style sheet ends its last rule (CSS Syntax section 2.2).
    if (name === 'style') this.#endRule()
    if (this.#hidden !== null) this.#hidden = afterClosing(this.#hidden, name)
    if (this.#cover !== null) this.#cover = afterClosing(this.#cover, name)
  }

  gap(): void {
    gap(this.#visibleText)
  }

  /** Visible text, hidden or not by styles. */
  text(piece: string): void {
    if (this.#label) append(this.#label, piece)
    if (this.#button) append(this.#button, piece)
    if (this.#hidden === null) append(this.#visibleText, piece)
    else this.#hiddenCharacters += piece.length
  }

  style(piece: string): void {
    let at = 0
    for (let end = piece.indexOf('}'); end !== -1; end = piece.indexOf('}', at)) {
      this.#addToRule(piece.slice(at, end))
      this.#endRule()
      at = end + 1
    }
    this.#addToRule(piece.slice(at))
  }

  /** A numeric character reference. */
  reference(code: number): void {
    const isPlain = (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
    if (isPlain) this.#coded += 1
  }

  /** Fields until now. */
  fields(): number {
    return this.#fields.length
  }

  /** URLs, as written, of frames that cover the window. */
  covering(): readonly string[] {
    return this.#covering
  }

  /** Whether the element that was opened last, or one around it, is hidden. */
  isHidden(name: string, attributes: Attributes): boolean {
    return this.#hidden !== null || (EMPTY_TAGS.has(name) && this.#isHiding(attributes))
  }

  build(): Look {
    const visible = textOf(this.#visibleText)
    const texts = (list: readonly FoldedText[]) => list.map(textOf).filter(one => one !== '')
    return {
      fields: this.#fields,
      labels: texts(this.#labels),
      buttons: texts(this.#buttons),
      images: this.#images,
      anchors: this.#anchors,
      targets: this.#targets,
      resources: this.#resources,
      actions: this.#actions,
      spans: this.#spans,
      frames: this.#frames,
      onload: this.#onload,
      shown: visible,
      shown_words: countWords(visible),
      hidden_characters: this.#hiddenCharacters,
      coded_letters: this.#coded,
      elements: this.#elements,
      handlers: [...this.#handlers],
      masked_text: this.#masked,
    }
  }
}

const begin = (list: FoldedText[], most: number): FoldedText | null => {
  if (list.length >= most) return null
  const text = foldedText(bounds.text)
  list.push(text)
  return text
}

const textAt = (attributes: Attributes, name: string): string => text(attributes, name, bounds.text) ?? ''

const isSelected = (attributes: Attributes, selectors: ReadonlySet<string>): boolean => {
  const id = attributes.get('id')
  if (id !== undefined && selectors.has(`#${id}`)) return true
  const classes = attributes.get('class')
  return (
    classes
      ?.slice(0, 512)
      .split(/\s/, 16)
      .some(one => selectors.has(`.${one}`)) ?? false
  )
}

// Styles that hide elements, and the classes and ids that style sheets of the page apply them to.

/** Matched on declarations in lower case without white space. */
const HIDING = [
  /(?:^|;)display:none/,
  /(?:^|;)visibility:(?:hidden|collapse)/,
  /(?:^|;)opacity:0(?:\.0+)?(?:;|!|$)/,
  /(?:^|;)color:transparent/,
  /(?:^|;)text-indent:-\d{3,}/,
  /(?:^|;)(?:left|top|right|bottom|margin-left|margin-top):-\d{4,}/,
  /(?:^|;)clip:rect\([01]p?x?[, ][01]p?x?[, ][01]p?x?/,
  /(?:^|;)clip-path:inset\((?:50|100)%/,
  /(?:^|;)transform:scale\(0/,
]
/** In a style sheet, this removes the gaps between the elements of a list, which then have sizes of their own. */
const NO_SIZE = [/(?:^|;)font-size:[01](?:\.\d+)?(?:px|pt|em|rem|%)?(?:;|!|$)/, /(?:^|;)font-size:0/]
const NO_ROOM = /(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?:;|!|$)/
const HIDING_ITSELF = [...HIDING, ...NO_SIZE]
const CUT = /(?:^|;)overflow(?:-[xy])?:hidden/

/** `declarations` as in a `style` attribute or in a rule of a style sheet. */
function hides(declarations: string, hiding: readonly RegExp[]): boolean {
  if (declarations.length < 6) return false
  const bare = declarations.slice(0, 1_024).toLowerCase().replace(/\s+/g, '')
  return hiding.some(pattern => pattern.test(bare)) || (NO_ROOM.test(bare) && CUT.test(bare))
}

const hidesByRule = (declarations: string): boolean => hides(declarations, HIDING)
const hidesItself = (style: string): boolean => hides(style, HIDING_ITSELF)

const PLACING = /position\s{0,9}:\s{0,9}(?:fixed|absolute)/i
/** Videos are placed absolutely within a box of their proportions, so that this must be larger than what is around it, or above all. */
const PLACEMENTS = [/(?:^|;)position:fixed/, /(?:^|;)position:absolute/]
const ABOVE = /(?:^|;)z-index:\d{3}|:100d?v[hw]/
const TALL = /(?:^|;)(?:inset:0|(?:min-)?height:100(?:%|d?vh))/
const WIDE = /(?:^|;)(?:inset:0|(?:min-)?width:100(?:%|d?vw))/
/** Both edges of a side are those of the window. */
const EDGES = [/(?:^|;)top:0/, /(?:^|;)bottom:0/, /(?:^|;)left:0/, /(?:^|;)right:0/]

/** Whether an element with such declarations covers the window. */
function covers(declarations: string): boolean {
  if (!PLACING.test(declarations)) return false
  const bare = declarations.slice(0, 1_024).toLowerCase().replace(/\s+/g, '')
  const [isFixed, isAbsolute] = PLACEMENTS.map(placement => placement.test(bare))
  if (!isFixed && !(isAbsolute && ABOVE.test(bare))) return false
  const [top, bottom, left, right] = EDGES.map(edge => edge.test(bare))
  return (TALL.test(bare) || (top && bottom) === true) && (WIDE.test(bare) || (left && right) === true)
}

/** Selectors of a single class or id (`.x`, `#x`), and of frames, if the declarations of the rule are such. Rules inside `@media` count too. */
function selectorsOf(rule: string, are: (declarations: string) => boolean): string[] {
  const brace = rule.lastIndexOf('{')
  if (brace < 0 || !are(rule.slice(brace + 1))) return []
  const selectors = rule.slice(Math.max(0, rule.lastIndexOf('{', brace - 1) + 1), brace).replace(/\/\*.*?\*\//gs, '')
  return selectors.split(',').flatMap(one => (/^\s*(?:[.#][\w-]{1,64}|iframe)\s*$/.test(one) ? one.trim() : []))
}
