// Gathers a domain's registration: by RDAP, or by WHOIS if the registry has no RDAP service.

import { type Bootstrap, domainQuery, rdapBases } from '../../knowledge/datasets/bootstrap.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { notRegistered, type Registration, type RegistrationFacts } from './facts.ts'
import { createSharedLookup, type LookupResult, type RegistrationCache, type SharedLookupOptions } from './lookup.ts'
import { rdapLookups, readDomain } from './rdap.ts'
import type { RegistryLookup } from './registry.ts'
import { askWhois, whoisServer } from './whois.ts'

export interface RegistrationOptions extends SharedLookupOptions {
  /** The current RDAP bootstrap file for domains; null until one is loaded. */
  readonly bootstrap: () => Bootstrap | null
  readonly cache: RegistrationCache<Registration>
}

/**
 * Rejects with `NotApplicable` for an address and for a domain whose registry has no public service
 * (`no_registry_service`); with `Unavailable` for `not_configured` (no bootstrap file) and when the lookup fails.
 */
export default function createRegistrationGatherer({
  registration: options,
}: {
  readonly registration: RegistrationOptions
}): Gatherer<Registration> {
  const { bootstrap, cache } = options
  const lookUp = createSharedLookup<RegistrationFacts>(options)
  return async context => {
    const { target } = context
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    const { registered: domain } = target
    const cachedRegistration = cache.get(domain)
    if (cachedRegistration !== null) return cachedRegistration
    const registration = ({ source, facts }: LookupResult<RegistrationFacts>) => ({ source, domain, ...facts })
    const lookups = domainLookups(domain, bootstrap())
    const keep = (lookup: LookupResult<RegistrationFacts>) => cache.put(domain, registration(lookup))
    return registration(await lookUp(context, { subject: domain, lookups, keep }))
  }
}

function domainLookups(domain: string, bootstrap: Bootstrap | null): readonly RegistryLookup<RegistrationFacts>[] {
  const bases = bootstrap === null ? [] : rdapBases(bootstrap, domain)
  if (bases.length > 0) {
    const read = (body: Buffer, now: number) => readDomain(body, domain, now)
    return rdapLookups(bases, base => ({ url: domainQuery(base, domain), read, none: notRegistered }))
  }
  const server = whoisServer(domain)
  if (server !== null) {
    return [
      { source: 'whois', host: server.host, ask: (network, question) => askWhois(network, server, domain, question) },
    ]
  }
  throw bootstrap === null ? new Unavailable(NOT_CONFIGURED) : new NotApplicable('no_registry_service')
}
