// Whether the directory of The Green Web Foundation lists the host of a name as running on green energy. It learns the name.
import { LRUCache } from 'lru-cache'
import type { GatherContext, Gatherer } from '../engine/gather.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../engine/outcome.ts'
import type { Fetched } from '../network/network.ts'
import { clean } from './html/clean.ts'

/** `not_green`: the directory has no proof of green energy. `unknown` has a `reason`, the others have none. */
export interface GreenHosting {
  readonly status: 'green' | 'not_green' | 'unknown'
  /** A failure of the fetch (`timeout`, `refused`, ...), `status_<code>`, `malformed_answer`, or `resting` after one of these. */
  readonly reason: string | null
  /** The host, as the directory calls it; <= 128 characters. */
  readonly hosted_by: string | null
}

export interface GreenHostingOptions {
  /** False: nothing is asked, ever. */
  readonly enabled: boolean
  /** The name is appended to it. */
  readonly endpoint: string
  /** Milliseconds that answers are kept. */
  readonly keep_ms?: number
  /** Milliseconds without questions after one that failed. */
  readonly rest_ms?: number
}

/** Interface of the Greencheck API, version 3. */
export const GREENCHECK = 'https://api.thegreenwebfoundation.org/api/v3/greencheck/'

/** Milliseconds for the whole question: no check shall wait for a fact that costs no points. */
const QUESTION_MS = 1_500
/** Octets: an answer with its documents has some thousand. */
const ANSWER_BYTES = 64 * 1024
/** Hosts move seldom, and the directory itself is published once a day. */
const KEEP_MS = 86_400_000
/** A directory that is down is left alone for a while, lest each check waits for it. */
const REST_MS = 30_000
/** Names whose answers are kept: some megabytes. */
const KEPT = 20_000
const NAME_CHARACTERS = 128

/** Rejects with `NotApplicable` for an address and for names that lead nowhere public, with `Unavailable` when switched off. */
export function createGreenHostingGatherer(options: GreenHostingOptions): Gatherer<'green_hosting'> {
  const { enabled, endpoint, keep_ms = KEEP_MS, rest_ms = REST_MS } = options
  const answers = new LRUCache<string, GreenHosting>({ max: KEPT, ttl: keep_ms })
  let rested = 0
  return async context => {
    const { target } = context
    if (!enabled) throw new Unavailable(NOT_CONFIGURED)
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    const kept = answers.get(target.domain)
    if (kept) return kept
    const { dialable } = await context.gather('addresses')
    if (dialable.length === 0) throw new NotApplicable('no_address')
    if (performance.now() < rested) return unknown('resting')
    const answer = await ask(context, `${endpoint}${encodeURIComponent(target.domain)}`)
    if (answer.status !== 'unknown') answers.set(target.domain, answer)
    else if (isDown(answer) && !context.signal.aborted) rested = performance.now() + rest_ms
    return answer
  }
}

/** Failures that the next question would meet too: those of this check's budget and of this name's answer are not. */
const isDown = ({ reason }: GreenHosting): boolean =>
  !/^(?:too_many_requests|too_many_connections|malformed_answer|status_4(?!29)\d\d)$/.test(reason ?? '')

const unknown = (reason: string): GreenHosting => ({ status: 'unknown', reason, hosted_by: null })

async function ask({ network, signal }: GatherContext, url: string): Promise<GreenHosting> {
  const fetched = await network.fetch({
    url,
    signal,
    accept: 'application/json',
    max_bytes: ANSWER_BYTES,
    timeout_ms: QUESTION_MS,
    redirects: 0,
    verify_certificate: true,
  })
  return readAnswer(fetched)
}

/** What was fetched as an answer; whatever is no answer is unknown. */
export function readAnswer(fetched: Fetched): GreenHosting {
  if (!fetched.ok) return unknown(fetched.failure)
  const status = fetched.exchanges.at(-1)?.status
  if (status !== 200) return unknown(`status_${status}`)
  const { green, hosted_by } = parse(fetched.body)
  if (typeof green !== 'boolean') return unknown('malformed_answer')
  const name = typeof hosted_by === 'string' ? clean(hosted_by.toWellFormed(), NAME_CHARACTERS) : ''
  return { status: green ? 'green' : 'not_green', reason: null, hosted_by: name === '' ? null : name }
}

function parse(body: Buffer): { readonly green?: unknown; readonly hosted_by?: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
