// What to do about each signal of mail_servers: first what a visitor must not do, then the advice.
export const advice = {
  dane_mismatch: 'If the domain is yours, publish a TLSA record for the new key before the server uses it.',
  mta_sts_not_met: 'If the domain is yours, give the mail server a valid certificate for its name in the MX record.',
  mail_server_without_starttls: 'If the domain is yours, give its mail server a certificate and enable STARTTLS.',
  mail_tls_fails: 'If the domain is yours, check the TLS settings of its mail server.',
  mail_servers_unreachable: 'If the domain is yours, start its mail server, or publish a null MX record (“0 .”).',
  mail_certificate_invalid: 'If the domain is yours, get a certificate for the name in the MX record.',
  outdated_mail_tls: 'If the domain is yours, update its mail server: current ones support TLS 1.2 and 1.3.',
  mail_server_not_smtp: 'If the domain is yours, point its MX records at mail servers only.',
  mail_server_without_reverse_name:
    'If the domain is yours, give its mail server a reverse DNS name (PTR) that leads back to its address.',
} as const
