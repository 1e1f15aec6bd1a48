// One visit of a page: a fresh context with its own proxy, the page as it settles, what it did meanwhile, and pictures of it. The
// context ends with the visit. Everything that the page can make the browser say is bounded here.
import { randomBytes } from 'node:crypto'
import { OVER, onAbort } from '../../base/abort.ts'
import type { Browser } from './browser.ts'
import type { Navigation, RequestedHost, ScreenKind } from './facts.ts'
import { type PageReading, READ_PAGE, watchScript } from './page_scripts.ts'

/** A response that the browser is given without a network. */
export interface GivenAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** What a URL is answered with; null for what is not there. */
export type GivenAnswers = (url: string) => GivenAnswer | null

export interface VisitOptions {
  readonly url: string
  /** Answers every request in place of the network. */
  readonly answers?: GivenAnswers | undefined
  /** Of our proxy. */
  readonly proxy_port: number
  /** When everything must be there, in milliseconds on the monotonic clock. */
  readonly until: number
  readonly signal: AbortSignal
  /** Takes what ends the context, which nobody has to wait for. */
  leaving(disposal: Promise<unknown>): void
}

export interface Picture {
  readonly kind: ScreenKind
  readonly width: number
  readonly height: number
  /** WebP. */
  readonly octets: Buffer
}

/** What a visit saw. `reading` is null when the page could not be read, such as one whose script never ends. */
export interface Visit {
  readonly url: string
  readonly status: number | null
  /** Why the first document did not come, as Chromium names it (`net::ERR_...`); null if it came. */
  readonly failure: string | null
  /** The first response said that it is a download, or an answer without a page. */
  readonly reading: PageReading | null
  readonly navigations: readonly Navigation[]
  readonly hosts: readonly RequestedHost[]
  readonly requests: number
  readonly console_errors: number
  readonly downloads: readonly string[]
  readonly dialogs: readonly string[]
  readonly copied: readonly string[]
  readonly crashed: boolean
  /** Nothing was loading any more when it was read. */
  readonly settled: boolean
  readonly pictures: readonly Picture[]
}

const SCREENS: readonly (Omit<Picture, 'octets'> & { readonly mobile: boolean })[] = [
  { kind: 'desktop', width: 1280, height: 800, mobile: false },
  { kind: 'phone', width: 390, height: 844, mobile: true },
]
/** Octets of a picture, and the qualities that are tried until it has no more. */
const PICTURE_BYTES = 200 * 1024
const QUALITIES = [60, 25] as const

/** Milliseconds in which nothing loads, after which a page has settled. */
const QUIET_MS = 400
/** Share of a visit that reading the page may take, and each of its pictures; both together are left for them at its end. */
const SHARE = 0.2
/** Milliseconds for a layout of another width. */
const LAYOUT_MS = 100

/** What is kept of a visit, and what ends it. */
const MOST = {
  navigations: 16,
  hosts: 50,
  downloads: 8,
  dialogs: 8,
  copied: 4,
  characters: 512,
  url: 2_048,
  requests: 400,
  errors: 1_000,
  /** Events of any kind: a page that causes more keeps us busy. */
  events: 6_000,
}

/** Dialogs after which scripts of the page are stopped: it does nothing else. */
const DIALOG_STORM = 12

const REASONS: Readonly<Record<string, Navigation['by']>> = {
  scriptInitiated: 'script',
  metaTagRefresh: 'refresh',
  httpHeaderRefresh: 'refresh',
  formSubmissionGet: 'form',
  formSubmissionPost: 'form',
}

/** Rejects when the browser does not do what it should: it has to be ended then. */
export async function visitPage(browser: Browser, options: VisitOptions): Promise<Visit> {
  const proxyServer = `http://127.0.0.1:${options.proxy_port}`
  const browserContext = await browser.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer,
    proxyBypassList: '<-loopback>',
  })
  const browserContextId = String(browserContext['browserContextId'])
  let session: string | null = null
  try {
    await browser.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId, eventsEnabled: true })
    const [desktop] = SCREENS
    const { width, height } = desktop ?? { width: 1280, height: 800 }
    const target = await browser.send('Target.createTarget', { url: 'about:blank', browserContextId, width, height })
    const targetId = String(target['targetId'])
    const attachment = await browser.send('Target.attachToTarget', { targetId, flatten: true })
    session = String(attachment['sessionId'])
    return await look(browser, session, targetId, options)
  } finally {
    if (session !== null) browser.mute(session)
    options.leaving(browser.send('Target.disposeBrowserContext', { browserContextId }))
  }
}

