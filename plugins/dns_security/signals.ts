// What dns_security may notice, and what it costs.

export const signals = {
  domain_not_found: {
    weight: 30,
    group: 'network',
    floor: 31,
    title: 'The domain name does not exist',
  },
  dns_servfail: {
    weight: 30,
    group: 'network',
    floor: 31,
    title: 'The domain name cannot be resolved',
  },
  dns_alias_loop: {
    weight: 30,
    group: 'network',
    floor: 31,
    title: 'The aliases of the domain name lead nowhere',
  },
  dnssec_bogus: { weight: 10, group: 'network', title: 'DNSSEC validation fails' },
  resolves_to_private_address: { weight: 10, group: 'network', title: 'Resolves to an address that is not public' },
  ip_not_in_dns_answers: { weight: 10, group: 'network', title: 'The given address is not among those of the domain' },
  permissive_spf_policy: { weight: 5, group: 'hygiene', title: 'SPF lets everyone send' },
  invalid_spf_record: { weight: 4, group: 'hygiene', title: 'Invalid SPF record' },
  missing_spf_record: { weight: 3, group: 'hygiene', title: 'No SPF record' },
  weak_spf_policy: { weight: 1, group: 'hygiene', title: 'SPF rejects nobody' },
  invalid_dmarc_record: { weight: 3, group: 'hygiene', title: 'Invalid DMARC record' },
  missing_dmarc_record: { weight: 3, group: 'hygiene', title: 'No DMARC record' },
  weak_dmarc_policy: { weight: 1, group: 'hygiene', title: 'DMARC is only monitored' },
  invalid_mx_records: { weight: 2, group: 'hygiene', title: 'Mail servers that cannot be reached' },
  missing_mx_records: { weight: 1, group: 'hygiene', title: 'No MX record' },
  invalid_mta_sts_policy: { weight: 1, group: 'hygiene', title: 'Invalid MTA-STS policy' },
} as const

export type SignalId = keyof typeof signals
