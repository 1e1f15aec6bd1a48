// The browser of this process: started for the first page that needs it, used by few visits at a time, replaced after some, and ended
// when a visit hangs or crashes it. Visits wait their turn like everything else, clients taking turns.
import { createHash } from 'node:crypto'
import { type Cache, createCache } from '../../base/cache/cache.ts'
import { caps } from '../../base/cache/caps.ts'
import { type NoteWait, Queue, type QueueFigures } from '../../base/scheduler/queue.ts'
import { RANK } from '../../base/scheduler/scheduler.ts'
import { withTimeout } from '../../base/timeout.ts'
import { type GuardedProxy, openGuardedProxy, type ProxyTraffic } from '../../network/guarded_proxy.ts'
import type { Network } from '../../network/network.ts'
import { Unavailable } from '../facts.ts'
import { type Browser, type BrowserOptions, startBrowser } from './browser.ts'
import type { Screenshot } from './facts.ts'
import { type GivenAnswers, type Picture, type Visit, visitPage } from './visit.ts'

/** When a page is rendered: if the static page shows too little and nothing else decides, for every check, or on request alone. */
export type RenderWhen = 'needed' | 'always' | 'asked'

export interface RendererOptions extends BrowserOptions {
  readonly when: RenderWhen
  /** Visits at once. */
  readonly at_once: number
  /** Milliseconds of a visit. */
  readonly limit_ms: number
  /** Opens the network of a visit, with budgets of its own. */
  readonly open: Network['open']
}

export interface RenderRequest {
  readonly url: string
  readonly knownHost: { readonly host: string; readonly addresses: readonly string[] }
  readonly port: number | undefined
  readonly signal: AbortSignal
  /** When the visit must be over, in milliseconds on the monotonic clock. */
  readonly deadline: number
  readonly client: string
  /** Answers every request in place of the network, for pages that are given. */
  readonly answers?: GivenAnswers
  readonly waited?: NoteWait | undefined
}

export interface RenderedVisit extends Visit {
  readonly screenshots: readonly Screenshot[]
  readonly traffic: ProxyTraffic
  readonly refused: ReadonlyMap<string, string>
  readonly took_ms: number
}

export interface Renderer {
  readonly when: RenderWhen
  /** Rejects with `Unavailable`: `browser_busy`, `browser_failed` or `browser_timeout`. */
  render(request: RenderRequest): Promise<RenderedVisit>
  /** What waits for the browser, and what became of what did. */
  readonly figures: QueueFigures
  /** The octets of a picture of the last minute, by its hash. */
  picture(sha256: string): Buffer | null
  /** Starts the browser if it does not run. Resolves with its product; rejects with the reason why it does not start. */
  probe(): Promise<string>
  stop(): Promise<void>
}

/** The renderer of this installation; null when none is configured. */
export interface RenderingSetup {
  readonly rendering: Renderer | null
}

/** Visits after which a browser is replaced: what pages leave behind in it is then gone. */
const VISITS = 100
/** Milliseconds with which a visit is not worth beginning. */
const LEAST_MS = 1_200
/** Milliseconds after the end of a visit in which what was seen must be there. */
const LATE_MS = 500
/** Milliseconds after that in which the browser must have closed the page; then it hangs. A busy machine needs some, and nobody waits. */
const CLOSING_MS = 3_000
/** Visits of a page whose browser was ended because another page hung it. */
const ATTEMPTS = 2
/** Milliseconds for which no browser is started after one that did not start. */
const REST_MS = 10_000
/** Visits that may wait for each that runs: each takes seconds. */
const WAITING_PER_SLOT = 4

const RESOURCE = 'browser'

/** For pages that are given: nothing listens there. */
const NO_PROXY: GuardedProxy = {
  port: 1,
  traffic: { requests: 0, received: 0, sent: 0, spent: null },
  refused: new Map(),
  close: async () => {},
}

interface Running {
  readonly browser: Browser
  visits: number
  active: number
}

export function createRenderer(options: RendererOptions): Renderer {
  const { when, at_once } = options
  const pictures: Cache<Buffer> = createCache('pictures', {
    weigh: octets => octets.length,
    life_ms: caps.pictures.life_ms.usual,
  })
  const queue = new Queue({
    limitsOf: () => ({ at_once }),
    patience: { waiting_per_slot: WAITING_PER_SLOT, burst_ms: 0, overloaded_ms: Number.POSITIVE_INFINITY },
    now: () => performance.now(),
  })
  const browsers = new BrowserSupply(options)

  function keep({ kind, width, height, octets }: Picture): Screenshot {
    const sha256 = createHash('sha256').update(octets).digest('hex')
    pictures.set(sha256, octets)
    return { kind, width, height, media_type: 'image/webp', sha256, octets: octets.length }
  }

  return {
    when,
    figures: queue.figures,
    async render(request) {
      const { signal, deadline, client, waited } = request
      const waitMs = deadline - performance.now() - LEAST_MS
      const lease =
        waitMs < 0
          ? null
          : await queue.enter({ client, rank: RANK.request, resources: [RESOURCE], signal, wait_ms: waitMs })
      if (lease === null) throw new Unavailable(signal.aborted ? 'cancelled' : 'browser_busy')
      waited?.('browser', lease.waited_ms)
      return visit(request, { ...options, browsers, keep, end: lease.end })
    },
    picture: sha256 => pictures.get(sha256) ?? null,
    async probe() {
      const { browser } = await browsers.running()
      return browser.product
    },
    async stop() {
      await browsers.stop()
      pictures.clear()
    },
  }
}