async function look(browser: Browser, session: string, frame: string, options: VisitOptions): Promise<Visit> {
  const { url, until, signal, answers } = options
  const shareMs = SHARE * Math.max(0, until - performance.now())
  const send = (method: string, params?: Record<string, unknown>) => browser.send(method, params, session)
  const binding = `_${randomBytes(8).toString('hex')}`
  const observation = new PageLog(frame, binding)
  const over = new AbortController()
  const end = () => over.abort(OVER)
  const unsubscribe = [
    browser.subscribe(session, (method, params) => {
      observation.note(method, params)
      if (answers !== undefined && method === 'Fetch.requestPaused') ignoreRejection(answer(send, params, answers))
      if (method === 'Page.javascriptDialogOpening') {
        if (observation.dialogs === DIALOG_STORM)
          ignoreRejection(send('Emulation.setScriptExecutionDisabled', { value: true }))
        ignoreRejection(send('Page.handleJavaScriptDialog', { accept: false }))
      }
      if (observation.isFlooded) {
        browser.mute(session)
        end()
      }
      if (observation.hasCrashed) end()
    }),
    browser.subscribe(null, (method, params) => observation.note(method, params)),
    onAbort(signal, end),
  ]
  const timer = setTimeout(end, Math.max(0, until - performance.now()))
  /** Null when it fails, or is not there in time. */
  const within = <T>(work: Promise<T>, ms: number) =>
    settleWithin(work, Math.min(ms, until - performance.now()), over.signal)
  try {
    const [screen] = SCREENS
    const ready = Promise.all([
      ...['Page.enable', 'Runtime.enable', 'Inspector.enable'].map(method => send(method)),
      send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 }),
      send('Network.setBypassServiceWorker', { bypass: true }),
      send('Runtime.addBinding', { name: binding }),
      ...(answers === undefined ? [] : [send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })]),
      send('Page.addScriptToEvaluateOnNewDocument', { source: watchScript(binding) }),
      send('Emulation.setDeviceMetricsOverride', metricsOf(screen)),
    ])
    if ((await within(ready, Number.POSITIVE_INFINITY)) === null) return observation.visit(null, [], false)
    const navigation = await within(send('Page.navigate', { url }), Number.POSITIVE_INFINITY)
    if (navigation === null) return observation.visit(null, [], false)
    const failure = typeof navigation['errorText'] === 'string' ? navigation['errorText'] : null
    if (failure !== null) return { ...observation.visit(null, [], true), failure }
    const isSettled = await observation.settle(until - 2 * shareMs, over.signal)
    const pictures: Picture[] = []
    const first = screen && (await within(takePicture(send, screen), shareMs))
    if (first) pictures.push(first)
    const reading = await readPage(observation, () => within(evaluate(send, frame, shareMs), shareMs))
    for (const other of SCREENS.slice(1)) {
      const picture = await within(takeAt(send, other), shareMs)
      if (picture !== null) pictures.push(picture)
    }
    return observation.visit(reading, pictures, isSettled)
  } finally {
    clearTimeout(timer)
    for (const stop of unsubscribe) stop()
  }
}

function answer(send: Send, { requestId, request }: Params, answers: GivenAnswers): Promise<unknown> {
  const givenAnswer = answers(String((request as Params)['url']))
  if (givenAnswer === null) return send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
  const { status, headers, body } = givenAnswer
  return send('Fetch.fulfillRequest', {
    requestId,
    responseCode: status,
    responseHeaders: headers.map(([name, value]) => ({ name, value })),
    body: Buffer.from(body).toString('base64'),
  })
}

type Send = (method: string, params?: Record<string, unknown>) => Promise<Readonly<Record<string, unknown>>>

function ignoreRejection(work: Promise<unknown>): void {
  work.catch(() => {})
}

