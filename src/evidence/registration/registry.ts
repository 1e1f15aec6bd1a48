// Sends queries to registries politely: few at a time, and none while a registry asks for a pause.
import type { Clock } from '../../clock.ts'
import { onAbort } from '../../network/abort.ts'
import type { CheckNetwork } from '../../network/network.ts'
import { createUpstreamState, type UpstreamHealth, type UpstreamState } from '../../upstreams/state.ts'

export interface RegistryQuestion {
  /** The domain or the address. */
  readonly subject: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly timeout_ms: number
  readonly signal: AbortSignal
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
export interface Registered {
  readonly registered: boolean
}

/** Never rejects. */
export type AskRegistry = <Facts extends Registered>(
  lookup: RegistryLookup<Facts>,
  network: CheckNetwork,
  question: RegistryQuestion,
) => Promise<RegistryAnswer<Facts>>

/** Concurrent queries to one registry, over all checks. */
const CONCURRENT_QUERIES = 4

/** Fails with `paused` while the registry asks for a pause. Outcomes are reported to `health`. */
export function createAskRegistry(pauses: RegistryPauses, health?: Pick<UpstreamHealth, 'note'>): AskRegistry {
  const limiter = createRegistryLimiter(CONCURRENT_QUERIES)
  return async <Facts extends Registered>(
    lookup: RegistryLookup<Facts>,
    network: CheckNetwork,
    question: RegistryQuestion,
  ): Promise<RegistryAnswer<Facts>> => {
    const answer = await limiter.run(lookup.host, question.signal, async (): Promise<RegistryAnswer<Facts>> => {
      if (pauses.isPaused(lookup.host)) return { ok: false, failure: 'paused' }
      const answered = await lookup.ask(network, question)
      if (!answered.ok && answered.pause) pauses.pause(lookup.host, answered.pause.retry_after)
      const outcome = outcomeOf(answered)
      if (outcome !== null && !question.signal.aborted) health?.note('registry', lookup.host, question.subject, outcome)
      return answered
    })
    return answer ?? { ok: false, failure: 'cancelled' }
  }
}

/** Null for an answer that does not tell whether the registry works: a request for a pause. */
function outcomeOf(answer: RegistryAnswer<Registered>): string | null {
  if (answer.ok) return answer.facts.registered ? 'found' : 'unknown'
  return answer.pause ? null : answer.failure
}

export interface RegistryPauses {
  isPaused(host: string): boolean
  /** `retry_after` is the header's value (RFC 9110 section 10.2.3): seconds or a date. If it is unreadable, one minute. */
  pause(host: string, retry_after: string | null): void
}

/** Longest pause that a registry may request. */
const LONGEST_PAUSE_MS = 60 * 60 * 1000
const DEFAULT_PAUSE_MS = 60 * 1000

export function createRegistryPauses(
  clock: Clock,
  upstream_state: UpstreamState = createUpstreamState(clock),
): RegistryPauses {
  const source = (host: string) => `registry ${host}`
  return {
    isPaused: host => upstream_state.isPaused(source(host)),
    pause: (host, retry_after) => upstream_state.pause(source(host), pauseMs(retry_after?.trim() ?? '', clock.now())),
  }
}

function pauseMs(retryAfter: string, now: number): number {
  const asked = /^\d{1,12}$/.test(retryAfter) ? Number(retryAfter) * 1000 : msUntil(retryAfter, now)
  return asked === null ? DEFAULT_PAUSE_MS : Math.min(asked, LONGEST_PAUSE_MS)
}

/** Milliseconds until an HTTP date, which starts with the weekday; 0 for a past date, null for other text. */
function msUntil(text: string, now: number): number | null {
  const date = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text.slice(0, 40)) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

export interface RegistryLimiter {
  /** Runs `task` once a slot is free; null when the signal aborts first. Rejects as `task` does. */
  run<T>(host: string, signal: AbortSignal, task: () => Promise<T>): Promise<T | null>
}

interface Registry {
  running: number
  readonly waiting: Set<() => void>
}

/** Limits how many queries each registry gets at once; the others wait in order of arrival. */
export function createRegistryLimiter(concurrent: number): RegistryLimiter {
  const registries = new Map<string, Registry>()

  /** Resolves to false when the signal aborts before a slot is free. */
  function acquire(registry: Registry, signal: AbortSignal): Promise<boolean> {
    if (registry.running < concurrent) {
      registry.running++
      return Promise.resolve(true)
    }
    return new Promise(resolve => {
      const start = () => {
        stop()
        resolve(true)
      }
      const stop = onAbort(signal, () => {
        registry.waiting.delete(start)
        resolve(false)
      })
      registry.waiting.add(start)
    })
  }

  function release(host: string, registry: Registry): void {
    const [next] = registry.waiting
    if (next) {
      registry.waiting.delete(next)
      next()
    } else {
      registry.running--
      if (registry.running === 0) registries.delete(host)
    }
  }

  return {
    async run(host, signal, task) {
      if (signal.aborted) return null
      const registry = registries.get(host) ?? { running: 0, waiting: new Set() }
      registries.set(host, registry)
      if (!(await acquire(registry, signal))) return null
      try {
        return await task()
      } finally {
        release(host, registry)
      }
    },
  }
}
