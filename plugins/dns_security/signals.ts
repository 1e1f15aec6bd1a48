// The signals of dns_security and their weights.

export const signals = {
  domain_not_found: {
    weight: 30,
    group: 'network',
    severity: 'high',
    floor: 31,
    title: 'The domain name does not exist',
  },
  dns_servfail: {
    weight: 30,
    group: 'network',
    severity: 'high',
    floor: 31,
    title: 'The domain name cannot be resolved',
  },
  dns_unanswered: {
    weight: 30,
    group: 'network',
    severity: 'high',
    floor: 31,
    title: 'The name servers do not return a usable answer',
  },
  dns_alias_loop: {
    weight: 30,
    group: 'network',
    severity: 'high',
    floor: 31,
    title: 'CNAME records form a loop',
  },
  dnssec_bogus: { weight: 10, group: 'network', severity: 'high', title: 'DNSSEC validation fails' },
  resolves_to_private_address: {
    weight: 10,
    group: 'network',
    severity: 'high',
    title: 'Domain resolves to a non-public address',
  },
  ip_not_in_dns_answers: {
    weight: 10,
    group: 'network',
    severity: 'medium',
    title: 'The given IP address is not among the domain’s DNS records',
  },
  permissive_spf_policy: { weight: 5, group: 'hygiene', severity: 'medium', title: 'SPF policy allows every sender' },
  invalid_spf_record: { weight: 4, group: 'hygiene', severity: 'low', title: 'Invalid SPF record' },
  missing_spf_record: { weight: 3, group: 'hygiene', severity: 'low', title: 'No SPF record' },
  weak_spf_policy: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'SPF policy does not reject unauthorised senders',
  },
  invalid_dmarc_record: { weight: 3, group: 'hygiene', severity: 'low', title: 'Invalid DMARC record' },
  missing_dmarc_record: { weight: 3, group: 'hygiene', severity: 'low', title: 'No DMARC record' },
  weak_dmarc_policy: { weight: 1, group: 'hygiene', severity: 'low', title: 'DMARC policy does not stop spoofed mail' },
  invalid_mx_records: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'MX records point to unreachable mail servers',
  },
  missing_mx_records: { weight: 1, group: 'hygiene', severity: 'low', title: 'No MX record' },
  invalid_mta_sts_policy: { weight: 1, group: 'hygiene', severity: 'low', title: 'Invalid MTA-STS policy' },
} as const

export type SignalId = keyof typeof signals
