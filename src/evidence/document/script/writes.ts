// Which calls and assignments of a script write markup into the page, run text as a script, or leave the page.
import type { Callee, Course, Follow, Host } from './interpreter.ts'
import { asText, type Disguise, disguiseOf, HOLE, joinTexts, text, UNKNOWN, type Value } from './value.ts'

/** How markup gets into the page. */
export const MEANS = [
  'document_write',
  'inner_html',
  'outer_html',
  'adjacent_html',
  'fragment',
  'srcdoc',
  'data_url',
  'blob',
  'jquery',
  'template',
] as const

export type WritingMeans = (typeof MEANS)[number]

export interface Write {
  readonly means: WritingMeans
  readonly disguise: Disguise | null
  /** Parts that are not known are left out; null if nothing is known. */
  readonly markup: string | null
  /** What is not known of it may take the place of the page. */
  readonly replaces?: boolean
}

export interface ScriptDestination {
  /** Absolute or relative. */
  readonly url: string
  /** That its timers wait before, as far as they are constant. */
  readonly seconds: number
}

/** What a script was found to do. */
export interface Findings {
  readonly writes: Write[]
  /** Where it leaves the page for without a condition, as far as it is constant. */
  readonly destinations: ScriptDestination[]
}

/** What the page holds that a script may read. */
export interface PageSources {
  /** The text or an attribute (`value`, `data-…`) of the element with this `id`; null if it is not known. */
  textOf(id: string, attribute: string | null): string | null
  /** Whether an element has this `id`: it is then also a global variable. */
  isNamed(id: string): boolean
  /** Notes that a script clones templates. */
  cloned(): void
}

const WRITING_MEMBERS: ReadonlyMap<string, WritingMeans> = new Map([
  ['innerHTML', 'inner_html'],
  ['outerHTML', 'outer_html'],
  ['srcdoc', 'srcdoc'],
])

/** Methods that take markup, and which of their arguments it is. */
const METHODS = new Map(
  Object.entries<readonly [means: WritingMeans, argument: number]>({
    insertAdjacentHTML: ['adjacent_html', 1],
    createContextualFragment: ['fragment', 0],
    parseFromString: ['fragment', 0],
    setHTMLUnsafe: ['inner_html', 0],
    html: ['jquery', 0],
  }),
)

/** Methods of jQuery whose argument may be markup, but may also be an element or text. */
const JQUERY: ReadonlySet<string> = new Set([
  'append',
  'prepend',
  'before',
  'after',
  'replaceWith',
  '$',
  'jQuery',
  'appendTo',
])

/** Functions that run text as a script. */
const RUNS: ReadonlySet<string> = new Set(['eval', 'Function', 'setTimeout', 'setInterval', 'execScript'])
/** Functions that call a function later, without a visitor's doing. */
const CALLS_LATER: ReadonlySet<string> = new Set([
  'setTimeout',
  'setInterval',
  'requestAnimationFrame',
  'requestIdleCallback',
  'queueMicrotask',
  'ready',
  '$',
  'jQuery',
  'finally',
  'each',
])
const TIMERS: ReadonlySet<string> = new Set(['setTimeout', 'setInterval'])
/** Events that come without a visitor's doing. */
const OWN_EVENTS: ReadonlySet<string> = new Set(['DOMContentLoaded', 'load', 'readystatechange', 'pageshow'])
const OWN_HANDLERS: ReadonlySet<string> = new Set(['onload', 'onreadystatechange', 'onpageshow'])

/** Characters of an id by which scripts name an element. */
const LONGEST_ID = 64
/** What holds the whole page. */
const WHOLE = /^document(?:\.(?:body|documentElement))?$/
const WHOLE_PAGE: Value = { kind: 'host', path: 'document.body' }
/** Of the object that a method is called on. */
const pathOf = (method: string | null): string => method?.slice(0, Math.max(0, method.lastIndexOf('.'))) ?? ''

const looksLikeMarkup = (text: string): boolean => /^\s{0,99}<[a-z!]/i.test(text)

const isSelf = (target: Value | undefined): boolean =>
  target?.kind === 'text' && /^_(?:self|top|parent)$/.test(target.text)

/** Types of documents that may be made of a blob or a data URL. */
const DOCUMENT = /^(?:text\/html|image\/svg\+xml|application\/xhtml\+xml|text\/xml|application\/xml)/i

/** The document in a data URL, or null. */
export function documentOf(url: string): string | null {
  const [, head] = DATA_URL.exec(url) ?? []
  return head !== undefined && DOCUMENT.test(head) ? contentOf(url) : null
}

const DATA_URL = /^\s{0,9}data:([^,]{0,200}),([\s\S]*)$/i

/** The text in a data URL (RFC 2397), or null. */
function contentOf(url: string): string | null {
  const [, head = '', body] = DATA_URL.exec(url) ?? []
  if (body === undefined) return null
  try {
    return /;base64$/i.test(head.trim())
      ? Buffer.from(decodeURIComponent(body), 'base64').toString('utf8')
      : decodeURIComponent(body)
  } catch {
    return null
  }
}

