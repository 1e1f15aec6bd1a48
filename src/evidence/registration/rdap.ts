// Asks a registry's RDAP service about a domain (RFC 7480): one query, no link of the answer followed.
import type { Exchange } from '../../network/exchange.ts'
import type { CheckNetwork } from '../../network/network.ts'
import type { Answer } from './answer.ts'
import { domainQuery } from './bootstrap.ts'
import { notRegistered } from './facts.ts'
import { readRdap } from './rdap_answer.ts'

/** Octets: a hundred times a usual answer. */
const ANSWER_BYTES = 512 * 1024
/** Registries hand on to another service at most, and that to its new address. */
const REDIRECTS = 3

export interface Question {
  /** The registered domain, A-labels. */
  readonly domain: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly timeout_ms: number
  readonly signal: AbortSignal
}

/** Never rejects. */
export async function askRdap(network: CheckNetwork, base: string, question: Question): Promise<Answer> {
  const { domain, now, timeout_ms, signal } = question
  const fetched = await network.fetch({
    url: domainQuery(base, domain),
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
  return statusAnswer(exchange) ?? readRdap(fetched.body, domain, now)
}

/** A missing host must not look like a missing domain. */
const failureOf = (failure: string): string => (failure === 'not_found' ? 'host_not_found' : failure)

/** What the status alone says (RFC 7480 section 5): 404 that there is no such domain. Null when the body must be read. */
function statusAnswer({ status, truncated, headers }: Exchange): Answer | null {
  if (status === 404) return { ok: true, facts: notRegistered }
  const retry_after = headers.find(([name]) => name === 'retry-after')?.[1] ?? null
  if (status === 429 || (status === 503 && retry_after !== null)) {
    return { ok: false, failure: String(status), pause: { retry_after } }
  }
  if (status !== 200) return { ok: false, failure: String(status) }
  return truncated === null ? null : { ok: false, failure: truncated }
}
