// Who registered the domain where and when: by RDAP, and by WHOIS where the registry has no RDAP service.
import type { Clock } from '../clock.ts'
import type { GatherContext } from '../engine/gather.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../engine/outcome.ts'
import { type TimeLimit, timeLimit } from '../network/time_limit.ts'
import { singleFlight } from '../store/single_flight.ts'
import type { Bootstrap } from './registration/bootstrap.ts'
import type { RegistrationFacts } from './registration/facts.ts'
import type { RegistrationCache } from './registration/registration_cache.ts'
import type { RegistryPauses } from './registration/registry_pauses.ts'
import { createAsk, type Way, waysTo } from './registration/ways.ts'

export interface Registration extends RegistrationFacts {
  readonly source: 'rdap' | 'whois'
  /** The domain that was asked about: the registered one, by the ICANN section of the PSL. */
  readonly domain: string
}

export interface RegistrationOptions {
  /** The RDAP bootstrap file as it is now; null while there is none. */
  readonly bootstrap: () => Bootstrap | null
  readonly cache: RegistrationCache
  readonly pauses: RegistryPauses
  readonly clock: Clock
  /** Milliseconds for everything. */
  readonly timeout_ms?: number
}

/** A registry that takes longer does not hold up a check. */
const TIMEOUT_MS = 3_000
/** How often a check asks itself because the check that asked for both has ended. */
const OWN_TRIES = 2

/**
 * Checks of one registered domain share one question. Rejects with `NotApplicable` for an address and for a domain whose
 * registry tells nobody (`no_registry_service`), with `Unavailable` when it stays unknown: `not_configured` (no bootstrap file),
 * `rdap_timeout`, `rdap_429`, `rdap_paused`, `whois_limited`, ...
 */
export function createRegistrationGatherer(options: RegistrationOptions) {
  const { bootstrap, cache, pauses, clock, timeout_ms = TIMEOUT_MS } = options
  const flights = singleFlight<Registration>()
  const ask = createAsk(pauses)

  /** The first way that leads to an answer; else the first failure, for the others are second choices. */
  async function look(context: GatherContext, domain: string, signal: AbortSignal): Promise<Registration> {
    const ways = waysOrDecline(domain, bootstrap())
    const limit = timeLimit(timeout_ms, signal)
    try {
      return await tryEach(ways, context, domain, limit)
    } finally {
      limit.end()
    }
  }

  async function tryEach(ways: readonly Way[], context: GatherContext, domain: string, limit: TimeLimit) {
    const question = { domain, now: clock.now(), timeout_ms, signal: limit.signal }
    let reason: string | null = null
    for (const way of ways) {
      const answer = await ask(way, context.network, question)
      if (answer.ok) return keep({ source: way.source, domain, ...answer.facts })
      // What ended from our side fails in many ways
      const failure = limit.late() ? 'timeout' : context.signal.aborted ? 'cancelled' : answer.failure
      reason ??= `${way.source}_${failure}`
      if (question.signal.aborted) break
    }
    throw new Unavailable(reason ?? 'no_answer')
  }

  function keep(registration: Registration): Registration {
    cache.put(registration)
    return registration
  }

  /** Whoever asks first asks for all; when that check ends before the answer is there, another takes over. */
  async function lookTogether(context: GatherContext, domain: string): Promise<Registration> {
    for (let left = OWN_TRIES; ; left--) {
      try {
        return await flights.run(domain, signal => look(context, domain, signal), context.signal)
      } catch (error) {
        if (context.signal.aborted) throw new Unavailable('cancelled')
        if (left === 0 || !(error instanceof Unavailable) || !error.reason.endsWith('_cancelled')) throw error
      }
    }
  }

  return async (context: GatherContext): Promise<Registration> => {
    const { target } = context
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    return cache.get(target.registered) ?? lookTogether(context, target.registered)
  }
}

function waysOrDecline(domain: string, bootstrap: Bootstrap | null): readonly Way[] {
  const ways = waysTo(domain, bootstrap)
  if (ways.length > 0) return ways
  throw bootstrap === null ? new Unavailable(NOT_CONFIGURED) : new NotApplicable('no_registry_service')
}
