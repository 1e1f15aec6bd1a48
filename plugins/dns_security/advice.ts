// What to do about each signal of dns_security: first what a visitor must not do, then the advice.
export const advice = {
  domain_not_found: 'Check the spelling. Do not trust mail or links that use a name that does not exist.',
  dns_servfail:
    'The name cannot be reached until its owner fixes its DNS. If it is yours, check DNSSEC and the name servers first.',
  dns_unanswered: 'The name cannot be reached until its owner fixes its name servers.',
  dns_alias_loop: 'If the name is yours, remove the CNAME record that closes the loop.',
  dnssec_bogus:
    'Its DNS answers fail DNSSEC validation and may be forged. If the name is yours, renew the signatures or fix the DS record.',
  resolves_to_private_address: {
    warning: 'Do not open it from inside a private network.',
    advice: 'A public name that resolves to a private address is an attack or a mistake.',
  },
  ip_not_in_dns_answers: 'The name does not resolve to this address now. Check where the address came from.',
  permissive_spf_policy: 'If the domain is yours, end its SPF record with “-all” instead of “+all”.',
  invalid_spf_record: 'If the domain is yours, correct its SPF record: receivers ignore an invalid one.',
  missing_spf_record: 'If the domain is yours, publish an SPF record; “v=spf1 -all” if it sends no mail.',
  weak_spf_policy: 'If the domain is yours, end its SPF record with “-all” or “~all”.',
  invalid_dmarc_record: 'If the domain is yours, correct its DMARC record: receivers ignore an invalid one.',
  missing_dmarc_record:
    'If the domain is yours, publish a DMARC record: start with “v=DMARC1; p=none”, then move to “p=reject”.',
  weak_dmarc_policy: 'If the domain is yours, move from p=none to p=quarantine or p=reject.',
  invalid_mx_records: 'If the domain is yours, point its MX records at names that have addresses.',
  missing_mx_records: 'If the domain is yours and receives no mail, publish a null MX record (“0 .”).',
  invalid_mta_sts_policy:
    'If the domain is yours, serve the MTA-STS policy that its DNS announces, or remove the record.',
} as const
