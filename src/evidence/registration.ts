// Who registered the domain where and when: by RDAP, and by WHOIS where the registry has no RDAP service.
import { NOT_CONFIGURED, NotApplicable, Unavailable } from './decline.ts'
import type { Gatherer } from './gatherer.ts'
import type { Bootstrap } from './registration/bootstrap.ts'
import type { RegistrationFacts } from './registration/facts.ts'
import { createInquiry, type InquiryOptions } from './registration/inquiry.ts'
import type { RegistrationCache } from './registration/registration_cache.ts'
import { type Way, waysToDomain } from './registration/ways.ts'

export interface Registration extends RegistrationFacts {
  readonly source: 'rdap' | 'whois'
  /** The domain that was asked about: the registered one, by the ICANN section of the PSL. */
  readonly domain: string
}

export interface RegistrationOptions extends InquiryOptions {
  /** The RDAP bootstrap file for domains as it is now; null while there is none. */
  readonly bootstrap: () => Bootstrap | null
  readonly cache: RegistrationCache<Registration>
}

/**
 * Rejects with `NotApplicable` for an address and for a domain whose registry tells nobody (`no_registry_service`), with
 * `Unavailable` when it stays unknown: `not_configured` (no bootstrap file), or as an inquiry does.
 */
export function createRegistrationGatherer(options: RegistrationOptions): Gatherer<'registration'> {
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
  const ways = waysToDomain(domain, bootstrap)
  if (ways.length > 0) return ways
  throw bootstrap === null ? new Unavailable(NOT_CONFIGURED) : new NotApplicable('no_registry_service')
}
