// The signals of tls_offer: offers that a server should no longer accept.
import type { Evidence, Severity, SignalDefinition, SignalFound } from '../../src/engine/plugin.ts'

type Offer = Evidence['tls_offer']
type Kind = Offer['suites'][number]['kind']
type Version = Offer['versions'][number]['version']

const hygiene = (weight: number, severity: Severity, title: string): SignalDefinition => ({
  weight,
  group: 'hygiene',
  severity,
  title,
})

export const signals = {
  broken_ssl_accepted: hygiene(4, 'medium', 'Server accepts SSL 2.0 or 3.0'),
  broken_cipher_accepted: hygiene(4, 'medium', 'Server accepts cipher suites that protect nothing'),
  weak_key_exchange_accepted: hygiene(3, 'low', 'Diffie-Hellman prime is too small'),
  old_tls_accepted: hygiene(2, 'low', 'Server accepts TLS 1.0 or 1.1'),
  weak_cipher_accepted: hygiene(2, 'low', 'Server accepts weak ciphers'),
  insecure_renegotiation: hygiene(2, 'low', 'Server lacks secure renegotiation'),
  tls_compression: hygiene(2, 'low', 'Server compresses TLS records'),
}

export type SignalId = keyof typeof signals
type Found = SignalFound<SignalId>

export const versionNames: Readonly<Record<Version, string>> = {
  'TLSv1.3': 'TLS 1.3',
  'TLSv1.2': 'TLS 1.2',
  'TLSv1.1': 'TLS 1.1',
  TLSv1: 'TLS 1.0',
  SSLv3: 'SSL 3.0',
  SSLv2: 'SSL 2.0',
}

const kindNames: Readonly<Record<Kind, string>> = {
  null_encryption: 'no encryption',
  anonymous: 'no certificate',
  export: 'export-grade keys',
  des: 'DES',
  rc4: 'RC4',
  small_blocks: 'ciphers with 64-bit blocks, such as 3DES',
  static_key: 'key exchange without forward secrecy',
  finite_field: 'finite-field Diffie-Hellman',
}

/** Anyone can read or change traffic that these protect. */
const broken: readonly Kind[] = ['null_encryption', 'anonymous', 'export', 'des']
/** Attacks on these need much traffic on one connection. */
const weak: readonly Kind[] = ['rc4', 'small_blocks']

/** Primes of this size can be broken with academic resources (Logjam, 2015): the full weight. */
const BREAKABLE_BITS = 1_024
/** Share of the weight for a larger prime that is still too small. */
const TOO_SMALL = 2 / 3

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

const acceptedVersions = ({ versions }: Offer, among: readonly Version[]): Version[] =>
  versions.flatMap(({ version, status }) => (status === 'accepted' && among.includes(version) ? [version] : []))

function versionSignal(id: SignalId, host: string, offer: Offer, among: readonly Version[], why: string): Found[] {
  const versions = acceptedVersions(offer, among)
  if (versions.length === 0) return []
  const detail = `${host} accepts ${listed(versions.map(version => versionNames[version]))}, ${why}.`
  return [{ id, detail, evidence: { versions } }]
}

function kindSignal(id: SignalId, host: string, { suites }: Offer, among: readonly Kind[]): Found[] {
  const found = suites.filter(({ status, kind }) => status === 'accepted' && among.includes(kind))
  if (found.length === 0) return []
  const detail = `${host} accepts cipher suites with ${listed(found.map(({ kind }) => kindNames[kind]))}.`
  return [{ id, detail, evidence: { suites: [...new Set(found.map(({ suite }) => suite))] } }]
}

function primeSignal(host: string, { prime_bits }: Offer, least: number): Found[] {
  if (prime_bits === null || prime_bits >= least) return []
  const detail = `${host} exchanges keys with a Diffie-Hellman prime of ${prime_bits} bits; at least ${least} are required.`
  const strength = prime_bits < BREAKABLE_BITS ? 1 : TOO_SMALL
  return [{ id: 'weak_key_exchange_accepted', strength, detail, evidence: { prime_bits } }]
}

export function findSignals(offer: Offer, host: string, least_prime_bits: number): Found[] {
  const renegotiates = offer.secure_renegotiation === false
  return [
    ...versionSignal('broken_ssl_accepted', host, offer, ['SSLv3', 'SSLv2'], 'which attackers on the path can decrypt'),
    ...versionSignal('old_tls_accepted', host, offer, ['TLSv1.1', 'TLSv1'], 'which RFC 8996 deprecates'),
    ...kindSignal('broken_cipher_accepted', host, offer, broken),
    ...kindSignal('weak_cipher_accepted', host, offer, weak),
    ...primeSignal(host, offer, least_prime_bits),
    ...(renegotiates
      ? [{ id: 'insecure_renegotiation', detail: `${host} does not support secure renegotiation (RFC 5746).` } as const]
      : []),
    ...(offer.compression === true
      ? [
          {
            id: 'tls_compression',
            detail: `${host} compresses TLS records, which can disclose cookies (CRIME).`,
          } as const,
        ]
      : []),
  ]
}
