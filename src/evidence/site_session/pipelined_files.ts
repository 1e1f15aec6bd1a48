// Pipelines requests for small files after the request for the page on the same connection (RFC 9112 section 9.3.2), so
// that they cost no extra round trip.
import type { HttpRequest, HttpResult, HttpSession, Receive } from '../../network/http.ts'
import type { CheckNetwork } from '../../network/network.ts'

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
  /** The file may not exist; it is requested at the first origin only. */
  readonly guess?: boolean
  createReader(): Reader
}

/** A request in progress. `result` never rejects. */
export interface SentFile<Reader> {
  readonly result: Promise<HttpResult>
  readonly reader: Reader
}

export interface PipelinedFiles {
  /** Announces a file that will be fetched. */
  want(file: SiteFile): void
  /** Must be called with every request for the page. */
  follow(page: URL, session: HttpSession): void
  /** The request sent for a file, if any. */
  sent<Reader extends BodyReader>(file: SiteFile<Reader>, url: URL): SentFile<Reader> | undefined
}

/** Origins asked: most pages are at the first URL or one redirect away. */
const ORIGINS = 2

export function createPipelinedFiles(
  network: CheckNetwork,
  signal: AbortSignal,
  requestFor: (file: SiteFile) => Omit<HttpRequest, 'url' | 'signal'>,
): PipelinedFiles {
  const wanted: SiteFile[] = []
  const origins = new Set<string>()
  const sent = new Map<string, SentFile<BodyReader>>()

  function ask(file: SiteFile, origin: string, burst: Burst): void {
    if (!network.takeRequest('files')) return
    const url = new URL(file.path, origin)
    const reader = file.createReader()
    const result = burst.session.send({ url, signal, receive: reader.receive, ...requestFor(file) })
    burst.results.push(result)
    sent.set(url.href, { result: checked(result, burst), reader })
  }

  return {
    want: file => void wanted.push(file),
    follow({ origin }, session) {
      if (wanted.length === 0 || origins.has(origin) || origins.size >= ORIGINS) return
      origins.add(origin)
      const burst = { session, results: [] }
      for (const file of wanted) if (!file.guess || origins.size === 1) ask(file, origin, burst)
    },
    sent: <Reader extends BodyReader>(_file: SiteFile<Reader>, url: URL) =>
      sent.get(url.href) as SentFile<Reader> | undefined,
  }
}

/** The requests pipelined after one request for a page. */
interface Burst {
  readonly session: HttpSession
  readonly results: Promise<HttpResult>[]
}

/**
 * Results count only if the number of responses matches the number of requests. Otherwise a response is missing or was not
 * requested, such as a second response to the page, and their order does not show which one (RFC 9112 section 9.3.2).
 */
async function checked(sent: Promise<HttpResult>, burst: Burst): Promise<HttpResult> {
  const result = await sent
  // A cut response closed the connection. A retry would be cut again.
  if (result.exchange?.truncated) return result
  const results = await Promise.all(burst.results)
  await allArrived()
  if (burst.session.isIntact() && results.every(({ failure }) => failure === null)) return result
  return { exchange: null, failure: 'protocol_error' }
}

/** Resolves once all received octets are read, which takes two iterations of the event loop. */
const allArrived = (): Promise<void> => new Promise(resolve => void setImmediate(() => setImmediate(resolve)))
