// Looks subjects up at registries: concurrent checks of one subject share one lookup, and its result is cached.

import { type TimeLimit, timeLimit } from '../../base/abort.ts'
import { createCache } from '../../base/cache/cache.ts'
import { caps } from '../../base/cache/caps.ts'
import type { Clock } from '../../base/clock.ts'
import { singleFlight } from '../../base/single_flight.ts'
import type { AskLater } from '../../knowledge/upstreams/ask_later.ts'
import { Unavailable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import { type AskRegistry, BUSY, type RegistrationState, type RegistryLookup } from './registry.ts'

export interface LookupResult<Facts> {
  readonly source: RegistryLookup<Facts>['source']
  readonly facts: Facts
}

type Context = Pick<GatherContext, 'network' | 'signal' | 'waited'>

export interface LookupRequest<Facts> {
  readonly subject: string
  readonly lookups: readonly RegistryLookup<Facts>[]
  /** Keeps the result. */
  readonly keep: (result: LookupResult<Facts>) => void
}

/**
 * Resolves to the first answer. Without one, rejects with the first failure, because later lookups are fallbacks:
 * `Unavailable` with `rdap_timeout`, `rdap_429`, `rdap_paused`, `whois_limited`, ...; with `busy` when the registry gets as
 * many queries as it may, in which case the subject is looked up later; with `cancelled` when the check ends.
 */
export type SharedLookup<Facts> = (context: Context, request: LookupRequest<Facts>) => Promise<LookupResult<Facts>>

export interface SharedLookupOptions {
  readonly ask: AskRegistry
  readonly clock: Clock
  /** Milliseconds for all lookups of a subject together, with their wait for a slot. */
  readonly timeout_ms: number
  /** Absent where no target is checked twice. */
  readonly later?: AskLater | undefined
}

/** Share of the time limit that may pass before a query has a slot: the rest is for the answer. */
const WAIT = 0.6

/** How often a check restarts a lookup after the check that ran it has ended. */
const RESTARTS = 2

export function createSharedLookup<Facts extends RegistrationState>(options: SharedLookupOptions): SharedLookup<Facts> {
  const { ask, clock, timeout_ms, later } = options
  const flights = singleFlight<LookupResult<Facts>>()

  async function lookUp(
    { network, signal: leader, waited }: Context,
    request: LookupRequest<Facts>,
    signal: AbortSignal,
  ) {
    const limit = timeLimit(timeout_ms, signal)
    try {
      return await tryEach(request, { network, limit, leader, waited, wait_ms: timeout_ms * WAIT })
    } finally {
      limit.end()
    }
  }

  async function tryEach({ subject, lookups }: LookupRequest<Facts>, attempt: Attempt) {
    const { network, limit, leader, wait_ms, waited } = attempt
    const { signal } = limit
    const question = { subject, now: clock.now(), timeout_ms, wait_ms, signal, waited }
    let reason: string | null = null
    for (const lookup of lookups) {
      const answer = await ask(lookup, network, question)
      if (answer.ok) return { source: lookup.source, facts: answer.facts }
      // An abort surfaces as different failures, depending on the stage it interrupts.
      const failure = limit.late() ? 'timeout' : leader.aborted ? 'cancelled' : answer.failure
      reason ??= answer.failure === BUSY && !leader.aborted ? BUSY : `${lookup.source}_${failure}`
      if (signal.aborted) break
    }
    throw new Unavailable(reason ?? 'no_answer')
  }

  /** In the background, where only the wait for a slot is long. */
  const again = (request: LookupRequest<Facts>) =>
    later?.(request.subject, async ({ network, signal }) => {
      const limit = { signal, late: () => false }
      request.keep(await tryEach(request, { network, limit, leader: signal, wait_ms: null }))
    })

  return async (context, request) => {
    for (let restartsLeft = RESTARTS; ; restartsLeft--) {
      try {
        const start = (signal: AbortSignal) => lookUp(context, request, signal)
        const result = await flights.run(request.subject, start, context.signal)
        request.keep(result)
        return result
      } catch (error) {
        if (context.signal.aborted) throw new Unavailable('cancelled')
        if (error instanceof Unavailable && error.reason === BUSY) again(request)
        if (restartsLeft === 0 || !(error instanceof Unavailable) || !error.reason.endsWith('_cancelled')) throw error
      }
    }
  }
}

interface Attempt extends Pick<Context, 'network' | 'waited'> {
  readonly limit: Pick<TimeLimit, 'signal' | 'late'>
  /** Aborts when the check ends whose network is used. */
  readonly leader: AbortSignal
  readonly wait_ms: number | null
}

/** Registry facts by registered domain or by address block: they rarely change, and registries limit queries. */
export interface RegistrationCache<Value extends RegistrationState> {
  get(key: string): Value | null
  put(key: string, value: Value): void
}

export function createRegistrationCache<Value extends RegistrationState>(
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
