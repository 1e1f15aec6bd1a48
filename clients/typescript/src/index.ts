// A client of an assay service: typed by its OpenAPI document, with limits in time, retries, and errors that say what to do.
import ky, { HTTPError } from 'ky'
import createApi, { type Client as Api } from 'openapi-fetch'
import type { components, paths } from './api.ts'

export type { components, paths } from './api.ts'

/** The whole result of a check. */
export type CheckResult = components['schemas']['CheckResult']
/** The result as `format=report` tells it: a view for people, which may change with any version. */
export type Report = components['schemas']['Report']
/** An RFC 9457 problem. */
export type ProblemDetails = components['schemas']['Problem']

/** A line of `lookalikes`: a look-alike, the progress, or at the end the summary. */
export type LookalikeLine = components['schemas']['LookalikeLine']

/** What kept results are searched by: all of it must have been seen. */
export type SearchQuestion = Omit<
  NonNullable<paths['/api/v1/search']['get']['parameters']['query']>,
  'before' | 'limit'
>
/** A kept result in a list. */
export type SearchResult = components['schemas']['SearchPage']['results'][number]

/** A line of `checkMany`: a result, or its selected fields, or why there is none. */
export type CheckRecord<Field extends keyof CheckResult = keyof CheckResult> =
  | (Pick<CheckResult, Field> & { readonly input: string; readonly line: number })
  | {
      readonly input: string
      readonly line: number
      readonly error: { readonly code: string; readonly detail: string }
    }

export interface ClientOptions {
  /** Base URL of the service, such as `https://assay.example.com`. */
  readonly server: string
  /** An API key. */
  readonly key: string
  /** Milliseconds for one attempt; 15,000 by default: the service answers within 10 seconds. */
  readonly timeout_ms?: number
  /** Further attempts at a request that may be repeated; 2 by default. */
  readonly retries?: number
  /** Longest `Retry-After` that is waited for, in milliseconds; 10,000 by default. A longer one rejects at once. */
  readonly wait_ms?: number
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: typeof fetch
}

/** A domain name, an IP address, an http(s) URL or an e-mail address as text, or what names it: a domain may have an address at which to check it. */
export type Target =
  | string
  | { readonly domain: string; readonly ip?: string }
  | { readonly ip: string }
  | { readonly url: string }
  | { readonly email: string }

export interface CheckOptions {
  /** False judges without contacting the site. */
  readonly visit?: boolean
  /** True opens the page in a browser, where the service has one. */
  readonly render?: boolean
  /** True checks again instead of taking a cached result. */
  readonly fresh?: boolean
  readonly signal?: AbortSignal
}

export interface ManyOptions<Field extends keyof CheckResult>
  extends Pick<CheckOptions, 'visit' | 'render' | 'signal'> {
  /** Only these members of each result. */
  readonly fields?: readonly Field[]
}

/** The members of a decision. */
const DECISION = [
  'recommendation',
  'recommendation_reason',
  'risk_score',
  'verdict',
  'confidence',
  'signals',
] as const satisfies readonly (keyof CheckResult)[]

/** What to do about a target, and why. */
export type Decision = Pick<CheckResult, (typeof DECISION)[number]>

/** A refusal or failure of the service, or no answer at all. */
export class AssayError extends Error {
  override readonly name = 'AssayError'
  /** The stable code of the problem, such as `quota-exceeded`; `unreachable` without an answer, `unreadable` for one that no assay service sends. */
  readonly code: string
  /** HTTP status; null without an answer. */
  readonly status: number | null
  /** Include it when you report a failure of the service; null without an answer. */
  readonly request_id: string | null
  /** Seconds after which to try again, as the service says; null when it does not. */
  readonly retry_after_s: number | null

  constructor(
    code: string,
    detail: string,
    answer: { status?: number; request_id?: string | null; retry_after_s?: number | null; cause?: unknown } = {},
  ) {
    super(detail, { cause: answer.cause })
    this.code = code
    this.status = answer.status ?? null
    this.request_id = answer.request_id ?? null
    this.retry_after_s = answer.retry_after_s ?? null
  }
}

export interface Client {
  /** Base URL of the service. */
  readonly server: string
  /** Checks a domain name, an IP address or an http(s) URL. Rejects with `AssayError`. */
  check(target: Target, options?: CheckOptions): Promise<CheckResult>
  /** Only these members of the result, such as `recommendation` or `ssl_info`. Rejects with `AssayError`. */
  fields<Field extends keyof CheckResult>(
    target: Target,
    fields: readonly Field[],
    options?: CheckOptions,
  ): Promise<Pick<CheckResult, Field>>
  /** Only what to do about the target: `allow`, `review` or `block`. Rejects with `AssayError`. */
  decide(target: Target, options?: CheckOptions): Promise<Decision>
  /** The report of a check, as the page shows it. Rejects with `AssayError`. */
  report(target: Target, options?: CheckOptions): Promise<Report>
  /** Checks up to 1,000 targets; yields each record as soon as it is there. Rejects with `AssayError`. */
  checkMany<Field extends keyof CheckResult = keyof CheckResult>(
    targets: readonly string[],
    options?: ManyOptions<Field>,
  ): AsyncGenerator<CheckRecord<Field>>
  /** Names that imitate a domain name, as they are found; the last line is the summary. Takes minutes. Rejects with `AssayError`. */
  lookalikes(
    domain: string,
    options?: { readonly judge?: number; readonly names?: number; readonly signal?: AbortSignal },
  ): AsyncGenerator<LookalikeLine>
  /** Targets that showed all that is asked for, each with its latest kept result; asks for further pages as they are needed. Rejects with `AssayError`. */
  search(question: SearchQuestion, options?: { readonly signal?: AbortSignal }): AsyncGenerator<SearchResult>
  /** The body of an answer of `api`. Rejects with `AssayError` where the answer is a problem. */
  body<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T>
  /** Every other operation, typed: `client.body(client.api.GET('/api/v1/usage'))`. */
  readonly api: Api<paths>
}

