// Queries a third-party API about targets, with a budget, a circuit breaker and cached answers. No library for
// the breaker: its pause depends on the answer (429, 401, a failure), and it is a few lines.
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { createCache } from '../base/cache/cache.ts'
import { caps } from '../base/cache/caps.ts'
import type { FetchResult } from '../network/network.ts'
import { Unavailable } from './facts.ts'
import type { GatherContext } from './gatherer.ts'

export interface LookupOptions<Answer extends object> {
  /** Reads a JSON answer about the subject into plain data; null when it is not an answer of this API. */
  readonly read: (body: unknown, subject: string) => Answer | null
  /** The meaning of a 404; absent where a 404 is a failure. */
  readonly unknown?: Answer
  /** Queries per minute that the third party's plan allows this process; unlimited when absent. */
  readonly per_minute?: number
  /** The answer is JSON by line, read as an array (passive DNS). */
  readonly lines?: boolean
  /** Octets of an answer. */
  readonly max_bytes?: number
  /** Milliseconds for one query. */
  readonly timeout_ms?: number
  /** Milliseconds for which an answer is cached. */
  readonly keep_ms?: number
  /** Called with the outcome of each query: `found`, or the slug of a failure of the third party. */
  readonly note?: (subject: string, outcome: string) => void
}

export interface LookupRequest {
  /** The target as the third party knows it; the cache key. */
  readonly subject: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Lookup<Answer> {
  /**
   * Rejects with `Unavailable`: `budget_spent`, `key_refused`, `rate_limited`, `status_<code>`, `malformed_answer`, a
   * failure of the network (`timeout`, `refused`, ...), or `resting` while the breaker is open. Failures that only this
   * query can have caused do not open the breaker.
   */
  ask(context: Pick<GatherContext, 'network' | 'signal'>, question: LookupRequest): Promise<Answer>
}

/** Where responses may take longer than usual, this share of that. */
const TIMEOUT_MS = 1_500
const TIMEOUT_SHARE = 0.5
/** Octets: normal answers have a few thousand, and longer reports are of no use here. */
const ANSWER_BYTES = 256 * 1024
/** Failures in a row that open the breaker, so that checks stop waiting. */
const FAILURES = 3
/** Milliseconds for which the breaker stays open: after failures, and after refusals, which last until someone acts. */
const REST_MS = 30_000
const REFUSED_MS = 600_000

export function createLookup<Answer extends object>(options: LookupOptions<Answer>): Lookup<Answer> {
  const { read, unknown, per_minute, lines, timeout_ms, keep_ms = caps.lookups.life_ms.usual, note } = options
  const { max_bytes = ANSWER_BYTES } = options
  const answers = createCache<Answer>('lookups', { life_ms: keep_ms })
  const budget = per_minute === undefined ? null : new RateLimiterMemory({ points: per_minute, duration: 60 })
  let failures = 0
  let restingUntil = 0

  async function ask(
    { network, signal }: Parameters<Lookup<Answer>['ask']>[0],
    { subject, url, headers = {} }: LookupRequest,
  ) {
    const request = {
      url,
      headers,
      signal,
      timeout_ms: timeout_ms ?? Math.max(TIMEOUT_MS, TIMEOUT_SHARE * network.limits.headers_ms),
      max_bytes,
      redirects: 0,
      accept: JSON_TYPE,
      service: true,
    }
    const fetchResult = await network.fetch({ ...request, verify_certificate: true })
    const outcome = outcomeOf(fetchResult, { read: body => read(body, subject), unknown, lines })
    if (signal.aborted) throw new Unavailable('cancelled')
    failures = outcome.rest === 'failed' ? failures + 1 : 0
    const rest = outcome.rest === 'failed' && failures < FAILURES ? 0 : RESTS[outcome.rest]
    if (rest > 0) restingUntil = performance.now() + rest
    if ('answer' in outcome) note?.(subject, 'found')
    else if (outcome.rest !== 'none') note?.(subject, outcome.reason)
    return outcome
  }

  return {
    async ask(context, question) {
      const cachedAnswer = answers.get(question.subject)
      if (cachedAnswer) return cachedAnswer
      if (performance.now() < restingUntil) throw new Unavailable('resting')
      if (budget !== null && !(await takeFrom(budget))) throw new Unavailable('budget_spent')
      const outcome = await ask(context, question)
      if (!('answer' in outcome)) throw new Unavailable(outcome.reason)
      return answers.set(question.subject, outcome.answer)
    },
  }
}

const JSON_TYPE = 'application/json'
const RESTS = { none: 0, failed: REST_MS, limited: 60_000, refused: REFUSED_MS } as const

type Outcome<Answer> = { readonly rest: keyof typeof RESTS } & (
  | { readonly answer: Answer }
  | { readonly reason: string }
)

/** Failures that say nothing about the third party: this check ran out of budget or time. */
const OURS: ReadonlySet<string> = new Set([
  'too_many_requests',
  'too_many_connections',
  'dns_too_many_queries',
  'cancelled',
])

function outcomeOf<Answer extends object>(
  fetchResult: FetchResult,
  {
    read,
    unknown,
    lines = false,
  }: Pick<LookupOptions<Answer>, 'unknown' | 'lines'> & { readonly read: (body: unknown) => Answer | null },
): Outcome<Answer> {
  if (!fetchResult.ok) return { reason: fetchResult.failure, rest: OURS.has(fetchResult.failure) ? 'none' : 'failed' }
  const status = fetchResult.exchanges.at(-1)?.status ?? 0
  if (status === 401 || status === 403) return { reason: 'key_refused', rest: 'refused' }
  if (status === 429) return { reason: 'rate_limited', rest: 'limited' }
  if (status === 404 && unknown) return { answer: unknown, rest: 'none' }
  if (status !== 200) return { reason: `status_${status}`, rest: isClientError(status) ? 'none' : 'failed' }
  const answer = read(lines ? parseLines(fetchResult.body) : parse(fetchResult.body))
  return answer === null ? { reason: 'malformed_answer', rest: 'failed' } : { answer, rest: 'none' }
}

/** The fault is in the query, and the next query may succeed (RFC 9110 section 15.5). */
const isClientError = (status: number): boolean => status >= 400 && status < 500

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

function parseLines(body: Buffer): unknown {
  const lines = body.toString('utf8').split('\n')
  return lines.filter(line => line.trim() !== '').map(line => parse(Buffer.from(line)))
}

const takeFrom = (budget: RateLimiterMemory): Promise<boolean> =>
  budget.consume('all').then(
    () => true,
    () => false,
  )
