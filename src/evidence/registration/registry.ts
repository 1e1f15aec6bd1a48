// Sends queries to registries politely: no more at a time than configured, and none while a registry asks for a pause.
import type { Clock } from '../../base/clock.ts'
import type { NoteWait, Queue } from '../../base/scheduler/queue.ts'
import { type Capacity, upstreamClient } from '../../base/scheduler/upstream_queue.ts'
import { createUpstreamState, type UpstreamHealth, type UpstreamState } from '../../knowledge/upstreams/state.ts'
import type { CheckNetwork } from '../../network/network.ts'

export interface RegistryQuestion {
  /** The domain or the address. */
  readonly subject: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly timeout_ms: number
  /** Milliseconds that it may wait for a slot; null when nobody waits for the answer. */
  readonly wait_ms: number | null
  readonly signal: AbortSignal
  readonly waited?: NoteWait | undefined
}

/** A parsed response. `failure` is a slug: `unreadable`, `other_domain`, `other_network`, `limited`. */
export type Reading<Facts> =
  | { readonly ok: true; readonly facts: Facts }
  | { readonly ok: false; readonly failure: string }

/**
 * The result of one query. `failure` is a slug: why the fetch or the connection failed (`timeout`, `refused`,
 * `certificate`, ...), `host_not_found`, an unusable HTTP status (`503`), or why the response could not be parsed.
 * `pause` is set when the registry asks for a pause; it carries the value of Retry-After.
 */
export type RegistryAnswer<Facts> =
  | { readonly ok: true; readonly facts: Facts }
  | { readonly ok: false; readonly failure: string; readonly pause?: { readonly retry_after: string | null } }

/** How to look a subject up at one registry. */
export interface RegistryLookup<Facts> {
  readonly source: 'rdap' | 'whois'
  readonly host: string
  /** Never rejects. */
  ask(network: CheckNetwork, question: RegistryQuestion): Promise<RegistryAnswer<Facts>>
}

/** The field that all registry facts share. */
export interface RegistrationState {
  readonly registered: boolean
}

/** Never rejects. */
export type AskRegistry = <Facts extends RegistrationState>(
  lookup: RegistryLookup<Facts>,
  network: CheckNetwork,
  question: RegistryQuestion,
) => Promise<RegistryAnswer<Facts>>

/** The failure of a query that was not sent, because the registry already gets as many as it may. */
export const BUSY = 'busy'

export interface AskRegistryOptions {
  readonly pauses: RegistryPauses
  /** Queries wait here for their turn. */
  readonly queue: Queue
  /** Outcomes are reported here. */
  readonly health?: Pick<UpstreamHealth, 'note'> | undefined
}

/** Fails with `paused` while the registry asks for a pause, and with `busy` without a slot in time. */
export function createAskRegistry({ pauses, queue, health }: AskRegistryOptions): AskRegistry {
  return async <Facts extends RegistrationState>(
    lookup: RegistryLookup<Facts>,
    network: CheckNetwork,
    question: RegistryQuestion,
  ): Promise<RegistryAnswer<Facts>> => {
    const { host } = lookup
    const { signal, wait_ms } = question
    const lease = await queue.enter({ ...upstreamClient(sourceOf(host), wait_ms !== null), signal, wait_ms })
    if (lease === null) return { ok: false, failure: BUSY }
    question.waited?.('registry', lease.waited_ms)
    try {
      if (pauses.isPaused(host)) return { ok: false, failure: 'paused' }
      const registryAnswer = await lookup.ask(network, question)
      if (!registryAnswer.ok && registryAnswer.pause) pauses.pause(host, registryAnswer.pause.retry_after)
      const outcome = outcomeOf(registryAnswer)
      if (outcome !== null && !signal.aborted) health?.note('registry', host, question.subject, outcome)
      return registryAnswer
    } finally {
      lease.end()
    }
  }
}

/** Null for an answer that does not tell whether the registry works: a request for a pause. */
function outcomeOf(answer: RegistryAnswer<RegistrationState>): string | null {
  if (answer.ok) return answer.facts.registered ? 'found' : 'unknown'
  return answer.pause ? null : answer.failure
}

export type RegistryPauses = ReturnType<typeof createRegistryPauses>

/** Longest pause that a registry may request. */
const LONGEST_PAUSE_MS = 60 * 60 * 1000
const DEFAULT_PAUSE_MS = 60 * 1000

export function createRegistryPauses(clock: Clock, upstreamState: UpstreamState = createUpstreamState(clock)) {
  return {
    isPaused: (host: string) => upstreamState.isPaused(sourceOf(host)),
    /** `retry_after` is the header's value (RFC 9110 section 10.2.3): seconds or a date. If it is unreadable, one minute. */
    pause: (host: string, retryAfter: string | null) =>
      upstreamState.pause(sourceOf(host), pauseMs(retryAfter?.trim() ?? '', clock.now())),
  }
}

function pauseMs(retryAfter: string, now: number): number {
  const requestedPause = /^\d{1,12}$/.test(retryAfter) ? Number(retryAfter) * 1000 : msUntil(retryAfter, now)
  return requestedPause === null ? DEFAULT_PAUSE_MS : Math.min(requestedPause, LONGEST_PAUSE_MS)
}

/** Milliseconds until an HTTP date, which starts with the weekday; 0 for a past date, null for other text. */
function msUntil(text: string, now: number): number | null {
  const date = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text.slice(0, 40)) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** The name of a registry as an upstream. */
const sourceOf = (host: string): string => `${PREFIX}${host}`

const PREFIX = 'registry '

/** What registries allow, and those that allow something else. */
export interface RegistryCapacities extends Capacity {
  readonly hosts: Readonly<Record<string, Partial<Capacity>>>
}

/** The capacity of a registry by its name as an upstream. */
export const registryCapacity =
  ({ at_once, per_second, hosts }: RegistryCapacities) =>
  (source: string): Capacity => ({ at_once, per_second, ...hosts[source.slice(PREFIX.length)] })
