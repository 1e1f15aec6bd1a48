import { day } from '../times.js'
import { counted, quote, quoteOr, words } from './section.js'

/** @type {Readonly<Record<string, string>>} */
const reasons = {
  no_tls: 'it does not offer TLS',
  handshake_failed: 'the TLS handshake fails',
  unreadable_certificate: 'its certificate is unreadable',
  expired: 'its certificate has expired',
  not_yet_valid: 'its certificate is not valid yet',
  revoked: 'its issuer has revoked its certificate',
  wrong_host: 'its certificate is for a different name',
  self_signed: 'its certificate is self-signed',
  untrusted_root: 'its certificate was issued by an authority that browsers do not trust',
  incomplete_chain: 'an intermediate certificate is missing',
  chain_expired: 'the certificate of an issuer has expired',
  malformed_extension: 'a certificate is malformed',
  bad_signature: 'a signature in the certificate chain is invalid',
  weak_key: 'its key is too weak',
  weak_signature: 'its certificate has a weak signature',
}

/** @type {(section: any) => import('./section.js').Sentence} */
function summarise({ valid, status, protocol, days_to_expire, issuer, invalid_reasons }) {
  if (status === 'refused')
    return ['The site does not use encryption: others on the network can read the page and what visitors type.']
  if (!valid) {
    const why = (invalid_reasons ?? [])
      .map((/** @type {string} */ reason) => reasons[reason] ?? words(reason))
      .join('; ')
    return [`Browsers show a warning for this site: ${why || 'the connection is not secure'}.`]
  }
  const left =
    days_to_expire === null
      ? ''
      : `, and the certificate ${days_to_expire === 0 ? 'expires today' : `is valid for ${counted(days_to_expire, 'more day')}`}`
  return [
    `Encrypted with ${protocol ?? 'TLS'}${left}.`,
    ...(issuer === null ? [] : [' Issued by ', quote(issuer), '.']),
  ]
}

/** @type {(section: any) => string} */
function revocation({ ocsp, revocation_checked }) {
  if (ocsp === null || ocsp.stapled === null) return 'not checked'
  if (!ocsp.stapled) return 'not checked: the server sends no OCSP response'
  if (ocsp.status === null) return 'not checked: the OCSP response of the server is not usable'
  const status = ocsp.status === 'revoked' && ocsp.revoked_at ? `revoked on ${day(ocsp.revoked_at)}` : ocsp.status
  return `${status} (OCSP response of the server, ${revocation_checked ? 'verified' : 'not verified or out of date'})`
}

/** @type {(caa: any) => import('./section.js').Value} */
function caaRecords(caa) {
  if (caa === null || caa.permits_issuer === null) return null
  return caa.permits_issuer ? 'allow the issuer' : 'do not allow the issuer'
}

/** @type {(timestamps: { log_id: string }[] | null) => string | null} */
function logs(timestamps) {
  if (timestamps === null) return null
  const count = new Set(timestamps.map(({ log_id }) => log_id)).size
  return count === 0 ? 'none in the certificate' : counted(count, 'log')
}

/** @type {(exchange: any) => import('./section.js').Value} */
function keyExchange(exchange) {
  if (exchange === null) return null
  const { kind, group, bits, post_quantum } = exchange
  const quantum = post_quantum === null ? [] : [post_quantum ? '(post-quantum)' : '(not post-quantum)']
  return [group ?? `${kind} ${bits ?? ''}`.trim(), ...quantum].join(' ')
}

/** @type {(certificate: { subject: string | null, issuer: string }) => string} */
const beside = ({ subject, issuer }) => `${subject ?? 'unnamed'}, issued by ${issuer}`

/** @type {import('./section.js').Section} */
export const ssl_info = {
  title: 'Encryption and certificate',
  looks: 'the TLS connection and the certificate',
  describe(section) {
    const {
      issuer,
      subject,
      expires_at,
      not_before,
      protocol,
      cipher,
      key,
      subject_alternative_names,
      root,
      sent_beside,
    } = section
    // Without TLS there is nothing to know about a certificate.
    if (section.status === 'refused') return { summary: summarise(section), facts: [] }
    return {
      summary: summarise(section),
      facts: [
        ['Issued to', quoteOr(subject)],
        ['Issued by', quoteOr(issuer)],
        ['Trusted root', quoteOr(root)],
        ['Sent beside the path', sent_beside?.map(beside) ?? null],
        ['Valid from', day(not_before)],
        ['Valid until', day(expires_at)],
        ['Protocol', protocol],
        ['Cipher', cipher],
        ['Key exchange', keyExchange(section.key_exchange)],
        ['Key', key === null ? null : [key.kind, key.curve, key.bits && `${key.bits} bits`].filter(Boolean).join(' ')],
        // Without a certificate its names are unknown too.
        ['Names', not_before === null ? null : subject_alternative_names],
        ['Revocation', revocation(section)],
        ['CAA records', caaRecords(section.caa)],
        ['Transparency logs', logs(section.certificate_timestamps)],
      ],
    }
  },
}
