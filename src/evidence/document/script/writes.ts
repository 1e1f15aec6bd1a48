// Which calls and assignments of a script write markup into the page, run text as a script, or leave the page.
import type { Callee, Follow, Host } from './interpreter.ts'
import { asText, type Disguise, disguiseOf, HOLE, joined, text, UNKNOWN, type Value } from './value.ts'

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
}

/** What a script was found to do. */
export interface Findings {
  readonly writes: Write[]
  /** Absolute and relative URLs to which it leaves the page, as far as they are constant. */
  readonly destinations: string[]
}

/** What the page holds that a script may read. */
export interface PageSources {
  /** The text or an attribute (`value`, `data-…`) of the element with this `id`; null if it is not known. */
  textOf(id: string, attribute: string | null): string | null
  /** Notes that a script clones templates. */
  cloned(): void
}

const ASSIGNED: ReadonlyMap<string, WritingMeans> = new Map([
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
  ...[
    'setTimeout',
    'setInterval',
    'requestAnimationFrame',
    'requestIdleCallback',
    'queueMicrotask',
    'ready',
    '$',
    'jQuery',
  ],
  ...['then', 'finally', 'each'],
])
/** Events that come without a visitor's doing. */
const OWN_EVENTS: ReadonlySet<string> = new Set(['DOMContentLoaded', 'load', 'readystatechange', 'pageshow'])
const OWN_HANDLERS: ReadonlySet<string> = new Set(['onload', 'onreadystatechange', 'onpageshow'])

const looksLikeMarkup = (given: string): boolean => /^\s{0,99}<[a-z!]/i.test(given)

const isSelf = (target: Value | undefined): boolean =>
  target?.kind === 'text' && /^_(?:self|top|parent)$/.test(target.text)

/** Types of documents that may be made of a blob or a data URL. */
const DOCUMENT = /^(?:text\/html|image\/svg\+xml|application\/xhtml\+xml|text\/xml|application\/xml)/i

/** The document in a data URL, or null. */
export function documentOf(url: string): string | null {
  const [, head = '', body] = /^\s{0,9}data:([^,]{0,200}),([\s\S]*)$/i.exec(url) ?? []
  if (body === undefined || !DOCUMENT.test(head)) return null
  try {
    return /;base64$/i.test(head.trim())
      ? Buffer.from(decodeURIComponent(body), 'base64').toString('utf8')
      : decodeURIComponent(body)
  } catch {
    return null
  }
}

/** What the scripts of a page may still be found to do. */
export interface Room {
  /** Writes and destinations: a page that is written line by line has some hundreds. */
  findings: number
  /** Characters of what is written: that of a large page. */
  characters: number
}

export const newRoom = (): Room => ({ findings: 5_000, characters: 2 * 1024 * 1024 })

