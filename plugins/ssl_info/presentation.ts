// How people see the section.
import {
  counted,
  dateTime,
  day,
  keyKind,
  labelsOf,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  type Sentence,
  spanFrom,
  type Table,
  tlsVersion,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

const reasons: Readonly<Record<Section['invalid_reasons'][number], string>> = {
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
  chain_not_yet_valid: 'the certificate of an issuer is not valid yet',
  invalid_ca: 'an issuer is not a certificate authority',
  invalid_purpose: 'its certificate is not for web sites',
  path_rejected: 'the chain of its certificate is not valid',
  path_too_long: 'the chain of its certificate is too long',
  chain_expired: 'the certificate of an issuer has expired',
  malformed_extension: 'a certificate is malformed',
  bad_signature: 'a signature in the certificate chain is invalid',
  weak_key: 'its key is too weak',
  weak_signature: 'its certificate has a weak signature',
}

function summarise({ valid, status, protocol, days_to_expire, issuer, invalid_reasons }: Section): Sentence {
  if (status === 'refused')
    return ['The site does not use encryption: others on the network can read the page and the input of visitors.']
  if (!valid) {
    const why = (invalid_reasons ?? []).map(reason => reasons[reason] ?? words(reason)).join('; ')
    return [`Browsers show a warning for this site: ${why || 'the connection is not secure'}.`]
  }
  const remaining =
    days_to_expire === null
      ? ''
      : `, and the certificate ${days_to_expire === 0 ? 'expires today' : `is valid for ${counted(days_to_expire, 'more day')}`}`
  return [
    `Encrypted with ${tlsVersion(protocol ?? 'TLS')}${remaining}.`,
    ...(issuer === null ? [] : [' Issued by ', quote(issuer), '.']),
  ]
}

function revocation({ ocsp, revocation_checked }: Section): string {
  if (ocsp === null || ocsp.stapled === null) return 'not checked'
  if (!ocsp.stapled) return 'not checked: the server sends no OCSP response'
  if (ocsp.status === null) return 'not checked: the OCSP response of the server is not usable'
  const status = ocsp.status === 'revoked' && ocsp.revoked_at ? `revoked on ${day(ocsp.revoked_at)}` : ocsp.status
  return `${status} (OCSP response of the server, ${revocation_checked ? 'verified' : 'not verified or out of date'})`
}

function caaRecords({ permits_issuer }: NonNullable<Section['caa']>): Value {
  if (permits_issuer === null) return 'name authorities; whether the issuer is one of them is not known'
  return permits_issuer ? 'allow the issuer' : 'do not allow the issuer'
}

/** The first day on which a log received it: about when it was issued. */
function loggedAt(timestamps: NonNullable<Section['certificate_timestamps']>): string {
  const [first] = timestamps.map(({ logged_at }) => logged_at).sort()
  return first === undefined ? '' : `, first on ${day(first)}`
}

function logTable(timestamps: Section['certificate_timestamps']): readonly Table[] {
  const rows = (timestamps ?? []).map(({ log, log_id, operator, logged_at }) => {
    return [quote(log ?? log_id), quoteOr(operator), dateTime(logged_at)]
  })
  return rows.length === 0
    ? []
    : [{ title: label.certificate_timestamps, columns: ['Log', 'Operator', 'Logged'], rows }]
}

function logs(timestamps: Section['certificate_timestamps']): Value {
  if (timestamps === null) return null
  const names = [...new Set(timestamps.map(({ log, log_id }) => log ?? log_id))]
  return names.length === 0 ? 'none in the certificate' : `${counted(names.length, 'log')}${loggedAt(timestamps)}`
}

function keyExchange(exchange: Section['key_exchange']): Value {
  if (exchange === null) return null
  const { kind, group, bits, post_quantum } = exchange
  const quantum = post_quantum === null ? [] : [post_quantum ? '(post-quantum)' : '(not post-quantum)']
  return [group ?? `${kind} ${bits ?? ''}`.trim(), ...quantum].join(' ')
}

const keyText = ({ kind, curve, bits }: NonNullable<Section['key']>): string =>
  [keyKind(kind), curve, bits === null ? null : `${bits} bits`].filter(part => part !== null).join(' ')

type ChainRow = NonNullable<Section['chain']>[number]

const chainRow = ({ subject, issuer, not_after, fingerprint_sha256 }: ChainRow): readonly Value[] => [
  quoteOr(subject, 'unnamed'),
  quote(issuer),
  day(not_after),
  fingerprint_sha256,
]

const CHAIN_COLUMNS = ['Issued to', 'Issued by', 'Valid until', 'SHA-256 fingerprint']

const roles: Readonly<Record<NonNullable<Section['sent_beside']>[number]['role'], string>> = {
  root: 'a root, which servers need not send',
  cross_sign: 'another certificate of an authority on the path',
  other_leaf: 'not of an authority: no part of any path',
  other_authority: 'an authority that is not on the path',
}

const tableOf = (title: string, columns: readonly string[], rows: Table['rows']): readonly Table[] =>
  rows.length === 0 ? [] : [{ title, columns, rows }]

/** The rules behind what is judged. */
const sources = [
  { label: 'Recommendations for TLS (RFC 9325)', url: 'https://www.rfc-editor.org/rfc/rfc9325' },
  { label: 'Certificate Transparency (RFC 6962)', url: 'https://www.rfc-editor.org/rfc/rfc6962' },
  { label: 'Server-side TLS (Mozilla)', url: 'https://wiki.mozilla.org/Security/Server_Side_TLS' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Encryption and certificate',
  looks: 'the TLS connection and the certificate',
  order: 60,
  describe(section) {
    const summary = summarise(section)
    // Without TLS there is nothing to know about a certificate.
    if (section.status === 'refused') return { summary, facts: [] }
    const { key, not_before, sent_beside } = section
    return {
      summary,
      // A self-signed certificate names its own subject as the issuer, which certifies nothing.
      dependencies:
        section.issuer === null || section.is_self_signed ? [] : [{ role: 'Certified by', party: section.issuer }],
      facts: [
        [label.subject, quoteOr(section.subject)],
        [label.issuer, quoteOr(section.issuer)],
        [label.root, quoteOr(section.root, section.is_self_signed ? NONE : null)],
        [label.chain_length, section.chain_length],
        ...(sent_beside === null || sent_beside.length === 0
          ? ([[label.sent_beside, sent_beside && NONE]] as const)
          : []),
        [label.not_before, day(not_before)],
        [label.expires_at, day(section.expires_at)],
        // Without a certificate its names are unknown too.
        [label.subject_alternative_names, not_before === null ? null : section.subject_alternative_names],
        [label.serial, quoteOr(section.serial)],
        [label.signature_algorithm, quoteOr(section.signature_algorithm)],
        [label.key, key === null ? null : keyText(key)],
        [label.protocol, section.protocol && tlsVersion(section.protocol)],
        [label.cipher, section.cipher],
        [label.key_exchange, keyExchange(section.key_exchange)],
        [label.alpn, quoteOr(section.alpn, 'none agreed')],
        ['Revocation', revocation(section)],
        // Null also when no record restricts who may issue: the section of DNS shows which it is.
        ...(section.caa === null ? [] : ([[label.caa, caaRecords(section.caa)]] as const)),
        [label.certificate_timestamps, logs(section.certificate_timestamps)],
      ],
      spans: spanFrom('Certificate', not_before, section.expires_at && `${section.expires_at}Z`),
      tables: [
        ...tableOf(label.chain, CHAIN_COLUMNS, (section.chain ?? []).map(chainRow)),
        ...tableOf(
          label.sent_beside,
          [...CHAIN_COLUMNS, 'What it is'],
          (sent_beside ?? []).map(one => [...chainRow(one), roles[one.role]]),
        ),
        ...logTable(section.certificate_timestamps),
      ],
      links: sources,
    }
  },
}
