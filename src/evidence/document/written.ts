// What scripts write into the page: collects the scripts, the elements that they may read and the templates that they may clone while
// the page arrives, and at its end parses what they write as a part of the page.
import { runs, runsByItself, sourceOf } from './drawn.ts'
import type { Leave, Unread, WrittenByScripts } from './facts.ts'
import { leavesOf, mayLeave } from './leaving_script.ts'
import { createScriptReader, HOLDS, mayWrite, type UnreadScript, unreadScript } from './script/script_reader.ts'
import { scriptOf, type Write } from './script/writes.ts'
import { type Attributes, isHandler, type TagHandler } from './tag_stream.ts'
import { fold } from './text.ts'

/** Characters of all scripts, of all texts that scripts may read, and of all templates of a page. */
const SCRIPTS = 512 * 1024
const SOURCES = 256 * 1024
const TEMPLATES = 1024 * 1024
/** Scripts of a page, scripts in what they write included. */
const MOST_SCRIPTS = 500
/** Shorter texts and attributes hold no page. */
const SHORTEST_SOURCE = 32
/** Ids of elements, which scripts may use as names. */
const MOST_NAMES = 2_000
const LONGEST_NAME = 64
/** Pieces of markup that are parsed, their characters, and entries in each list of the result. */
const MOST_WRITES = 64
const MARKUP = 512 * 1024
const MOST_LISTED = 16
const URL_CHARACTERS = 2_048

interface Script {
  readonly text: string
  /** A `javascript:` URL, whose value is a document. */
  readonly isUrl: boolean
  /** The value of an attribute such as `onload`. */
  readonly isHandler: boolean
}

/** What was drawn of the page until now. */
export interface DrawnSoFar {
  readonly characters: number
  readonly controls: number
  readonly fields: number
}

/** What was drawn between two moments. */
const drawnBetween = (before: DrawnSoFar, after: DrawnSoFar) => ({
  characters: after.characters - before.characters,
  controls: after.controls - before.controls,
  fields: [before.fields, after.fields] as const,
})

export class WrittenReader {
  readonly #scripts: Script[] = []
  #scriptCharacters = 0
  readonly #sources = new Map<string, string>()
  #sourceCharacters = 0
  readonly #templates = recordTags()
  /** The open script or the text after the tag of an element with an `id`. */
  #reading: { readonly id: string | null; readonly isScript: boolean; text: string } | null = null
  /** A script that may write was left out: one that holds what may be a page, if any. */
  #leftOut: UnreadScript | null = null
  #isFrameCut = false
  readonly #names = new Set<string>()
  /** The same for what is in a template, which is drawn only if a script clones it. */
  readonly template = this.#templates.handler

  #addScript(text: string, { isUrl = false, isHandler = false } = {}): void {
    if (text === '') return
    if (this.#scripts.length >= MOST_SCRIPTS || this.#scriptCharacters + text.length > SCRIPTS) {
      if (this.#leftOut?.isHeld !== true && mayWrite(text)) this.#leftOut = unreadScript(text)
      return
    }
    this.#scriptCharacters += text.length
    this.#scripts.push({ text, isUrl, isHandler })
  }

  #addSource(key: string, text: string): void {
    if (text.length < SHORTEST_SOURCE || this.#sources.has(key) || this.#sourceCharacters + text.length > SOURCES)
      return
    this.#sourceCharacters += text.length
    this.#sources.set(key, text)
  }

