import { day } from '../times.js'
import { counted, quote, words } from './section.js'

/** @type {Readonly<Record<string, string>>} */
const reasons = {
  no_tls: 'nothing answers there',
  handshake_failed: 'no encrypted connection comes about',
  unreadable_certificate: 'its certificate cannot be read',
  expired: 'its certificate has expired',
  not_yet_valid: 'its certificate is not valid yet',
  wrong_host: 'its certificate is for another name',
  self_signed: 'its certificate is signed by nobody but itself',
  untrusted_root: 'nobody that browsers trust vouches for its certificate',
  incomplete_chain: 'part of the chain of certificates is missing',
  bad_signature: 'a signature in the chain of certificates is wrong',
  weak_key: 'its key is too weak',
  weak_signature: 'its certificate is signed with a method that can be forged',
}

/** @type {(section: any) => import('./section.js').Sentence} */
function summarise({ valid, status, protocol, days_to_expire, issuer, invalid_reasons }) {
  if (status === 'refused')
    return ['The site offers no encryption: whatever is read or typed there can be seen on the way.']
  if (!valid) {
    const why = invalid_reasons.map((/** @type {string} */ reason) => reasons[reason] ?? words(reason)).join('; ')
    return [`Browsers warn of this site: ${why || 'the connection is not sound'}.`]
  }
  const left =
    days_to_expire === null
      ? ''
      : `, and the certificate ${days_to_expire === 0 ? 'ends today' : `is good for ${counted(days_to_expire, 'more day')}`}`
  return [
    `Encrypted with ${protocol ?? 'TLS'}${left}.`,
    ...(issuer === null ? [] : [' Vouched for by ', quote(issuer), '.']),
  ]
}

/** @type {import('./section.js').Section} */
export const ssl_info = {
  title: 'Encryption and certificate',
  looks: 'the encrypted connection and the certificate that proves whose it is',
  tell(section) {
    const { issuer, subject, expires_at, not_before, protocol, cipher, key, subject_alternative_names } = section
    return {
      summary: summarise(section),
      facts: [
        ['Issued to', subject === null ? null : quote(subject)],
        ['Issued by', issuer === null ? null : quote(issuer)],
        ['Valid from', day(not_before)],
        ['Valid until', day(expires_at)],
        ['Protocol', protocol],
        ['Cipher', cipher],
        ['Key', key === null ? null : [key.kind, key.curve, key.bits && `${key.bits} bits`].filter(Boolean).join(' ')],
        ['Names', subject_alternative_names],
        ['Revocation', 'not checked'],
      ],
    }
  },
}
