// Who registered the domain where and when: by RDAP, and by WHOIS where the registry has no RDAP service.
import type { Clock } from '../clock.ts'
import type { GatherContext } from '../engine/gather.ts'
import { NotApplicable, Unavailable } from '../engine/outcome.ts'
import { singleFlight } from '../store/single_flight.ts'
import type { Answer } from './registration/answer.ts'
import { type Bootstrap, rdapBases } from './registration/bootstrap.ts'
import type { RegistrationFacts } from './registration/facts.ts'
import { askRdap, type Question } from './registration/rdap.ts'
import type { RegistrationCache } from './registration/registration_cache.ts'
import type { RegistryPauses } from './registration/registry_pauses.ts'
import { createRegistryTurns } from './registration/registry_turns.ts'
import { askWhois } from './registration/whois.ts'
import { whoisServer } from './registration/whois_servers.ts'

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
/** Questions a registry gets at once, from all checks together. */
const AT_ONCE = 4
/** Base URLs that are tried of a service. */
const BASES_TRIED = 2
/** How often a check asks itself because the check that asked for both has ended. */
const OWN_TRIES = 2

/** A way to ask one registry. */
interface Way {
  readonly source: Registration['source']
  readonly host: string
  ask(network: GatherContext['network'], question: Question): Promise<Answer>
}

/**
 * Checks of one registered domain share one question. Rejects with `NotApplicable` for an address and for a domain whose
 * registry tells nobody (`no_registry_service`), with `Unavailable` when it stays unknown: `no_rdap_bootstrap`,
 * `rdap_timeout`, `rdap_429`, `rdap_paused`, `whois_limited`, ...
 */
export function createRegistrationGatherer(options: RegistrationOptions) {
  const { bootstrap, cache, pauses, clock, timeout_ms = TIMEOUT_MS } = options
  const flights = singleFlight<Registration>()
  const turns = createRegistryTurns(AT_ONCE)

  async function askWay(way: Way, network: GatherContext['network'], question: Question): Promise<Answer> {
    const answer = await turns.take(way.host, question.signal, async (): Promise<Answer> => {
      if (pauses.isPaused(way.host)) return { ok: false, failure: 'paused' }
      const answered = await way.ask(network, question)
      if (!answered.ok && answered.pause) pauses.pause(way.host, answered.pause.retry_after)
      return answered
    })
    return answer ?? { ok: false, failure: 'cancelled' }
  }

  /** The first way that leads to an answer; else the first failure, for the others are second choices. */
  async function look(context: GatherContext, domain: string, signal: AbortSignal): Promise<Registration> {
    const late = AbortSignal.timeout(timeout_ms)
    const question = { domain, now: clock.now(), timeout_ms, signal: AbortSignal.any([signal, late]) }
    let reason: string | null = null
    for (const way of waysTo(domain, bootstrap())) {
      const answer = await askWay(way, context.network, question)
      if (answer.ok) return keep({ source: way.source, domain, ...answer.facts })
      // What ended from our side fails in many ways
      const failure = late.aborted ? 'timeout' : context.signal.aborted ? 'cancelled' : answer.failure
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

/** RDAP first; WHOIS where there is none. Throws when there is no way. */
function waysTo(domain: string, bootstrap: Bootstrap | null): readonly Way[] {
  const bases = bootstrap === null ? [] : rdapBases(bootstrap, domain)
  if (bases.length > 0) return bases.slice(0, BASES_TRIED).map(rdapWay)
  const server = whoisServer(domain)
  if (server !== null) {
    return [{ source: 'whois', host: server.host, ask: (network, question) => askWhois(network, server, question) }]
  }
  throw bootstrap === null ? new Unavailable('no_rdap_bootstrap') : new NotApplicable('no_registry_service')
}

const rdapWay = (base: string): Way => ({
  source: 'rdap',
  host: new URL(base).hostname,
  ask: (network, question) => askRdap(network, base, question),
})
