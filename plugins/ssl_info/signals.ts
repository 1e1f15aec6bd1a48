// The signals of ssl_info, each with its sentences.
import { dateTime, printable, type Raised, type Signals, type Target, tlsVersion } from '../../src/engine/plugin.ts'
import type { Authorization } from './caa.ts'
import { sharedWildcard } from './host_name.ts'
import type { Reason } from './reasons.ts'
import { unmetDemand } from './revocation.ts'
import { daysLeft } from './section.ts'
import type { Tls } from './tls.ts'

/** What was found about one handshake. */
export interface TlsFacts {
  readonly tls: Tls
  /** Why the certificate is not valid. */
  readonly reasons: readonly Reason[]
  /** Null if the CAA records say nothing about the certificate. */
  readonly caa: Authorization | null
  readonly target: Target
  /** The name or address of the target. */
  readonly host: string
  readonly now: Date
  /** Days before the expiry from which it is soon. */
  readonly expiry_warning_days: number
}

/** Raised by any of the reasons; the first of them gives the sentence. */
const because =
  (sentences: Readonly<Partial<Record<Reason, (host: string, tls: Tls) => string>>>) =>
  ({ reasons, host, tls }: TlsFacts): Raised | null => {
    const sentenceReasons = reasons.filter(reason => reason in sentences)
    const say = sentenceReasons[0] && sentences[sentenceReasons[0]]
    return say ? { detail: say(host, tls), evidence: { reasons: sentenceReasons } } : null
  }

const on = (at: string | null | undefined): string => (at ? ` on ${dateTime(at)}` : '')

const revocation = ({ staple }: Tls): string =>
  [on(staple?.revoked_at), ...(staple?.revocation_reason ? [`(${staple.revocation_reason})`] : [])].join(' ')

const legacyProtocols: readonly (string | null)[] = ['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1']

/** Short-lived certificates are renewed late by design, so less than a third of the lifetime must be left. */
function expiresSoon({
  tls: {
    chain: [leaf],
  },
  now,
  expiry_warning_days,
}: TlsFacts): Raised | null {
  if (leaf === undefined) return null
  const life = Date.parse(leaf.not_after) - Date.parse(leaf.not_before)
  const remainingMs = Date.parse(leaf.not_after) - now.getTime()
  const days = daysLeft(leaf, now)
  if (days < 0 || days >= expiry_warning_days || remainingMs * 3 >= life) return null
  const detail = `The certificate expires${on(leaf.not_after)}, in ${days} ${days === 1 ? 'day' : 'days'}.`
  return { detail, evidence: { days_to_expire: days } }
}

/** Authorities named in a sentence. */
const NAMED_AUTHORITIES = 5

/** Authorities look at the records on the day they issue, so an older certificate is no fault. */
function misnamedByCaa({
  caa,
  tls: {
    chain: [leaf],
  },
}: TlsFacts): Raised | null {
  if (caa?.permits_issuer !== false || leaf === undefined) return null
  const issuer = leaf.issuer.organization ?? leaf.issuer.label
  const some = caa.allowed.slice(0, NAMED_AUTHORITIES).map(name => printable(name, 100))
  const more = caa.allowed.length > some.length ? ' and others' : ''
  const clause = some.length === 0 ? 'allow no authority' : `allow ${some.join(', ')}${more}`
  const detail = `The CAA records of ${caa.found_at} ${clause}, but ${issuer} issued the certificate, perhaps before they changed.`
  return { detail, evidence: { issuer, allowed: some } }
}

