// Asks a registry's RDAP service (RFC 7480): one query, no link of the answer followed.
import type { Exchange } from '../../network/exchange.ts'
import type { CheckNetwork } from '../../network/network.ts'
import type { Answer } from './answer.ts'
import type { Reading } from './answer_values.ts'

/** Octets: a hundred times a usual answer. */
const ANSWER_BYTES = 512 * 1024
/** Registries hand on to another service at most, and that to its new address. */
const REDIRECTS = 3

export interface Question {
  /** The domain or the address. */
  readonly subject: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly timeout_ms: number
  readonly signal: AbortSignal
}

/** What is asked, and how its answer reads. */
export interface RdapQuery<Facts> {
  readonly url: string
  /** `now` in milliseconds since the Unix epoch. */
  read(body: Buffer, now: number): Reading<Facts>
  /** What it means that the registry knows no such object. */
  readonly none: Facts
}

/** Never rejects. */
export async function askRdap<Facts>(
  network: CheckNetwork,
  { url, read, none }: RdapQuery<Facts>,
  { now, timeout_ms, signal }: Question,
): Promise<Answer<Facts>> {
  const fetched = await network.fetch({
    url,
    signal,
    max_bytes: ANSWER_BYTES,
    timeout_ms,
    redirects: REDIRECTS,
    https_only: true,
    accept: 'application/rdap+json, application/json;q=0.9',
    verify_certificate: true,
  })
  if (!fetched.ok) return { ok: false, failure: failureOf(fetched.failure) }
  const exchange = fetched.exchanges.at(-1)
  if (exchange === undefined) return { ok: false, failure: 'no_response' }
  return statusAnswer(exchange, none) ?? read(fetched.body, now)
}

/** A missing host must not look like a missing domain. */
const failureOf = (failure: string): string => (failure === 'not_found' ? 'host_not_found' : failure)

/** What the status alone says (RFC 7480 section 5): 404 that there is no such object. Null when the body must be read. */
function statusAnswer<Facts>({ status, truncated, headers }: Exchange, none: Facts): Answer<Facts> | null {
  if (status === 404) return { ok: true, facts: none }
  const retry_after = headers.find(([name]) => name === 'retry-after')?.[1] ?? null
  if (status === 429 || (status === 503 && retry_after !== null)) {
    return { ok: false, failure: String(status), pause: { retry_after } }
  }
  if (status !== 200) return { ok: false, failure: String(status) }
  return truncated === null ? null : { ok: false, failure: truncated }
}
