// The small files of a site, such as robots.txt: requested on the page's connection while the page arrives, and awaited
// only briefly after it.
import { OVER, onAbort } from '../../base/abort.ts'
import { loopAwareTimeout } from '../../base/timeout.ts'
import { locationOf } from '../../network/fetch.ts'
import type { HttpRequest, HttpResult, HttpSession, Receive, ResponseHead } from '../../network/http.ts'
import type { CheckNetwork, RequestPurpose } from '../../network/network.ts'

/** Reads a response body as it arrives. */
export interface BodyReader {
  readonly receive: Receive
}

/** A small file of the site and its request. */
export interface SiteFile<Reader extends BodyReader = BodyReader> {
  readonly path: string
  readonly accept: string
  /** Size limit in octets, on the wire and after decoding; a longer body is cut. */
  readonly max_bytes: number
  readonly timeout_ms: number
  /** Requested early only where that delays no other file: it may turn out to be unneeded, or long. */
  readonly deferrable?: boolean
  /** Not requested from an http site, nor where a redirect leads to one. */
  readonly https_only?: boolean
  /** Only the head of the response matters. */
  readonly head_only?: boolean
  /** Extra header fields. */
  readonly headers?: Readonly<Record<string, string>>
  /** At most this many are followed; as many as for the page when absent. */
  readonly redirects?: number
  /** The budget that the request counts against; `files` when absent. */
  readonly purpose?: RequestPurpose
  createReader(): Reader
}

/** A request in progress. `result` never rejects. */
export interface SentFile<Reader> {
  readonly result: Promise<HttpResult>
  readonly reader: Reader
}

export interface SiteFiles {
  /** Announces a file that will be fetched. */
  want(file: SiteFile): void
  /** Must be called when a request for the page has been sent; `isFirst`: not after a redirect. */
  requested(page: URL, session: HttpSession, isFirst: boolean): void
  /** Must be called when a response to it begins. */
  answered(head: ResponseHead, session: HttpSession): void
  /** Whether the last connection that the page was requested on answers requests at once. */
  isParallel(): boolean
  /** The request sent for a file, if any. */
  sent<Reader extends BodyReader>(file: SiteFile<Reader>, url: URL): SentFile<Reader> | undefined
}

/**
 * Origins where files are requested before the page arrives: most pages are at the first origin or behind one redirect.
 */
const ORIGINS = 2

export function createSiteFiles(
  network: CheckNetwork,
  signal: AbortSignal,
  requestFor: (file: SiteFile) => Omit<HttpRequest, 'url' | 'signal'>,
): SiteFiles {
  const requests: SiteFile[] = []
  const origins = new Set<string>()
  let connection: HttpSession | null = null
  const sentFiles: { readonly file: SiteFile; readonly href: string; readonly as: SentFile<BodyReader> }[] = []

  function ask(origin: string, session: HttpSession): void {
    if (requests.length === 0 || origins.has(origin) || origins.size >= ORIGINS) return
    origins.add(origin)
    const burst: Burst = { session, results: [] }
    for (const file of requests.toSorted(longestLast)) {
      if (file.deferrable && !session.isParallel()) continue
      if (file.https_only && !origin.startsWith('https:')) continue
      if (!network.takeRequest(file.purpose ?? 'files')) continue
      // A path that begins with two slashes would name another host.
      const url = new URL(`${origin}${file.path}`)
      const reader = file.createReader()
      const result = session.send({ url, signal, receive: reader.receive, ...requestFor(file) })
      burst.results.push(result)
      sentFiles.push({ file, href: url.href, as: { result: checkedResponse(result, burst), reader } })
    }
  }

  return {
    want: file => void requests.push(file),
    requested({ origin, hostname }, session, isFirst) {
      connection = session
      // `www.` often does nothing but redirect to the bare name.
      if (session.isParallel() && !(isFirst && hostname.startsWith('www.'))) ask(origin, session)
    },
    answered(head, session) {
      if (locationOf(head) === null) ask(new URL(head.url).origin, session)
    },
    isParallel: () => connection?.isParallel() ?? false,
    sent: <Reader extends BodyReader>(file: SiteFile<Reader>, url: URL) =>
      sentFiles.find(one => one.file === file && one.href === url.href)?.as as SentFile<Reader> | undefined,
  }
}

/** Over HTTP/1.1 an unneeded body must not delay the other requests. */
const longestLast = (a: SiteFile, b: SiteFile): number => lengthOf(a) - lengthOf(b)
const lengthOf = ({ head_only, deferrable }: SiteFile): number => (head_only ? 2 : deferrable ? 1 : 0)

/** The requests sent early on one connection. */
interface Burst {
  readonly session: HttpSession
  readonly results: Promise<HttpResult>[]
}

/**
 * An answer counts only if the connection had no unrequested response, such as a second one to the page: HTTP/1.1
 * matches responses to requests by order alone (RFC 9112 section 9.3.2).
 */
async function checkedResponse(response: Promise<HttpResult>, burst: Burst): Promise<HttpResult> {
  const result = await response
  if (result.exchange === null || !burst.session.inOrder) return result
  await Promise.all(burst.results)
  await allArrived()
  return burst.session.isIntact() ? result : { exchange: null, failure: 'protocol_error' }
}

/** Resolves once all received octets are read, which takes two iterations of the event loop. */
const allArrived = (): Promise<void> => new Promise(resolve => void setImmediate(() => setImmediate(resolve)))

/** The time that the check waits for the site's files. */
export interface Patience {
  /** Aborts when the wait or the check is over. */
  readonly signal: AbortSignal
  /** Call once, when the page has arrived or failed. `pace_ms` is the time its server needed to begin a response. */
  pageCame(paceMs: number): void
  end(): void
}

/** Milliseconds after the page: enough for small files, and hardly noticed. Where a file may take longer than usual, this share of that. */
const AFTER_PAGE_MS = 250
const AFTER_PAGE_SHARE = 1 / 8
/** Responses that a distant server may send one after another in that time, and milliseconds granted for each at most. */
const RESPONSES = 4
const RESPONSE_MS = 250

/** Milliseconds to wait for files after the page. */
export const patienceMs = (paceMs: number, fileMs = 0): number =>
  Math.max(AFTER_PAGE_MS, AFTER_PAGE_SHARE * fileMs) + RESPONSES * Math.min(paceMs, RESPONSE_MS)

/** `fileMs` is the limit of one file. No file is worth waiting seconds: an unread file is unknown, and the rest of the result does not wait for it. */
export function createPatience(check: AbortSignal, fileMs = 0): Patience {
  const over = new AbortController()
  const abort = () => over.abort(OVER)
  const unsubscribe = onAbort(check, abort)
  let cancel = () => {}
  if (check.aborted) abort()
  return {
    signal: over.signal,
    pageCame(paceMs) {
      cancel = loopAwareTimeout(patienceMs(paceMs, fileMs), abort)
    },
    end() {
      cancel()
      unsubscribe()
    },
  }
}