export const signals = {
  revoked_certificate: {
    weight: 20,
    group: 'transport',
    severity: 'high',
    title: 'Certificate has been revoked',
    advice: 'If it is yours, get a new certificate with a new key.',
    warning: 'Do not enter anything confidential.',
    when: because({
      revoked: (host, tls) => `The issuer revoked the certificate of ${host}${revocation(tls)}.`,
    }),
  },
  self_signed_certificate: {
    weight: 20,
    group: 'transport',
    severity: 'high',
    title: 'Certificate is self-signed',
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, get a certificate from an authority that browsers trust; some are free.',
    when: because({ self_signed: host => `The certificate of ${host} is self-signed.` }),
  },
  untrusted_certificate: {
    weight: 20,
    group: 'transport',
    severity: 'high',
    title: 'Certificate chain has no trusted root',
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, get a certificate from an authority that browsers trust.',
    when: because({
      unreadable_certificate: host => `The certificate of ${host} cannot be parsed.`,
      untrusted_root: host => `The certificate of ${host} does not chain to a publicly trusted root.`,
      bad_signature: host => `A signature in the certificate chain of ${host} is invalid.`,
      invalid_ca: host => `The certificate of ${host} was issued by a certificate that is not a CA certificate.`,
      invalid_purpose: host => `The certificate of ${host} does not allow TLS server authentication.`,
      path_too_long: host => `The certificate chain of ${host} exceeds the allowed path length.`,
      malformed_extension: host => `A certificate in the chain of ${host} has a repeated or malformed extension.`,
      path_rejected: (host, tls) =>
        `The certificate chain of ${host} cannot be verified (${[...tls.path_errors, tls.verify_error].filter(Boolean).join(', ')}).`,
    }),
  },
  expired_certificate: {
    weight: 15,
    group: 'transport',
    severity: 'high',
    title: 'Certificate has expired',
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, renew the certificate and automate renewal.',
    when: because({
      expired: (host, tls) => `The certificate of ${host} expired${on(tls.chain[0]?.not_after)}.`,
      chain_expired: host => `An issuer certificate in the chain of ${host} has expired.`,
    }),
  },
  certificate_name_mismatch: {
    weight: 15,
    group: 'transport',
    severity: 'high',
    title: 'Certificate does not match the host name',
    warning: 'Do not enter anything confidential.',
    advice: 'If it is yours, get a certificate for its name.',
    // Visitors reach an address by its names: a certificate that does not name the address itself is no fault.
    when: facts =>
      facts.target.kind !== 'ip' && because({ wrong_host: host => `The certificate is not valid for ${host}.` })(facts),
  },
  not_yet_valid_certificate: {
    weight: 10,
    group: 'transport',
    severity: 'high',
    title: 'Certificate is not valid yet',
    warning: 'Do not enter anything confidential.',
    advice: 'If the site is yours, check the clock of the machine that requested the certificate.',
    when: because({
      not_yet_valid: (host, tls) => `The certificate of ${host} becomes valid${on(tls.chain[0]?.not_before)}.`,
      chain_not_yet_valid: host => `An issuer certificate in the chain of ${host} is not valid yet.`,
    }),
  },
  no_tls: {
    weight: 10,
    group: 'transport',
    severity: 'medium',
    title: 'No TLS',
    warning: 'Do not enter anything confidential: others on the network can read it.',
    advice: 'If the site is yours, offer HTTPS.',
    when: because({ no_tls: host => `${host} does not offer TLS on port 443.` }),
  },
  weak_certificate_key: {
    weight: 8,
    group: 'transport',
    severity: 'medium',
    title: 'Certificate key is too weak',
    advice: 'If the site is yours, get a new certificate with an EC key or RSA of at least 2048 bits.',
    when: because({ weak_key: host => `A key in the certificate chain of ${host} is too weak.` }),
  },
  weak_certificate_signature: {
    weight: 8,
    group: 'transport',
    severity: 'high',
    title: 'Certificate signature is too weak',
    advice: 'If the site is yours, get a new certificate signed with SHA-256 or better.',
    when: because({ weak_signature: host => `A certificate of ${host} is signed with a weak hash function.` }),
  },
  legacy_tls: {
    weight: 6,
    group: 'transport',
    severity: 'medium',
    title: 'TLS version is older than 1.2',
    advice: 'If the site is yours, allow TLS 1.2 and 1.3 only.',
    when: ({ tls: { protocol }, host }) =>
      legacyProtocols.includes(protocol) && {
        detail: `${host} supports at most ${tlsVersion(protocol ?? 'TLS')}, which RFC 8996 deprecates.`,
        evidence: { protocol },
      },
  },
  tls_handshake_failed: {
    weight: 5,
    group: 'transport',
    severity: 'medium',
    title: 'TLS handshake fails',
    advice: 'If the site is yours, check its TLS settings: modern clients cannot connect.',
    when: because({
      handshake_failed: (host, tls) => `${host} answers on port 443, but the TLS handshake fails (${tls.failure}).`,
    }),
  },
  incomplete_certificate_chain: {
    weight: 4,
    group: 'transport',
    severity: 'low',
    title: 'Intermediate certificate is missing',
    advice: 'If the site is yours, send the intermediate certificate with your own.',
    when: because({
      incomplete_chain: host => `${host} does not send the intermediate certificate that leads to its root.`,
    }),
  },
  required_staple_missing: {
    weight: 2,
    group: 'transport',
    severity: 'medium',
    title: 'Required OCSP response is missing',
    advice: 'If the site is yours, turn on OCSP stapling, or get a certificate that does not demand it.',
    when({ tls, host, now }) {
      const why = unmetDemand(tls, now)
      return (
        why !== null && {
          detail: `The certificate of ${host} demands a stapled OCSP response, but ${why}.`,
          evidence: { response: tls.staple?.response ?? null },
        }
      )
    },
  },
  certificate_expires_soon: {
    weight: 1,
    group: 'transport',
    severity: 'low',
    title: 'Certificate expires soon',
    advice: 'If the site is yours, renew the certificate now.',
    when: expiresSoon,
  },
  issuer_not_in_caa: {
    weight: 0,
    group: 'transport',
    severity: 'info',
    title: 'CAA records do not name the issuer',
    advice:
      'If the site is yours, add its certificate authority to your CAA records, or find out who ordered the certificate.',
    when: misnamedByCaa,
  },
  missing_certificate_timestamps: {
    weight: 0,
    group: 'transport',
    severity: 'info',
    title: 'No Certificate Transparency timestamps',
    advice: null,
    // Browsers demand timestamps of public authorities only. Those in a TLS extension are not seen.
    when: ({ tls: { public_root, timestamps }, host }) =>
      public_root === true &&
      timestamps?.length === 0 && {
        detail: `Neither the certificate of ${host} nor its OCSP response has timestamps of Certificate Transparency logs.`,
      },
  },
  shared_wildcard_certificate: {
    weight: 0,
    group: 'transport',
    severity: 'info',
    title: 'Wildcard certificate is shared by all customers of a hosting platform',
    advice: null,
    when({
      tls: {
        chain: [leaf],
      },
      target,
    }) {
      const name = leaf === undefined ? null : sharedWildcard(leaf, target)
      return (
        name !== null && {
          detail: `${name} covers every customer of the hosting platform, so the certificate does not identify this site.`,
          evidence: { name },
        }
      )
    },
  },
} satisfies Signals<TlsFacts>
