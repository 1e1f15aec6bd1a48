// Looks subjects up at registries: concurrent checks of one subject share one lookup, and its result is cached.
import { createCache } from '../../cache/cache.ts'
import { caps } from '../../cache/caps.ts'
import type { Clock } from '../../clock.ts'
import { type TimeLimit, timeLimit } from '../../network/abort.ts'
import { singleFlight } from '../../single_flight.ts'
import { Unavailable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import type { AskRegistry, Registered, RegistryLookup } from './registry.ts'

export interface LookupResult<Facts> {
  readonly source: RegistryLookup<Facts>['source']
  readonly facts: Facts
}

/**
 * Resolves to the first answer. Without one, rejects with the first failure, because later lookups are fallbacks:
 * `Unavailable` with `rdap_timeout`, `rdap_429`, `rdap_paused`, `whois_limited`, ..., or `cancelled` when the check ends.
 */
export type SharedLookup<Facts> = (
  context: Pick<GatherContext, 'network' | 'signal'>,
  subject: string,
  lookups: readonly RegistryLookup<Facts>[],
) => Promise<LookupResult<Facts>>

export interface SharedLookupOptions {
  readonly ask: AskRegistry
  readonly clock: Clock
  /** Milliseconds for all lookups of a subject together. */
  readonly timeout_ms?: number | undefined
}

/** Slower registries must not delay a check. */
const TIMEOUT_MS = 3_000
/** How often a check restarts a lookup after the check that ran it has ended. */
const RESTARTS = 2

export function createSharedLookup<Facts extends Registered>({
  ask,
  clock,
  timeout_ms = TIMEOUT_MS,
}: SharedLookupOptions): SharedLookup<Facts> {
  const flights = singleFlight<LookupResult<Facts>>()

  async function lookUp(
    context: Parameters<SharedLookup<Facts>>[0],
    subject: string,
    lookups: readonly RegistryLookup<Facts>[],
    signal: AbortSignal,
  ) {
    const limit = timeLimit(timeout_ms, signal)
    try {
      return await tryEach(context, subject, lookups, limit)
    } finally {
      limit.end()
    }
  }

  async function tryEach(
    context: Parameters<SharedLookup<Facts>>[0],
    subject: string,
    lookups: readonly RegistryLookup<Facts>[],
    limit: TimeLimit,
  ): Promise<LookupResult<Facts>> {
    const question = { subject, now: clock.now(), timeout_ms, signal: limit.signal }
    let reason: string | null = null
    for (const lookup of lookups) {
      const answer = await ask(lookup, context.network, question)
      if (answer.ok) return { source: lookup.source, facts: answer.facts }
      // An abort surfaces as different failures, depending on the stage it interrupts.
      const failure = limit.late() ? 'timeout' : context.signal.aborted ? 'cancelled' : answer.failure
      reason ??= `${lookup.source}_${failure}`
      if (question.signal.aborted) break
    }
    throw new Unavailable(reason ?? 'no_answer')
  }

  return async (context, subject, lookups) => {
    for (let left = RESTARTS; ; left--) {
      try {
        return await flights.run(subject, signal => lookUp(context, subject, lookups, signal), context.signal)
      } catch (error) {
        if (context.signal.aborted) throw new Unavailable('cancelled')
        if (left === 0 || !(error instanceof Unavailable) || !error.reason.endsWith('_cancelled')) throw error
      }
    }
  }
}

/** Registry facts by registered domain or by address block: they rarely change, and registries limit queries. */
export interface RegistrationCache<Value extends Registered> {
  get(key: string): Value | null
  put(key: string, value: Value): void
}

export function createRegistrationCache<Value extends Registered>(
  name: 'registrations' | 'networks',
  clock: Clock,
  octets?: number,
): RegistrationCache<Value> {
  const { registered, free } = caps[name].life_ms
  const cache = createCache<Value>(name, { now: clock.monotonic, ...(octets !== undefined && { octets }) })
  return {
    get: key => cache.get(key) ?? null,
    put: (key, value) => void cache.set(key, value, value.registered ? registered : free),
  }
}