/** The browser that runs, and those that still show a page. */
class BrowserSupply {
  readonly #options: RendererOptions
  readonly #all = new Set<Browser>()
  #current: Promise<Running> | null = null
  #failedAt = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(options: RendererOptions) {
    this.#options = options
  }

  /** The browser, which is started when none runs. */
  running(): Promise<Running> {
    if (this.#isStopped) return Promise.reject(new Error('the renderer is stopped'))
    if (this.#current === null && performance.now() - this.#failedAt < REST_MS)
      return Promise.reject(new Error('the browser did not start'))
    this.#current ??= this.#start().catch(error => {
      this.#failedAt = performance.now()
      this.#current = null
      throw error
    })
    return this.#current
  }

  /** The browser for one more visit; its successor takes over once it has had enough of them. */
  async take(): Promise<Running> {
    const one = await this.running()
    one.visits += 1
    one.active += 1
    if (one.visits >= VISITS) this.#current = null
    return one
  }

  async give(one: Running, isHanging: boolean): Promise<void> {
    one.active -= 1
    if (isHanging || (one.visits >= VISITS && one.active === 0)) await this.#end(one, isHanging)
  }

  isRunning({ browser }: Running): boolean {
    return this.#all.has(browser)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#current?.catch(() => null)
    await Promise.all([...this.#all].map(browser => browser.end(false)))
  }

  async #start(): Promise<Running> {
    const browser = await startBrowser(this.#options)
    this.#all.add(browser)
    const running = { browser, visits: 0, active: 0 }
    void browser.closed.then(() => void this.#end(running, true))
    if (this.#isStopped) await this.#end(running, false)
    return running
  }

  async #end(running: Running, isHanging: boolean): Promise<void> {
    if (!this.#all.delete(running.browser)) return
    const current = await this.#current?.catch(() => null)
    if (current === running) this.#current = null
    await running.browser.end(isHanging)
  }
}

interface VisitParts extends Pick<RendererOptions, 'limit_ms' | 'open'> {
  readonly browsers: BrowserSupply
  readonly keep: (picture: Picture) => Screenshot
  /** Called when the browser is done with the visit. */
  readonly end: () => void
}

async function visit(request: RenderRequest, parts: VisitParts): Promise<RenderedVisit> {
  let free: Promise<void> = Promise.resolve()
  try {
    for (let attempts = ATTEMPTS; ; attempts -= 1) {
      const { visit, isLost, freed } = await attempt(request, parts)
      free = freed
      if (visit !== null) return visit
      if (!isLost || attempts === 1) throw new Unavailable('browser_timeout')
    }
  } finally {
    void free.then(parts.end)
  }
}

async function attempt(request: RenderRequest, { browsers, keep, limit_ms, open }: VisitParts) {
  const { url, knownHost, port, deadline, answers } = request
  const began = performance.now()
  const over = new AbortController()
  const signal = AbortSignal.any([request.signal, over.signal])
  const one = await browsers.take().catch(() => {
    throw new Unavailable('browser_failed')
  })
  // A start is no part of it: pages after one that hung the browser would have little time.
  const until = Math.min(deadline, performance.now() + limit_ms)
  let disposal: Promise<unknown> = Promise.resolve()
  let visiting: Promise<Visit> | null = null
  try {
    // The start has taken all the time: the next page finds the browser running.
    if (signal.aborted || until - performance.now() < LEAST_MS) throw new Unavailable('browser_timeout')
    const proxy =
      answers === undefined
        ? await openGuardedProxy({ network: open({ signal, deadline }), knownHost, port, signal })
        : NO_PROXY
    const leaving = (work: Promise<unknown>) => {
      disposal = work
      // Seen by `freed` alone, which has no need of it when the visit itself fails.
      work.catch(() => {})
    }
    visiting = visitPage(one.browser, { url, proxy_port: proxy.port, until, signal, answers, leaving })
    const leftMs = Math.max(0, until - performance.now()) + LATE_MS
    const visitResult = await withTimeout(visiting, leftMs).catch(() => null)
    await proxy.close()
    const { traffic, refused } = proxy
    const screenshots = visitResult?.pictures.map(keep) ?? []
    /** Null when the browser did not show the page in time, or was ended. */
    const visit = visitResult && { ...visitResult, screenshots, traffic, refused, took_ms: performance.now() - began }
    /** Whether another page is the reason. */
    const isLost = visit === null && !browsers.isRunning(one)
    return {
      visit,
      isLost,
      /** Resolves when the browser is done with it. */
      freed: giveWhenClosed(browsers, one, visiting, () => disposal),
    }
  } catch (error) {
    await browsers.give(one, visiting !== null)
    throw error
  } finally {
    over.abort('over')
  }
}

/** Resolves when the browser is done with a visit. One that is not in time hangs, and is ended. */
async function giveWhenClosed(
  browsers: BrowserSupply,
  one: Running,
  visiting: Promise<Visit>,
  disposal: () => Promise<unknown>,
): Promise<void> {
  const closing = visiting.then(disposal)
  const isClosed = await withTimeout(closing, CLOSING_MS).then(
    closed => closed !== null,
    () => false,
  )
  await browsers.give(one, !isClosed)
}