  #addAttributes(id: string, attributes: Attributes): void {
    for (const name of attributes.names) {
      if (name === 'value' || name.startsWith('data-')) this.#addSource(keyOf(id, name), attributes.get(name) ?? '')
    }
  }

  close(): void {
    if (this.#reading === null) return
    const { id, isScript, text } = this.#reading
    this.#reading = null
    if (isScript) this.#addScript(text)
    else if (id !== null) this.#addSource(keyOf(id, null), text)
  }

  #readScripts(
    parse: (markup: string) => void,
    drawnSoFar: () => DrawnSoFar,
  ): WrittenByScripts & { readonly isCloned: boolean } {
    let isCloned = false
    const textOf = (id: string, attribute: string | null) => this.#sources.get(keyOf(id, attribute)) ?? null
    const onClone = () => {
      isCloned = true
    }
    const reader = createScriptReader({ textOf, cloned: onClone, isNamed: id => this.#names.has(id) })
    const readings: WrittenByScripts['read'][number][] = []
    const unreadWrites: Unread[] = []
    const destinations: string[] = []
    const waits: number[] = []
    let markupCharacters = 0
    let writes = 0
    let isFull = false
    /** Computed once, and only for pages that may not have been read. */
    let holdsPage: boolean | null = null
    const isHeld = () => {
      holdsPage ??=
        this.#scripts.some(({ text }) => HOLDS.test(text)) ||
        [...this.#sources.values()].some(text => ENCODED_SOURCE.test(text))
      return holdsPage
    }
    const addUnread = (one: Unread) => {
      if (unreadWrites.length < MOST_LISTED) unreadWrites.push(one)
    }
    const add = ({ means, disguise, markup, replaces = false }: Write): void => {
      if (markup === null) {
        if (disguise !== null || replaces)
          addUnread({ means, disguise, replaces, isHeld: disguise !== null && isHeld() })
        return
      }
      writes += 1
      markupCharacters += markup.length
      if (writes > MOST_WRITES || markupCharacters > MARKUP) {
        if (!isFull) addUnread({ means, disguise, replaces: true, isHeld: false })
        isFull = true
        return
      }
      const before = drawnSoFar()
      parse(markup)
      if (readings.length < MOST_LISTED) readings.push({ means, disguise, ...drawnBetween(before, drawnSoFar()) })
    }
    const addScriptNotRead = (unreadScript: UnreadScript | null) => {
      if (unreadScript === null) return
      const { disguise, isCut, isHeld } = unreadScript
      addUnread({ means: null, disguise, replaces: isCut || isHeld, isHeld })
    }
    // Scripts in what is written are added to the list while it is read.
    for (let at = 0; at < this.#scripts.length; at++) {
      const { text = '', isUrl = false } = this.#scripts[at] ?? {}
      const effects = reader.read(text, null, isUrl)
      for (const write of together(effects.writes)) add(write)
      for (const { url, seconds } of effects.destinations) {
        if (destinations.length === MOST_LISTED) break
        destinations.push(url.slice(0, URL_CHARACTERS))
        waits.push(seconds)
      }
      addScriptNotRead(effects.unread)
      this.close()
    }
    addScriptNotRead(this.#leftOut)
    if (this.#isFrameCut) addUnread(CUT_FRAME)
    if (isCloned && this.#templates.isCut()) addUnread({ ...CUT_FRAME, means: 'template' })
    const waiting = waits.some(seconds => seconds > 0) && { waits }
    return { read: readings, unread: unreadWrites, destinations, ...waiting, leaves: leavesIn(this.#scripts), isCloned }
  }

  open(name: string, attributes: Attributes, foreign: boolean): void {
    this.close()
    for (const one of attributes.handlers)
      if (runsByItself(one, attributes)) this.#addScript(attributes.get(one) ?? '', { isHandler: true })
    const id = attributes.get('id') ?? null
    if (id !== null && id !== '' && id.length <= LONGEST_NAME && this.#names.size < MOST_NAMES) this.#names.add(id)
    if (id !== null) this.#addAttributes(id, attributes)
    if ((name === 'iframe' || name === 'frame') && !foreign) {
      const [, script] = /^\s{0,9}javascript:([\s\S]*)$/i.exec(attributes.get('src') ?? '') ?? []
      if (script !== undefined) this.#addScript(script, { isUrl: true })
    }
    const source = name === 'script' ? sourceOf(attributes, foreign) : undefined
    const isScript = name === 'script' && source === undefined && runs(attributes)
    if (source !== undefined && runs(attributes)) this.#addScript(scriptOf(source) ?? '')
    if (isScript || id !== null) this.#reading = { id, isScript, text: '' }
  }

  text(text: string): void {
    if (this.#reading !== null && this.#reading.text.length < SCRIPTS) this.#reading.text += text
  }

  /** Notes that a frame's document, which the page holds, was not read to its end. */
  cut(): void {
    this.#isFrameCut = true
  }

  /** Reads the scripts. `parse` adds markup to the page; `drawnSoFar` tells how much was drawn until then. */
  finish(
    parse: (markup: string) => void,
    replay: (play: (handler: TagHandler) => void) => void,
    drawnSoFar: () => DrawnSoFar,
  ): WrittenByScripts {
    this.close()
    const { isCloned, ...writtenByScripts } = this.#readScripts(parse, drawnSoFar)
    if (!isCloned || this.#templates.isEmpty()) return writtenByScripts
    const before = drawnSoFar()
    replay(this.#templates.play)
    const drawnByTemplates = drawnBetween(before, drawnSoFar())
    this.close()
    return {
      ...writtenByScripts,
      read: [...writtenByScripts.read, { means: 'template', disguise: null, ...drawnByTemplates }],
    }
  }
}

const CUT_FRAME: Unread = { means: 'srcdoc', disguise: null, replaces: false, isHeld: true }

/** A source that may be a page in another form. */
const ENCODED_SOURCE = /^[\w\s+/=.%:-]{200}/

function leavesIn(scripts: readonly Script[]): readonly Leave[] {
  const handlers = scripts.flatMap(({ text, isHandler }) => (isHandler ? [text] : []))
  const leaves: Leave[] = []
  for (const { text } of scripts) {
    if (leaves.length < MOST_LISTED && mayLeave(text)) leaves.push(...leavesOf(fold(text), handlers))
  }
  // A page leaves once.
  return leaves.slice(0, MOST_LISTED)
}

/** The parser reads what calls of `document.write` in a row give it as one text (HTML, "document write steps"). */
function together(writes: readonly Write[]): readonly Write[] {
  const joinedWrites: Write[] = []
  for (const write of writes) {
    const last = joinedWrites.at(-1)
    const continues = write.means === 'document_write' && last?.means === 'document_write'
    if (!continues || last.markup === null || write.markup === null) joinedWrites.push(write)
    else
      joinedWrites[joinedWrites.length - 1] = {
        ...last,
        disguise: last.disguise ?? write.disguise,
        markup: last.markup + write.markup,
      }
  }
  return joinedWrites
}

const keyOf = (id: string, attribute: string | null): string => `${attribute ?? ''}\0${id}`

/** Keeps tags and text, to play them again. */
function recordTags() {
  const plays: ((handler: TagHandler) => void)[] = []
  let budget = TEMPLATES
  const keep = (cost: number, play: (handler: TagHandler) => void): void => {
    budget -= cost + ENTRY
    if (budget > 0) plays.push(play)
  }
  const handler: TagHandler = {
    open(name, attributes, foreign) {
      if (budget <= 0) return
      const copy = attributes.names.length === 0 ? NO_ATTRIBUTES : copyOf(attributes)
      const cost = copy.names.reduce((sum, one) => sum + one.length + (copy.get(one)?.length ?? 0), name.length)
      keep(cost, to => to.open(name, copy, foreign))
    },
    close: (name, foreign) => keep(name.length, to => to.close(name, foreign)),
    text: text => keep(text.length, to => to.text(text)),
    comment() {},
    doctype() {},
  }
  return {
    handler,
    isEmpty: () => plays.length === 0,
    isCut: () => budget <= 0,
    play(to: TagHandler) {
      for (const one of plays) one(to)
    },
  }
}

function copyOf(attributes: Attributes): Attributes {
  const values = new Map(attributes.names.map(one => [one, attributes.get(one) ?? '']))
  const names = [...values.keys()]
  return { names, handlers: names.filter(isHandler), get: one => values.get(one), has: one => values.has(one) }
}

const NO_ATTRIBUTES: Attributes = { names: [], handlers: [], get: () => undefined, has: () => false }

/** What an entry costs besides its text. */
const ENTRY = 64
