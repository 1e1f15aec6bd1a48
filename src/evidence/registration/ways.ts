// The ways to ask about a domain: which registries, by which protocol, and with what manners.
import type { CheckNetwork } from '../../network/network.ts'
import type { Answer } from './answer.ts'
import { type Bootstrap, rdapBases } from './bootstrap.ts'
import { askRdap, type Question } from './rdap.ts'
import type { RegistryPauses } from './registry_pauses.ts'
import { createRegistryTurns } from './registry_turns.ts'
import { askWhois } from './whois.ts'
import { whoisServer } from './whois_servers.ts'

/** A way to ask one registry. */
export interface Way {
  readonly source: 'rdap' | 'whois'
  readonly host: string
  /** Never rejects. */
  ask(network: CheckNetwork, question: Question): Promise<Answer>
}

/** Base URLs that are tried of a service. */
const BASES_TRIED = 2
/** Questions a registry gets at once, from all checks together. */
const AT_ONCE = 4

/** In order of preference: RDAP, and WHOIS where there is none. Empty when nobody is known to answer. */
export function waysTo(domain: string, bootstrap: Bootstrap | null): readonly Way[] {
  const bases = bootstrap === null ? [] : rdapBases(bootstrap, domain)
  if (bases.length > 0) return bases.slice(0, BASES_TRIED).map(rdapWay)
  const server = whoisServer(domain)
  if (server === null) return []
  return [{ source: 'whois', host: server.host, ask: (network, question) => askWhois(network, server, question) }]
}

const rdapWay = (base: string): Way => ({
  source: 'rdap',
  host: new URL(base).hostname,
  ask: (network, question) => askRdap(network, base, question),
})

/** Asks when it is our turn, and not while the registry wants to be left alone (`paused`). Never rejects. */
export function createAsk(pauses: RegistryPauses) {
  const turns = createRegistryTurns(AT_ONCE)
  return async (way: Way, network: CheckNetwork, question: Question): Promise<Answer> => {
    const answer = await turns.take(way.host, question.signal, async (): Promise<Answer> => {
      if (pauses.isPaused(way.host)) return { ok: false, failure: 'paused' }
      const answered = await way.ask(network, question)
      if (!answered.ok && answered.pause) pauses.pause(way.host, answered.pause.retry_after)
      return answered
    })
    return answer ?? { ok: false, failure: 'cancelled' }
  }
}
