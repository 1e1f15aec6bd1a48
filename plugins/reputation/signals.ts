// What reputation may notice, and what it costs.
import type { SignalDefinition } from '../../src/engine/plugin.ts'

export const signals = {
  listed_as_malicious: {
    weight: 80,
    group: 'reputation',
    title: 'Listed for phishing, malware or a botnet',
    floor: 71,
  },
  listed_for_abuse: { weight: 35, group: 'reputation', title: 'Listed for spam or attacks' },
  listed_by_weak_list: { weight: 10, group: 'reputation', title: 'Listed by lists that prove little' },
  disposable_email: { weight: 10, group: 'reputation', title: 'A service of throw-away mail addresses' },
  lookalike_domain: { weight: 40, group: 'identity', title: 'The name passes itself off as a brand’s' },
  suspicious_name: { weight: 25, group: 'identity', title: 'The name looks like those of malicious sites' },
  newly_registered_domain: { weight: 15, group: 'identity', title: 'Registered only recently' },
  domain_on_hold: { weight: 20, group: 'reputation', title: 'Taken out of the zone by registrar or registry' },
  domain_pending_delete: { weight: 5, group: 'reputation', title: 'The registration is about to be deleted' },
  registered_in_future: { weight: 5, group: 'identity', title: 'The registry dates the registration in the future' },
  tor_exit: { weight: 30, group: 'network', title: 'An exit of Tor', floor: 31 },
  unconfirmed_reverse_name: { weight: 4, group: 'network', title: 'The reverse names lead elsewhere' },
  no_reverse_name: { weight: 2, group: 'hygiene', title: 'The address has no reverse name' },
  access_network: { weight: 0, group: 'network', title: 'An address that visitors have, not servers' },
  popular_domain: { weight: -20, group: 'trust', title: 'Among the most visited domains' },
  long_registered_domain: { weight: -10, group: 'trust', title: 'Registered for many years' },
} as const satisfies Record<string, SignalDefinition>

export type SignalId = keyof typeof signals
