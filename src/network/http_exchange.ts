// One request and its response on a client of one connection: what is too much, too late or malformed ends it.
import { type Client, type Dispatcher, errors } from 'undici'
import { connectionFailure } from './connection_failure.ts'
import type { HttpRequest, HttpResult } from './http.ts'
import type { Limits } from './limits.ts'
import { type Origin, receiveResponse } from './response.ts'

/** The connection, as far as an exchange has to know it. */
export interface Connection {
  readonly limits: Limits
  /** Settles when the response is the next to come: from then on its time runs. */
  readonly turn: Promise<unknown>
  origin(): Origin
  /** The first error of TLS, if there was one. */
  trouble(): Error | null
}

/** Never rejects. */
export function exchangeOn(client: Client, request: HttpRequest, connection: Connection): Promise<HttpResult> {
  return new Promise(resolve => {
    const { url, signal } = request
    const stopper = createStopper(reason => void settle(reason))
    const timer = createTimer(() => stopper.stop('timeout'))
    const response = receiveResponse(request, { stop: stopper.stop, ...connection })
    const cancel = () => stopper.stop('cancelled')
    const settle = async (failure: string | null) => {
      timer.end()
      signal.removeEventListener('abort', cancel)
      resolve(await response.end(stopper.reason() ?? failure))
    }
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
    connection.turn.then(() => timer.start(request.headers_ms))
    client.dispatch(
      // Nothing of it waits for an earlier response: whoever sends it has decided to pipeline.
      {
        method: 'GET',
        path: url.pathname + url.search,
        headers: { host: url.host, ...request.headers },
        blocking: false,
      },
      {
        onRequestStart: stopper.attach,
        onResponseStart({ rawHeaders }, status) {
          if (status < 100 || status > 599) return stopper.stop('protocol_error')
          if (status < 200) return response.informational()
          timer.start(bodyTime(request))
          response.begin(status, Array.isArray(rawHeaders) ? rawHeaders : [])
        },
        onResponseData: (_controller, chunk) => response.data(chunk),
        onResponseEnd: () => void settle(null),
        onResponseError: (_controller, error) => void settle(httpFailure(connection.trouble() ?? error)),
      },
    )
  })
}

const bodyTime = ({ body_ms, until = Number.POSITIVE_INFINITY }: HttpRequest): number =>
  Math.max(0, Math.min(body_ms, until - performance.now()))

interface Stopper {
  attach(controller: Dispatcher.DispatchController): void
  /** Ends the exchange, and the connection with it; the first reason counts. */
  stop(reason: string): void
  reason(): string | null
}

/** `unsent` is told when the request was stopped before the client sent it, and so will not tell itself. */
function createStopper(unsent: (reason: string) => void): Stopper {
  let controller: Dispatcher.DispatchController | null = null
  let reason: string | null = null
  return {
    reason: () => reason,
    attach(attached) {
      controller = attached
      if (reason !== null) attached.abort(new Error(reason))
    },
    stop(given) {
      reason ??= given
      if (controller) controller.abort(new Error(reason))
      else unsent(reason)
    },
  }
}

/** One timer at a time, and none after the end. */
function createTimer(expired: () => void) {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  return {
    start(ms: number) {
      clearTimeout(timer)
      if (!ended) timer = setTimeout(expired, ms)
    },
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}

/** The client's own errors, by code; what its parser and its assertions say is `protocol_error` too. */
const clientErrors: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
  // Also its word for a malformed head that states a length; past the head every failure is the same.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
  ERR_ASSERTION: 'protocol_error',
}

function httpFailure(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
  if (error instanceof errors.HTTPParserError) return 'protocol_error'
  if (code === 'UND_ERR_SOCKET') return message.endsWith('closed') ? 'closed' : 'protocol_error'
  return clientErrors[code] ?? connectionFailure(error)
}
