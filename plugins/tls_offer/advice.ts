// What to do about each signal of tls_offer: first what a visitor must not do, then the advice.
export const advice = {
  broken_ssl_accepted: 'If the site is yours, disable SSL 2.0 and 3.0.',
  broken_cipher_accepted: 'If the site is yours, allow only the cipher suites that your TLS library recommends.',
  weak_key_exchange_accepted: 'If the site is yours, use a Diffie-Hellman prime of 2048 bits or more, or ECDHE only.',
  old_tls_accepted: 'If the site is yours, disable TLS 1.0 and 1.1.',
  weak_cipher_accepted: 'If the site is yours, disable RC4 and 3DES.',
  insecure_renegotiation: 'If the site is yours, update its TLS library.',
  tls_compression: 'If the site is yours, disable compression in TLS.',
} as const