/** The result of the work, or null: it failed, `ms` passed, or the signal aborted. */
function settleWithin<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T | null> {
  return new Promise(resolve => {
    const give = (value: T | null) => {
      clearTimeout(timer)
      unsubscribe()
      resolve(value)
    }
    const timer = setTimeout(give, Math.max(0, Math.min(ms, MAX_MS)), null)
    const unsubscribe = onAbort(signal, () => give(null))
    work.then(give, () => give(null))
    if (signal.aborted) give(null)
  })
}

const MAX_MS = 60_000

const metricsOf = (screen: (typeof SCREENS)[number] | undefined) => {
  const { width, height, mobile } = screen ?? { width: 1280, height: 800, mobile: false }
  return { width, height, mobile, deviceScaleFactor: 1 }
}

async function takeAt(send: Send, screen: (typeof SCREENS)[number]): Promise<Picture | null> {
  await send('Emulation.setDeviceMetricsOverride', metricsOf(screen))
  await new Promise(resolve => setTimeout(resolve, LAYOUT_MS))
  return takePicture(send, screen)
}

/** Null when even the lowest quality has too many octets. */
async function takePicture(send: Send, { kind, width, height }: Omit<Picture, 'octets'>): Promise<Picture | null> {
  for (const quality of QUALITIES) {
    const { data } = await send('Page.captureScreenshot', { format: 'webp', quality, optimizeForSpeed: true })
    const octets = Buffer.from(String(data), 'base64')
    if (octets.length <= PICTURE_BYTES) return { kind, width, height, octets }
  }
  return null
}

/** A page that navigates while it is read is read once more. */
async function readPage(log: PageLog, read: () => Promise<string | null>): Promise<PageReading | null> {
  for (const _ of [1, 2]) {
    const text = await read()
    if (text !== null) return JSON.parse(text) as PageReading
    if (log.hasCrashed) return null
  }
  return null
}

async function evaluate(send: Send, frameId: string, timeout: number): Promise<string | null> {
  const { executionContextId } = await send('Page.createIsolatedWorld', { frameId, worldName: 'reader' })
  const { result } = (await send('Runtime.evaluate', {
    expression: READ_PAGE,
    contextId: executionContextId,
    returnByValue: true,
    timeout,
  })) as { result?: { value?: unknown } }
  return typeof result?.value === 'string' ? result.value : null
}

type Params = Readonly<Record<string, unknown>>

interface HostTotals {
  readonly host: string
  requests: number
  octets: number
  readonly types: Record<string, number>
}

/** Collects what the browser says of one page. */
class PageLog {
  readonly #frame: string
  readonly #binding: string
  readonly #navigations: Navigation[] = []
  readonly #hosts = new Map<string, HostTotals>()
  readonly #loading = new Map<string, string>()
  readonly #downloads: string[] = []
  readonly #dialogs: string[] = []
  readonly #copied: string[] = []
  readonly #counts = { events: 0, requests: 0, errors: 0, dialogs: 0 }
  #status: number | null = null
  #url = ''
  #isLoaded = false
  #hasCrashed = false
  #reason: Navigation['by'] | null = null
  #changedAt = performance.now()

  constructor(frame: string, binding: string) {
    this.#frame = frame
    this.#binding = binding
  }

  note(method: string, params: Params): void {
    this.#counts.events += 1
    this.#handlers[method]?.(params)
  }

  get dialogs(): number {
    return this.#counts.dialogs
  }

  get hasCrashed(): boolean {
    return this.#hasCrashed
  }

  get isFlooded(): boolean {
    return this.#counts.events > MOST.events || this.#counts.requests > MOST.requests
  }