const TIMEOUT_MS = 15_000
const RETRIES = 2
const WAIT_MS = 10_000
/** Statuses after which the same request may succeed. */
const RETRIED = [429, 502, 503, 504]

export function createClient(options: ClientOptions): Client {
  const { key, fetch: send } = options
  const server = options.server.replace(/\/+$/, '')
  const headers = { 'X-API-Key': key }
  // A service never redirects, and whoever does must not get the key: `fetch` would send this header to other origins, too.
  const redirect = 'error'
  const api = createApi<paths>({ baseUrl: server, headers, redirect, fetch: patient(options) })

  const body: Client['body'] = async answer => {
    const { data, response, error } = await answer.catch(cause => Promise.reject(unreachable(server, cause)))
    if (data !== undefined && response.ok) return data
    throw problem(response, error)
  }

  const get = (
    target: Target,
    { signal, ...rest }: CheckOptions,
    how: { readonly format?: 'report'; readonly fields?: string } = {},
  ) =>
    body(
      api.GET('/api/v1/check', {
        params: { query: { ...(typeof target === 'string' ? targetOf(target) : target), ...rest, ...how } },
        ...(signal && { signal }),
      }),
    )

  const check: Client['check'] = async (target, options = {}) => (await get(target, options)) as CheckResult
  const fields: Client['fields'] = async (target, names, options = {}) =>
    (await get(target, options, { fields: names.join() })) as CheckResult

  return {
    server,
    api,
    body,
    check,
    fields,
    report: async (target, options = {}) => (await get(target, options, { format: 'report' })) as unknown as Report,
    decide: (target, options) => fields(target, DECISION, options),
    async *checkMany(targets, { visit, render, fields: names, signal } = {}) {
      const response = await (send ?? fetch)(`${server}/api/v1/checks`, {
        method: 'POST',
        redirect,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ targets, visit, render, fields: names }),
        ...(signal && { signal }),
      }).catch(cause => Promise.reject(unreachable(server, cause)))
      if (!response.ok || response.body === null) throw problem(response, await response.json().catch(() => null))
      yield* lines<CheckRecord>(response.body)
    },
    async *search(question, { signal } = {}) {
      let before: string | null = null
      do {
        const query: SearchQuestion & { before?: string } = { ...question, ...(before !== null && { before }) }
        const asked = api.GET('/api/v1/search', { params: { query }, ...(signal && { signal }) })
        const page: components['schemas']['SearchPage'] = await body(asked)
        yield* page.results
        before = page.before
      } while (before !== null)
    },
    async *lookalikes(domain, { signal, ...query } = {}) {
      const params = { query: { domain, ...query } }
      const asked = api.GET('/api/v1/lookalikes', { params, parseAs: 'stream', ...(signal && { signal }) })
      const found = (await body(asked as never)) as ReadableStream<Uint8Array> | null
      if (found !== null) yield* lines<LookalikeLine>(found)
    },
  }
}

/** A `fetch` with a limit in time that repeats what may be repeated, and gives up at a `Retry-After` beyond the patience of the caller. */
function patient({ timeout_ms, retries, wait_ms = WAIT_MS, fetch: send }: ClientOptions) {
  const ask = ky.create({
    timeout: timeout_ms ?? TIMEOUT_MS,
    retry: {
      limit: retries ?? RETRIES,
      methods: ['get', 'delete'],
      statusCodes: RETRIED,
      shouldRetry: ({ error }) =>
        error instanceof HTTPError && (retryAfter(error.response) ?? 0) * 1_000 > wait_ms ? false : undefined,
    },
    ...(send && { fetch: send }),
  })
  return async (request: Request): Promise<Response> => {
    try {
      return await ask(request)
    } catch (error) {
      if (error instanceof HTTPError) return error.response
      throw error
    }
  }
}

/** The parameter that names the target: URLs have a scheme, e-mail addresses an `@`, IPv6 addresses colons, IPv4 addresses end in a number. */
function targetOf(target: string): { url: string } | { email: string } | { ip: string } | { domain: string } {
  if (/^https?:\/\//i.test(target)) return { url: target }
  if (target.includes('@')) return { email: target }
  return target.includes(':') || /(?:^|\.)\d+$/.test(target) ? { ip: target } : { domain: target }
}

const retryAfter = ({ headers }: Response): number | null => {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}

function unreachable(server: string, cause: unknown): AssayError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const because = cause instanceof Error && cause.cause instanceof Error ? `${reason}: ${cause.cause.message}` : reason
  return new AssayError('unreachable', `${server} does not answer (${because}).`, { cause })
}

function problem(response: Response, body: unknown): AssayError {
  const { code, detail, title } = (body ?? {}) as Partial<ProblemDetails>
  const answer = {
    status: response.status,
    request_id: response.headers.get('X-Request-Id'),
    retry_after_s: retryAfter(response),
  }
  if (typeof code !== 'string') {
    return new AssayError('unreadable', `The answer with status ${response.status} is not of an assay service.`, answer)
  }
  return new AssayError(code, detail ?? title ?? code, answer)
}

/** The records of a body of NDJSON. */
async function* lines<Line>(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part !== '') yield JSON.parse(part) as Line
  }
  if (rest !== '') yield JSON.parse(rest) as Line
}