/** `runText` follows text as a script. */
export function createHost(
  { writes, destinations }: Findings,
  room: Room,
  sources: PageSources,
  runText: (script: string, disguise: Disguise | null) => void,
): Host {
  function add(found: Write): void {
    room.findings -= 1
    room.characters -= found.markup?.length ?? 0
    if (!isFull()) writes.push(found)
  }

  const isFull = () => room.findings < 0 || room.characters < 0

  function write(means: WritingMeans, value: Value): void {
    if (isFull()) return
    const given = asText(value)
    // Text without markup draws words only.
    add({ means, disguise: disguiseOf(value), markup: given === null ? null : given.replaceAll(HOLE, '') })
  }

  function go(value: Value): void {
    const url = asText(value)
    if (url === null || url.includes(HOLE)) return
    const document = documentOf(url)
    const [, script] = /^\s{0,9}javascript:([\s\S]*)$/i.exec(url) ?? []
    if (document !== null) add({ means: 'data_url', disguise: disguiseOf(value), markup: document })
    else if (script !== undefined) runText(script, disguiseOf(value))
    else if (!isFull()) {
      room.findings -= 1
      destinations.push(url)
    }
  }

  function makeBlob([parts, options]: readonly Value[]): Value {
    const type = options?.kind === 'record' ? options.members.get('type') : undefined
    const whole = parts?.kind === 'list' ? parts.items : []
    const given = joined(whole, '') ?? ''
    const isDocument = DOCUMENT.test((type && asText(type)) ?? '') || (type === undefined && looksLikeMarkup(given))
    if (isDocument && whole.length > 0 && !isFull()) {
      const disguise = whole.map(disguiseOf).find(one => one !== null) ?? null
      const isKnown = whole.some(one => asText(one) !== null)
      add({ means: 'blob', disguise, markup: isKnown ? given.replaceAll(HOLE, '') : null })
    }
    return UNKNOWN
  }

  function callLater({ name, on }: Callee, args: readonly Value[], follow: Follow): void {
    const [first, second] = args
    const event = first?.kind === 'text' ? first.text : ''
    if (name === 'addEventListener' && OWN_EVENTS.has(event) && second) follow(second, [UNKNOWN])
    else if (name === 'on' && OWN_EVENTS.has(event) && second) follow(second, [UNKNOWN])
    else if (CALLS_LATER.has(name) && first?.kind === 'function') follow(first, [UNKNOWN, on])
  }

  const elementNamed = (selector: string, isSelector: boolean): Value | null => {
    const [, id] = (isSelector ? /^#([\w-]{1,64})$/ : /^([\w-]{1,64})$/).exec(selector) ?? []
    return id === undefined ? null : { kind: 'element', id }
  }

  return {
    call(callee, args, follow) {
      const { path, name, on, isNew } = callee
      const [first] = args
      if (path === 'document.write' || path === 'document.writeln') {
        for (const one of args) write('document_write', one)
        return UNKNOWN
      }
      if (path === 'Blob' && isNew) return makeBlob(args)
      if (path === 'TextDecoder' && isNew) return { kind: 'host', path: 'TextDecoder' }
      if (path === 'document.getElementById') return elementNamed((first && asText(first)) ?? '', false)
      if (name === 'querySelector') return elementNamed((first && asText(first)) ?? '', true)
      if (name === 'getAttribute' && on.kind === 'element') return readSource(on.id, (first && asText(first)) ?? '')
      if (name === 'cloneNode' || name === 'importNode') sources.cloned()
      if (/^(?:document\.)?location\.(?:replace|assign)$/.test(path ?? '') || (path === 'open' && isSelf(args[1]))) {
        if (first) go(first)
        return UNKNOWN
      }
      if (RUNS.has(path ?? '')) {
        const code = path === 'Function' ? args.at(-1) : first
        if (code?.kind === 'text') runText(code.text, code.disguise)
        else if (code?.kind === 'unknown' && code.disguise !== null) {
          add({ means: 'document_write', disguise: code.disguise, markup: null })
        }
      }
      if (name === 'setAttribute' && args.length > 1) assignTo((first && asText(first)) ?? '', args[1] ?? UNKNOWN, on)
      const [means, argument] = METHODS.get(name) ?? []
      const markup = argument === undefined ? undefined : args[argument]
      if (means !== undefined && markup !== undefined && markup.kind !== 'function') write(means, markup)
      else if (JQUERY.has(name) && first?.kind === 'text' && looksLikeMarkup(first.text)) write('jquery', first)
      callLater(callee, args, follow)
      return null
    },
    assign(member, value, on, follow) {
      if (OWN_HANDLERS.has(member)) follow(value, [UNKNOWN])
      else assignTo(member, value, on)
    },
    read(on, member) {
      if (on.kind === 'element') {
        if (member === 'content') sources.cloned()
        if (/^(?:textContent|innerText|text|innerHTML)$/.test(member)) return readSource(on.id, null)
        if (member === 'value') {
          const value = readSource(on.id, 'value')
          // The value of a text area is its text.
          return value === UNKNOWN ? readSource(on.id, null) : value
        }
        if (member === 'dataset') return { kind: 'host', path: `#dataset.${on.id}` }
      }
      const [, id] = /^#dataset\.(.+)$/.exec(on.kind === 'host' ? on.path : '') ?? []
      if (id !== undefined)
        return readSource(id, `data-${member.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)
      return null
    },
  }

  function readSource(id: string, attribute: string | null): Value {
    const given = sources.textOf(id, attribute)
    return given === null ? UNKNOWN : text(given)
  }

  function assignTo(member: string, value: Value, on: Value): void {
    const means = ASSIGNED.get(member)
    if (means !== undefined) write(means, value)
    else if (member === 'src' || member === 'data') {
      const document = documentOf(asText(value) ?? '')
      if (document !== null) add({ means: 'data_url', disguise: disguiseOf(value), markup: document })
    } else if (member === 'location' || (member === 'href' && on.kind === 'host' && /(?:^|\.)location$/.test(on.path)))
      go(value)
    // `script.text = …`: an element that is made, not one of the page.
    else if (member === 'text' && value.kind === 'text' && on.kind === 'unknown') runText(value.text, value.disguise)
  }
}
