// Reads the responses of a redirect chain into the document of the last one. Their octets are decoded and parsed as they arrive,
// a slice at a time in turns with other checks, and are not kept. A body that arrives faster is held back.
import type { Cpu } from '../../base/cpu_queue.ts'
import { withTimeout } from '../../base/timeout.ts'
import type { Navigation } from '../../network/fetch.ts'
import { type Fields, type Flow, fieldValues, type Receive } from '../../network/http.ts'
import { isMarkup, mediaType } from '../../network/media_type.ts'
import { NOT_ANALYSED, Unavailable } from '../facts.ts'
import type { Page } from '../page/facts.ts'
import { bounds } from './collected.ts'
import type { Document } from './facts.ts'
import { createPageParser, type PageParser } from './page_parser.ts'

export interface PageReader {
  readonly receive: Receive
  /**
   * Waits until the page has been parsed; at `over`, what was parsed by then is the document, and the last exchange of the
   * navigation is truncated for the reason `not_analysed`. The document is null when nothing answered. Rejects with
   * `Unavailable` when not even that could be built in time. Call it once, after the last response.
   */
  read(navigation: Navigation): Promise<SeenPage>
}

export interface SeenPage {
  readonly navigation: Page
  /** Null when nothing answered. */
  readonly document: Document | null
}

/** Octets that are parsed at once: the worst markup takes 2 ms for them. */
const SLICE_BYTES = 8 * 1024
/** Octets that wait to be parsed when the rest of the body is held back, and when it may continue. */
const HELD_BYTES = 128 * 1024
const ENOUGH_BYTES = 32 * 1024
/** Milliseconds for building the document of a page that was cut. */
const BUILD_MS = 100

/** `over`: when parsing ends, in milliseconds on the monotonic clock. */
export function createPageReader(cpu: Cpu, over: number): PageReader {
  let body: SlicedBody | null = null
  return {
    receive({ url, headers }, flow) {
      body?.drop()
      const contentType = mediaType(fieldValues(headers, 'content-type'))
      body = isMarkup(contentType) ? createSlicedBody(createPageParser(url, contentType), cpu, flow) : null
      return body?.write ?? null
    },
    async read(navigation) {
      const last = navigation.exchanges.at(-1)
      if (!last || navigation.failure !== null) {
        body?.drop()
        return { navigation, document: null }
      }
      const isRead = body === null || (await isIn(over, body.parsed()))
      body?.drop()
      const isCut = !isRead || (last.truncated === 'timeout' && body?.wasHeldBack() === true)
      const truncated = isCut ? NOT_ANALYSED : last.truncated
      const parser = body?.parser ?? createPageParser(last.url, null)
      const ending = cpu.run(() => parser.end(truncated !== null))
      const { is_html, ...document } = await withTimeout(ending, millisecondsUntil(over + BUILD_MS), notAnalysed)
      return {
        navigation: isCut
          ? { ...navigation, exchanges: navigation.exchanges.with(-1, { ...last, truncated }) }
          : navigation,
        // An object literal that starts with a spread would give each document its own hidden class.
        document: { is_html, ...document, metas: [...refreshes(last.headers), ...document.metas] },
      }
    },
  }
}

const millisecondsUntil = (until: number): number => Math.max(0, until - performance.now())

const isIn = (until: number, work: Promise<void>): Promise<boolean> =>
  withTimeout(
    work.then(() => true),
    millisecondsUntil(until),
    () => false,
  )

function notAnalysed(): never {
  throw new Unavailable(NOT_ANALYSED)
}

/** Browsers treat the `Refresh` header like the meta element (HTML). */
const refreshes = (headers: Fields): Document['metas'] =>
  fieldValues(headers, 'refresh')
    .slice(0, 1)
    .map(content => ({ name: 'refresh', content: content.slice(0, bounds.content) }))

type SlicedBody = ReturnType<typeof createSlicedBody>

function createSlicedBody(parser: PageParser, cpu: Cpu, flow: Flow) {
  const pendingChunks: Buffer[] = []
  let size = 0
  let isDropped = false
  let isPaused = false
  let wasHeldBack = false
  let parsing: Promise<void> | null = null
  let failure: { readonly error: unknown } | null = null

  /** The next octets, of one chunk. */
  function take(): Buffer {
    const first = pendingChunks.shift() ?? Buffer.alloc(0)
    if (first.length > SLICE_BYTES) pendingChunks.unshift(first.subarray(SLICE_BYTES))
    const slice = first.subarray(0, SLICE_BYTES)
    size -= slice.length
    return slice
  }

  function pause(): void {
    if (isPaused) return
    isPaused = true
    wasHeldBack = true
    flow.pause()
  }

  function resume(): void {
    if (!isPaused) return
    isPaused = false
    flow.resume()
  }

  /** Parses no more. */
  function drop(): void {
    isDropped = true
    pendingChunks.length = 0
    size = 0
    resume()
  }

  async function parse(): Promise<void> {
    try {
      while (size > 0) {
        await cpu.run(() => isDropped || parser.write(take()))
        if (size < ENOUGH_BYTES) resume()
      }
    } catch (error) {
      failure = { error }
      drop()
    } finally {
      parsing = null
    }
  }

  return {
    parser,
    write(chunk: Buffer) {
      if (isDropped) return
      pendingChunks.push(chunk)
      size += chunk.length
      if (size > HELD_BYTES) pause()
      parsing ??= parse()
    },
    /** Resolves when everything that was written has been parsed. Rejects with what the parser throws. */
    async parsed() {
      await parsing
      if (failure !== null) throw failure.error
    },
    /** The body arrived faster than it was parsed. */
    wasHeldBack: () => wasHeldBack,
    drop,
  }
}
