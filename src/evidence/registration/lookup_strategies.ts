// The ways to ask about a domain or an address: which registries, by which protocol, and with what manners.
import type { CheckNetwork } from '../../network/network.ts'
import type { UpstreamHealth } from '../../upstreams/health.ts'
import type { IpNetworkFacts } from '../ip_network/facts.ts'
import type { Answer } from './answer.ts'
import { notRegistered } from './answer_values.ts'
import { type Bootstrap, domainQuery, networkBases, networkQuery, rdapBases } from './bootstrap.ts'
import type { RegistrationFacts } from './facts.ts'
import { noNetwork, readNetwork } from './network_answer.ts'
import { askRdap, type Question, type RdapQuery } from './rdap.ts'
import { readRdap } from './rdap_answer.ts'
import type { RegistryPauses } from './registry_pauses.ts'
import { createRegistryTurns } from './registry_turns.ts'
import { askWhois } from './whois.ts'
import { whoisServer } from './whois_servers.ts'

/** A way to ask one registry. */
export interface Way<Facts> {
  readonly source: 'rdap' | 'whois'
  readonly host: string
  /** Never rejects. */
  ask(network: CheckNetwork, question: Question): Promise<Answer<Facts>>
}

/** Base URLs that are tried of a service. */
const BASES_TRIED = 2
/** Questions a registry gets at once, from all checks together. */
const AT_ONCE = 4

/** In order of preference: RDAP, and WHOIS where there is none. Empty when nobody is known to answer. */
export function domainLookups(domain: string, bootstrap: Bootstrap | null): readonly Way<RegistrationFacts>[] {
  const bases = bootstrap === null ? [] : rdapBases(bootstrap, domain)
  if (bases.length > 0) {
    const read = (body: Buffer, now: number) => readRdap(body, domain, now)
    return rdapWays(bases, base => ({ url: domainQuery(base, domain), read, none: notRegistered }))
  }
  const server = whoisServer(domain)
  if (server === null) return []
  return [
    { source: 'whois', host: server.host, ask: (network, question) => askWhois(network, server, domain, question) },
  ]
}

/** Empty when nobody is known to answer. */
export function networkLookups(ip: string, bootstrap: Bootstrap): readonly Way<IpNetworkFacts>[] {
  const read = (body: Buffer, now: number) => readNetwork(body, ip, now)
  return rdapWays(networkBases(bootstrap, ip), base => ({ url: networkQuery(base, ip), read, none: noNetwork }))
}

const rdapWays = <Facts>(bases: readonly string[], query: (base: string) => RdapQuery<Facts>): readonly Way<Facts>[] =>
  bases.slice(0, BASES_TRIED).map(base => ({
    source: 'rdap',
    host: new URL(base).hostname,
    ask: (network, question) => askRdap(network, query(base), question),
  }))

/** What every registry says first of all. */
export interface Registered {
  readonly registered: boolean
}

/** Never rejects. */
export type Ask = <Facts extends Registered>(
  way: Way<Facts>,
  network: CheckNetwork,
  question: Question,
) => Promise<Answer<Facts>>

/** Asks when it is our turn, and not while the registry wants to be left alone (`paused`). `health` learns how it went. */
export function createAsk(pauses: RegistryPauses, health?: Pick<UpstreamHealth, 'note'>): Ask {
  const turns = createRegistryTurns(AT_ONCE)
  return async <Facts extends Registered>(
    way: Way<Facts>,
    network: CheckNetwork,
    question: Question,
  ): Promise<Answer<Facts>> => {
    const answer = await turns.take(way.host, question.signal, async (): Promise<Answer<Facts>> => {
      if (pauses.isPaused(way.host)) return { ok: false, failure: 'paused' }
      const answered = await way.ask(network, question)
      if (!answered.ok && answered.pause) pauses.pause(way.host, answered.pause.retry_after)
      const outcome = outcomeOf(answered)
      if (outcome !== null && !question.signal.aborted) health?.note('registry', way.host, question.subject, outcome)
      return answered
    })
    return answer ?? { ok: false, failure: 'cancelled' }
  }
}

/** Null for what says nothing of the registry: it asked for a pause. */
function outcomeOf(answer: Answer<Registered>): string | null {
  if (answer.ok) return answer.facts.registered ? 'found' : 'unknown'
  return answer.pause ? null : answer.failure
}
