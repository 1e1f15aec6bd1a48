// What to do about each signal of ssl_info: first what a visitor must not do, then the advice.
export const advice = {
  revoked_certificate: 'Do not trust this site. If it is yours, get a new certificate with a new key.',
  self_signed_certificate: {
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, get a certificate from an authority that browsers trust; some are free.',
  },
  untrusted_certificate: {
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, get a certificate from an authority that browsers trust.',
  },
  expired_certificate: {
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, renew the certificate and automate renewal.',
  },
  certificate_name_mismatch: {
    warning: 'Do not enter anything confidential.',
    advice: 'This may be a different site than you expect. If it is yours, get a certificate for its name.',
  },
  not_yet_valid_certificate: {
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, check the clock of the machine that requested the certificate.',
  },
  no_tls: 'If the site is yours, offer HTTPS.',
  weak_certificate_key: 'If the site is yours, get a new certificate with an EC key or RSA of at least 2048 bits.',
  weak_certificate_signature: 'If the site is yours, get a new certificate signed with SHA-256 or better.',
  legacy_tls: 'If the site is yours, allow TLS 1.2 and 1.3 only.',
  tls_handshake_failed: 'If the site is yours, check its TLS settings: modern clients cannot connect.',
  incomplete_certificate_chain: 'If the site is yours, send the intermediate certificate with your own.',
  required_staple_missing: 'If the site is yours, turn on OCSP stapling, or get a certificate that does not demand it.',
  certificate_expires_soon: 'If the site is yours, renew the certificate now.',
  issuer_not_in_caa:
    'If the site is yours, add its certificate authority to your CAA records, or find out who ordered the certificate.',
  missing_certificate_timestamps: null,
  shared_wildcard_certificate: null,
} as const
