// The signals of reputation and their weights.
import type { SignalDefinition } from '../../src/engine/plugin.ts'

export const signals = {
  listed_as_malicious: {
    weight: 80,
    group: 'reputation',
    severity: 'critical',
    title: 'Listed for phishing, malware or a botnet',
    floor: 71,
  },
  listed_by_several: {
    weight: 70,
    group: 'reputation',
    severity: 'critical',
    title: 'Listed for abuse by independent lists',
    floor: 71,
  },
  listed_once: {
    weight: 15,
    group: 'reputation',
    severity: 'high',
    title: 'A very popular site that one list names',
  },
  listed_for_abuse: { weight: 35, group: 'reputation', severity: 'high', title: 'Listed for spam or attacks' },
  listed_by_weak_list: {
    weight: 10,
    group: 'reputation',
    severity: 'medium',
    title: 'Listed only by low-confidence lists',
  },
  malicious_host: {
    weight: 60,
    group: 'reputation',
    severity: 'critical',
    title: 'The host’s front page is malicious',
    floor: 71,
  },
  suspicious_host: {
    weight: 20,
    group: 'reputation',
    severity: 'high',
    title: 'The host’s front page is suspicious',
    floor: 31,
  },
  redirects_to_malicious_host: {
    weight: 80,
    group: 'reputation',
    severity: 'critical',
    title: 'Redirects to a host that is listed for phishing, malware or a botnet',
    floor: 71,
  },
  redirects_to_listed_host: {
    weight: 25,
    group: 'reputation',
    severity: 'high',
    title: 'Redirects to a host that is listed for abuse',
  },
  disposable_email: {
    weight: 10,
    group: 'reputation',
    severity: 'medium',
    title: 'Disposable e-mail service',
  },
  lookalike_domain: {
    weight: 40,
    group: 'identity',
    severity: 'high',
    threat_types: ['phishing'],
    title: 'The name imitates a brand',
  },
  suspicious_name: {
    weight: 25,
    group: 'identity',
    severity: 'medium',
    title: 'The name resembles names of malicious sites',
  },
  newly_registered_domain: { weight: 15, group: 'identity', severity: 'medium', title: 'Registered recently' },
  domain_on_hold: {
    weight: 20,
    group: 'reputation',
    severity: 'high',
    title: 'Suspended by the registrar or registry',
  },
  domain_pending_delete: {
    weight: 5,
    group: 'reputation',
    severity: 'medium',
    title: 'Registration is pending deletion',
  },
  registered_in_future: {
    weight: 5,
    group: 'identity',
    severity: 'medium',
    title: 'Registration date is in the future',
  },
  tor_exit: {
    weight: 30,
    group: 'network',
    severity: 'high',
    threat_types: ['proxy'],
    title: 'Tor exit node',
    floor: 31,
  },
  unconfirmed_reverse_name: {
    weight: 4,
    group: 'network',
    severity: 'low',
    title: 'Reverse DNS names do not resolve back to the address',
  },
  no_reverse_name: { weight: 2, group: 'hygiene', severity: 'low', title: 'The address has no reverse DNS name' },
  access_network: {
    weight: 0,
    group: 'network',
    severity: 'info',
    title: 'Address in a consumer access network',
  },
  popular_domain: { weight: -20, group: 'trust', severity: 'info', title: 'Among the most visited domains' },
  long_registered_domain: { weight: -10, group: 'trust', severity: 'info', title: 'Registered for many years' },
} as const satisfies Record<string, SignalDefinition>

export type SignalId = keyof typeof signals