  /** Resolves with true when nothing has loaded for a while after the load event; with false at the time, or when the signal aborts. */
  async settle(at: number, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const isQuiet = this.#isLoaded && this.#loading.size === 0 && performance.now() - this.#changedAt >= QUIET_MS
      if (isQuiet) return true
      if (signal.aborted || performance.now() >= at) return false
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  visit(reading: PageReading | null, pictures: readonly Picture[], isSettled: boolean): Visit {
    return {
      url: withoutSecrets(this.#url),
      status: this.#status,
      failure: null,
      reading,
      navigations: this.#navigations,
      hosts: [...this.#hosts.values()],
      requests: this.#counts.requests,
      console_errors: this.#counts.errors,
      downloads: this.#downloads,
      dialogs: this.#dialogs,
      copied: this.#copied,
      crashed: this.#hasCrashed,
      settled: isSettled,
      pictures,
    }
  }

  readonly #handlers: Readonly<Record<string, (params: Params) => void>> = {
    'Network.requestWillBeSent': params => this.#request(params),
    'Network.responseReceived': ({ type, frameId, response }) => {
      if (type === 'Document' && frameId === this.#frame) this.#status = Number((response as Params)['status'])
    },
    'Network.dataReceived': ({ requestId, encodedDataLength, dataLength }) => {
      const of = this.#hosts.get(this.#loading.get(String(requestId)) ?? '')
      if (of) of.octets += Number(encodedDataLength) || Number(dataLength) || 0
      this.#changedAt = performance.now()
    },
    'Network.loadingFinished': params => this.#endLoading(params),
    'Network.loadingFailed': params => this.#endLoading(params),
    'Page.frameRequestedNavigation': params => {
      if (params['frameId'] === this.#frame) this.#reason = REASONS[String(params['reason'])] ?? 'script'
    },
    'Page.frameNavigated': params => {
      const { id, url } = params['frame'] as { id: string; url: string }
      if (id === this.#frame) this.#url = url
    },
    'Page.navigatedWithinDocument': ({ frameId, url }) => {
      if (frameId === this.#frame) this.#url = String(url)
    },
    'Page.loadEventFired': () => {
      this.#isLoaded = true
      this.#changedAt = performance.now()
    },
    'Page.javascriptDialogOpening': ({ type, message }) => {
      this.#counts.dialogs += 1
      addText(this.#dialogs, MOST.dialogs, `${type}: ${message}`)
    },
    'Browser.downloadWillBegin': ({ frameId, url }) => {
      if (frameId === this.#frame) addText(this.#downloads, MOST.downloads, withoutSecrets(url))
    },
    'Runtime.bindingCalled': ({ name, payload }) => {
      if (name === this.#binding) addText(this.#copied, MOST.copied, payload)
    },
    'Runtime.exceptionThrown': () => this.#countError(),
    'Runtime.consoleAPICalled': ({ type }) => {
      if (type === 'error') this.#countError()
    },
    'Inspector.targetCrashed': () => {
      this.#hasCrashed = true
    },
  }

  #request(params: Params): void {
    const { requestId, request, type, frameId, redirectResponse } = params as {
      readonly requestId: string
      readonly request: { readonly url: string }
      readonly type?: string
      readonly frameId?: string
      readonly redirectResponse?: Params
    }
    this.#counts.requests += 1
    this.#changedAt = performance.now()
    const host = hostOf(request.url)
    if (host === null) return
    if (this.#loading.size < MOST.requests) this.#loading.set(requestId, host)
    if (type === 'Document' && frameId === this.#frame) this.#navigate(request.url, Boolean(redirectResponse))
    const totals = this.#hosts.get(host)
    if (totals === undefined && this.#hosts.size >= MOST.hosts) return
    const of = totals ?? { host, requests: 0, octets: 0, types: {} }
    of.requests += 1
    const kind = (type ?? 'Other').toLowerCase()
    of.types[kind] = (of.types[kind] ?? 0) + 1
    this.#hosts.set(host, of)
  }

  #navigate(url: string, isRedirect: boolean): void {
    const isFirst = this.#navigations.length === 0
    const by = isRedirect ? 'redirect' : isFirst ? 'visit' : (this.#reason ?? 'script')
    if (this.#navigations.length < MOST.navigations) this.#navigations.push({ url: withoutSecrets(url), by })
    this.#reason = null
    this.#isLoaded = false
  }

  #endLoading({ requestId }: Params): void {
    this.#loading.delete(String(requestId))
    this.#changedAt = performance.now()
  }

  #countError(): void {
    this.#counts.errors = Math.min(MOST.errors, this.#counts.errors + 1)
  }
}

function addText(list: string[], most: number, text: unknown): void {
  if (list.length < most) list.push(String(text).slice(0, MOST.characters))
}

function hostOf(url: string): string | null {
  if (!/^(?:https?|wss?):/.test(url) || !URL.canParse(url)) return null
  return new URL(url).host
}

function withoutSecrets(value: unknown): string {
  const text = String(value)
  if (!URL.canParse(text)) return text.slice(0, MOST.url)
  const url = new URL(text)
  url.username = ''
  url.password = ''
  return url.href.slice(0, MOST.url)
}