/** The script in a data URL, or null. */
export const scriptOf = (url: string): string | null =>
  /^\s{0,9}data:(?:(?:text|application)\/(?:javascript|ecmascript))?[;,]/i.test(url) ? contentOf(url) : null

/** What the scripts of a page may still be found to do. */
export interface Room {
  /** Writes and destinations: a page that is written line by line has some hundreds. */
  findings: number
  /** Characters of what is written: that of a large page. */
  characters: number
}

export const newRoom = (): Room => ({ findings: 5_000, characters: 2 * 1024 * 1024 })

/** What scripts of one page share. */
export interface SharedState {
  readonly room: Room
  readonly course: Course
  readonly sources: PageSources
}

/** `runText` follows text as a script. */
export class WritingHost implements Host {
  readonly #writes: Findings['writes']
  readonly #destinations: Findings['destinations']
  readonly #room: SharedState['room']
  readonly #course: SharedState['course']
  readonly #sources: SharedState['sources']
  readonly #runText: (script: string, disguise: Disguise | null) => void
  /** Functions that run after the page was read: what they write replaces it (HTML, "document open steps"). */
  #later = 0

  constructor(
    { writes, destinations }: Findings,
    { room, course, sources }: SharedState,
    runText: (script: string, disguise: Disguise | null) => void,
  ) {
    this.#writes = writes
    this.#destinations = destinations
    this.#room = room
    this.#course = course
    this.#sources = sources
    this.#runText = runText
  }

