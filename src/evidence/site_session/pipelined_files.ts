// Requests for small files, sent right behind the request for the page on the same connection (RFC 9112 section 9.3.2), so
// that they cost no round trip of their own.
import type { HttpRequest, HttpResult, HttpSession, Receive } from '../../network/http.ts'
import type { CheckNetwork } from '../../network/network.ts'

/** Reads the body of a response as it comes in. */
export interface BodyReader {
  readonly receive: Receive
}

/** A small file of the site, and how it is asked for. */
export interface SiteFile<Reader extends BodyReader = BodyReader> {
  readonly path: string
  readonly accept: string
  /** Octets, on the wire and after decoding; what is over is cut. */
  readonly max_bytes: number
  readonly timeout_ms: number
  /** Its URL is a guess, made at the first origin only. */
  readonly guess?: boolean
  createReader(): Reader
}

/** A request on its way: its result, which never rejects, and the reader of its body. */
export interface SentFile<Reader> {
  readonly result: Promise<HttpResult>
  readonly reader: Reader
}

export interface PipelinedFiles {
  /** Declares that a file is wanted. */
  want(file: SiteFile): void
  /** To be called with every request for the page. */
  follow(page: URL, session: HttpSession): void
  /** The request that was sent for a file, if any. */
  sent<Reader extends BodyReader>(file: SiteFile<Reader>, url: URL): SentFile<Reader> | undefined
}

/** Origins asked: a page is mostly where it was looked for, or one redirect away. */
const ORIGINS = 2

export function createPipelinedFiles(
  network: CheckNetwork,
  signal: AbortSignal,
  requestFor: (file: SiteFile) => Omit<HttpRequest, 'url' | 'signal'>,
): PipelinedFiles {
  const wanted: SiteFile[] = []
  const origins = new Set<string>()
  const sent = new Map<string, SentFile<BodyReader>>()

  /** The page comes first: requests that its redirects may need are left. */
  function ask(file: SiteFile, origin: string, burst: Burst): void {
    if (!network.takeRequest(network.limits.redirects)) return
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

/** The requests sent on one connection behind one request for a page. */
interface Burst {
  readonly session: HttpSession
  readonly results: Promise<HttpResult>[]
}

/**
 * Results count only when there are as many responses as requests. With fewer or more, one response was not asked for (a
 * second response to the page, say), and their order alone does not tell which (RFC 9112 section 9.3.2).
 */
async function checked(sent: Promise<HttpResult>, burst: Burst): Promise<HttpResult> {
  const result = await sent
  // A cut response ended the connection, and so the other requests. Asked for again, it would be cut again.
  if (result.exchange?.truncated) return result
  const results = await Promise.all(burst.results)
  await allArrived()
  if (burst.session.sound() && results.every(({ failure }) => failure === null)) return result
  return { exchange: null, failure: 'protocol_error' }
}

/** Resolves when all octets that have arrived are read, which is certain only between two turns of the event loop. */
const allArrived = (): Promise<void> => new Promise(resolve => void setImmediate(() => setImmediate(resolve)))
