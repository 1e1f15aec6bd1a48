// The signals of dns_security. The files that judge records raise them.
import type { Signals } from '../../src/engine/plugin.ts'

export const signals = {
  domain_not_found: {
    weight: 30,
    group: 'network',
    floor: 31,
    severity: 'high',
    title: 'The domain name does not exist',
    advice: 'Check the spelling. Do not trust mail or links that use a name that does not exist.',
  },
  dns_servfail: {
    weight: 30,
    group: 'network',
    floor: 31,
    severity: 'high',
    title: 'The domain name cannot be resolved',
    advice:
      'The name cannot be reached until its owner fixes its DNS. If it is yours, check DNSSEC and the name servers first.',
  },
  dns_unanswered: {
    weight: 30,
    group: 'network',
    floor: 31,
    severity: 'high',
    title: 'The name servers do not return a usable answer',
    advice: 'The name cannot be reached until its owner fixes its name servers.',
  },
  dns_alias_loop: {
    weight: 30,
    group: 'network',
    floor: 31,
    severity: 'high',
    title: 'CNAME records form a loop',
    advice: 'If the name is yours, remove the CNAME record that closes the loop.',
  },
  dnssec_bogus: {
    weight: 10,
    group: 'network',
    severity: 'high',
    title: 'DNSSEC validation fails',
    advice:
      'Its DNS answers fail DNSSEC validation and may be forged. If the name is yours, renew the signatures or fix the DS record.',
  },
  resolves_to_private_address: {
    weight: 10,
    group: 'network',
    severity: 'high',
    title: 'Domain resolves to a non-public address',
    warning: 'Do not open it from inside a private network.',
    advice: 'A public name that resolves to a private address is an attack or a mistake.',
  },
  ip_not_in_dns_answers: {
    weight: 10,
    group: 'network',
    severity: 'medium',
    title: 'The given IP address is not among the domain’s DNS records',
    advice: 'The name does not resolve to this address now. Check where the address came from.',
  },
  permissive_spf_policy: {
    weight: 5,
    group: 'hygiene',
    severity: 'medium',
    title: 'SPF policy allows every sender',
    advice: 'If the domain is yours, end its SPF record with “-all” instead of “+all”.',
  },
  invalid_spf_record: {
    weight: 4,
    group: 'hygiene',
    severity: 'low',
    title: 'Invalid SPF record',
    advice: 'If the domain is yours, correct its SPF record: receivers ignore an invalid one.',
  },
  missing_spf_record: {
    weight: 3,
    group: 'hygiene',
    severity: 'low',
    title: 'No SPF record',
    advice: 'If the domain is yours, publish an SPF record; “v=spf1 -all” if it sends no mail.',
  },
  weak_spf_policy: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'SPF policy does not reject unauthorised senders',
    advice: 'If the domain is yours, end its SPF record with “-all” or “~all”.',
  },
  invalid_dmarc_record: {
    weight: 3,
    group: 'hygiene',
    severity: 'low',
    title: 'Invalid DMARC record',
    advice: 'If the domain is yours, correct its DMARC record: receivers ignore an invalid one.',
  },
  missing_dmarc_record: {
    weight: 3,
    group: 'hygiene',
    severity: 'low',
    title: 'No DMARC record',
    advice: 'If the domain is yours, publish a DMARC record: start with “v=DMARC1; p=none”, then move to “p=reject”.',
  },
  weak_dmarc_policy: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'DMARC policy does not stop spoofed mail',
    advice: 'If the domain is yours, move from p=none to p=quarantine or p=reject.',
  },
  invalid_mx_records: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'MX records point to unreachable mail servers',
    advice: 'If the domain is yours, point its MX records at names that have addresses.',
  },
  missing_mx_records: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'No MX record',
    advice: 'If the domain is yours and receives no mail, publish a null MX record (“0 .”).',
  },
  invalid_mta_sts_policy: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'Invalid MTA-STS policy',
    advice: 'If the domain is yours, serve the MTA-STS policy that its DNS announces, or remove the record.',
  },
} satisfies Signals

export type SignalId = keyof typeof signals