  #followLater(follow: Follow, callable: Value, args: readonly Value[]): void {
    this.#later += 1
    follow(callable, args)
    this.#later -= 1
  }

  #afterTimer(name: string, delay: Value | undefined, run: () => void): void {
    const before = this.#course.waited_ms
    if (TIMERS.has(name) && delay?.kind === 'number' && delay.number > 0) this.#course.waited_ms += delay.number
    try {
      run()
    } finally {
      this.#course.waited_ms = before
    }
  }

  #add(write: Write): void {
    this.#room.findings -= 1
    this.#room.characters -= write.markup?.length ?? 0
    if (!this.#isFull()) this.#writes.push(write)
  }

  #isFull() {
    return this.#room.findings < 0 || this.#room.characters < 0
  }

  #write(means: WritingMeans, value: Value, replaces = false): void {
    if (this.#isFull()) return
    const [text, disguise] = [asText(value), disguiseOf(value)]
    // Text without markup draws words only.
    if (text !== null) this.#add({ means, disguise, markup: text.replaceAll(HOLE, '') })
    if (replaces && (text === null || text.includes(HOLE))) this.#add({ means, disguise, markup: null, replaces })
    else if (text === null) this.#add({ means, disguise, markup: null })
  }

  #go(value: Value): void {
    const url = asText(value)
    if (url === null || url.includes(HOLE)) return
    const document = documentOf(url)
    const [, script] = /^\s{0,9}javascript:([\s\S]*)$/i.exec(url) ?? []
    if (document !== null) this.#add({ means: 'data_url', disguise: disguiseOf(value), markup: document })
    else if (script !== undefined) this.#runText(script, disguiseOf(value))
    else if (!this.#isFull() && this.#course.doubts === 0) {
      this.#room.findings -= 1
      this.#destinations.push({ url, seconds: this.#course.waited_ms / 1_000 })
    }
  }

  #makeBlob([parts, options]: readonly Value[]): Value {
    const type = options?.kind === 'record' ? options.members.get('type') : undefined
    const whole = parts?.kind === 'list' ? parts.items : []
    const content = joinTexts(whole, '') ?? ''
    const isDocument = DOCUMENT.test((type && asText(type)) ?? '') || (type === undefined && looksLikeMarkup(content))
    if (isDocument && whole.length > 0 && !this.#isFull()) {
      const disguise = whole.map(disguiseOf).find(one => one !== null) ?? null
      const isKnown = whole.some(one => asText(one) !== null)
      this.#add({ means: 'blob', disguise, markup: isKnown ? content.replaceAll(HOLE, '') : null })
    }
    return UNKNOWN
  }

  #callLater({ name, on }: Callee, args: readonly Value[], follow: Follow): void {
    const [first, second] = args
    const event = first?.kind === 'text' ? first.text : ''
    if ((name === 'addEventListener' || name === 'on') && OWN_EVENTS.has(event) && second)
      this.#followLater(follow, second, [UNKNOWN])
    // A promise is what it is kept with.
    else if (name === 'then' && first?.kind === 'function') this.#followLater(follow, first, [on])
    else if (CALLS_LATER.has(name) && first?.kind === 'function')
      this.#afterTimer(name, second, () => this.#followLater(follow, first, [UNKNOWN, on]))
  }

  #isElement(path: string): boolean {
    return path.length <= LONGEST_ID && this.#sources.isNamed(path)
  }

  #readSource(id: string, attribute: string | null): Value {
    const source = this.#sources.textOf(id, attribute)
    return source === null ? UNKNOWN : text(source)
  }

  #assignTo(member: string, value: Value, on: Value): void {
    const means = WRITING_MEMBERS.get(member)
    if (means !== undefined) this.#write(means, value, means !== 'srcdoc' && isWhole(on))
    else if (member === 'src' || member === 'data') {
      const document = documentOf(asText(value) ?? '')
      if (document !== null) this.#add({ means: 'data_url', disguise: disguiseOf(value), markup: document })
    } else if (member === 'location' || (member === 'href' && on.kind === 'host' && /(?:^|\.)location$/.test(on.path)))
      this.#go(value)
    // `script.text = …`: an element that is made, not one of the page.
    else if (member === 'text' && value.kind === 'text' && on.kind === 'unknown')
      this.#runText(value.text, value.disguise)
  }

  call(callee: Callee, args: readonly Value[], follow: Follow): Value | null {
    const { path, name, on, isNew } = callee
    const [first] = args
    if (path === 'document.write' || path === 'document.writeln') {
      for (const one of args) this.#write('document_write', one, this.#later > 0)
      return UNKNOWN
    }
    if (path === 'document.open') this.#later = Number.POSITIVE_INFINITY
    if (path === 'import' || path === 'Worker') {
      const script = scriptOf((first && asText(first)) ?? '')
      if (script !== null) this.#runText(script, null)
    }
    if ((name === 'replaceChildren' || name === 'replaceWith') && args.length > 0 && WHOLE.test(pathOf(path)))
      this.#add({ means: 'inner_html', disguise: null, markup: null, replaces: true })
    if (path === 'Blob' && isNew) return this.#makeBlob(args)
    if (path === 'TextDecoder' && isNew) return { kind: 'host', path: 'TextDecoder' }
    if (path === 'document.getElementById') return elementNamed((first && asText(first)) ?? '', false)
    if (name === 'querySelector') {
      const selector = (first && asText(first)) ?? ''
      return /^(?:html|body)$/i.test(selector) ? WHOLE_PAGE : elementNamed(selector, true)
    }
    if (name === 'getAttribute' && on.kind === 'element') return this.#readSource(on.id, (first && asText(first)) ?? '')
    if (name === 'cloneNode' || name === 'importNode') this.#sources.cloned()
    if (/^(?:document\.)?location\.(?:replace|assign)$/.test(path ?? '') || (path === 'open' && isSelf(args[1]))) {
      if (first) this.#go(first)
      return UNKNOWN
    }
    if (RUNS.has(path ?? '')) {
      const code = path === 'Function' ? args.at(-1) : first
      if (code?.kind === 'text') this.#afterTimer(name, args[1], () => this.#runText(code.text, code.disguise))
      else if (code?.kind === 'unknown' && code.disguise !== null) {
        this.#add({ means: 'document_write', disguise: code.disguise, markup: null, replaces: true })
      }
    }
    if (name === 'setAttribute' && args.length > 1)
      this.#assignTo((first && asText(first)) ?? '', args[1] ?? UNKNOWN, on)
    const [means, argument] = METHODS.get(name) ?? []
    const markup = argument === undefined ? undefined : args[argument]
    if (means !== undefined && markup !== undefined && markup.kind !== 'function') this.#write(means, markup)
    else if (JQUERY.has(name) && first?.kind === 'text' && looksLikeMarkup(first.text)) this.#write('jquery', first)
    this.#callLater(callee, args, follow)
    return null
  }

  assign(member: string, value: Value, on: Value, follow: Follow): void {
    if (OWN_HANDLERS.has(member)) this.#followLater(follow, value, [UNKNOWN])
    else this.#assignTo(member, value, on)
  }

  read(on: Value, member: string): Value | null {
    const element = on.kind === 'element' ? on.id : on.kind === 'host' && this.#isElement(on.path) ? on.path : null
    if (element !== null) {
      if (member === 'content') this.#sources.cloned()
      if (/^(?:textContent|innerText|text|innerHTML)$/.test(member)) return this.#readSource(element, null)
      if (member === 'value') {
        const value = this.#readSource(element, 'value')
        // The value of a text area is its text.
        return value === UNKNOWN ? this.#readSource(element, null) : value
      }
      if (member === 'dataset') return { kind: 'host', path: `#dataset.${element}` }
    }
    const [, id] = /^#dataset\.(.+)$/.exec(on.kind === 'host' ? on.path : '') ?? []
    if (id !== undefined)
      return this.#readSource(id, `data-${member.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)
    return null
  }
}

/** The content of the page as a whole. */
const isWhole = (on: Value): boolean => on.kind === 'host' && WHOLE.test(on.path)

const elementNamed = (selector: string, isSelector: boolean): Value | null => {
  const [, id] = (isSelector ? /^#([\w-]{1,64})$/ : /^([\w-]{1,64})$/).exec(selector) ?? []
  return id === undefined ? null : { kind: 'element', id }
}
