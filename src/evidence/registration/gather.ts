// Who registered the domain where and when: by RDAP, and by WHOIS where the registry has no RDAP service.

import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Bootstrap } from './bootstrap.ts'
import type { Registration, RegistrationFacts } from './facts.ts'
import { createInquiry, type InquiryOptions } from './inquiry.ts'
import { domainLookups, type Way } from './lookup_strategies.ts'
import type { RegistrationCache } from './registration_cache.ts'

export interface RegistrationOptions extends InquiryOptions {
  /** The RDAP bootstrap file for domains as it is now; null while there is none. */
  readonly bootstrap: () => Bootstrap | null
  readonly cache: RegistrationCache<Registration>
}

/**
 * Rejects with `NotApplicable` for an address and for a domain whose registry tells nobody (`no_registry_service`), with
 * `Unavailable` when it stays unknown: `not_configured` (no bootstrap file), or as an inquiry does.
 */
export default function createRegistrationGatherer({
  registration: options,
}: {
  readonly registration: RegistrationOptions
}): Gatherer<Registration> {
  const { bootstrap, cache } = options
  const inquire = createInquiry<RegistrationFacts>(options)
  return async context => {
    const { target } = context
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    const { registered: domain } = target
    const known = cache.get(domain)
    if (known !== null) return known
    const { source, facts } = await inquire(context, domain, waysOrDecline(domain, bootstrap()))
    const registration = { source, domain, ...facts }
    cache.put(domain, registration)
    return registration
  }
}

function waysOrDecline(domain: string, bootstrap: Bootstrap | null): readonly Way<RegistrationFacts>[] {
  const ways = domainLookups(domain, bootstrap)
  if (ways.length > 0) return ways
  throw bootstrap === null ? new Unavailable(NOT_CONFIGURED) : new NotApplicable('no_registry_service')
}
