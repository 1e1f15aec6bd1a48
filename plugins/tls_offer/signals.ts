// The signals of tls_offer: offers that a server should no longer accept.
import type { Evidence, Raised, Signals } from '../../src/engine/plugin.ts'

type OfferEvidence = Evidence['tls_offer']
type SuiteKind = OfferEvidence['suites'][number]['kind']
type VersionName = OfferEvidence['versions'][number]['version']

/** What the signals are judged by. */
export interface OfferFacts {
  readonly offer: OfferEvidence
  /** The name or address of the target. */
  readonly host: string
  /** Bits of a Diffie-Hellman prime below which it is too small. */
  readonly least_prime_bits: number
}

/** The names of versions for people. */
export const versionNames: Readonly<Record<VersionName, string>> = {
  'TLSv1.3': 'TLS 1.3',
  'TLSv1.2': 'TLS 1.2',
  'TLSv1.1': 'TLS 1.1',
  TLSv1: 'TLS 1.0',
  SSLv3: 'SSL 3.0',
  SSLv2: 'SSL 2.0',
}

const kindNames: Readonly<Record<SuiteKind, string>> = {
  null_encryption: 'no encryption',
  anonymous: 'no certificate',
  export: 'export-grade keys',
  des: 'DES',
  rc4: 'RC4',
  small_blocks: 'ciphers with 64-bit blocks, such as 3DES',
  static_key: 'key exchange without forward secrecy',
  finite_field: 'finite-field Diffie-Hellman',
}

/** Primes of this size can be broken with academic resources (Logjam, 2015): the full weight. */
const BREAKABLE_BITS = 1_024
/** Share of the weight for a larger prime that is still too small. */
const TOO_SMALL = 2 / 3

const nameList = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

const acceptsVersions =
  (among: readonly VersionName[], why: string) =>
  ({ offer, host }: OfferFacts): Raised | null => {
    const versions = offer.versions.flatMap(({ version, status }) =>
      status === 'accepted' && among.includes(version) ? [version] : [],
    )
    const names = versions.map(version => versionNames[version])
    return versions.length === 0
      ? null
      : { detail: `${host} accepts ${nameList(names)}, ${why}.`, evidence: { versions } }
  }

const acceptsKinds =
  (...among: readonly SuiteKind[]) =>
  ({ offer, host }: OfferFacts): Raised | null => {
    const suites = offer.suites.filter(({ status, kind }) => status === 'accepted' && among.includes(kind))
    if (suites.length === 0) return null
    const detail = `${host} accepts cipher suites with ${nameList(suites.map(({ kind }) => kindNames[kind]))}.`
    return { detail, evidence: { suites: [...new Set(suites.map(({ suite }) => suite))] } }
  }

export const signals = {
  broken_ssl_accepted: {
    weight: 4,
    group: 'hygiene',
    severity: 'medium',
    title: 'Server accepts SSL 2.0 or 3.0',
    advice: 'If the site is yours, disable SSL 2.0 and 3.0.',
    when: acceptsVersions(['SSLv3', 'SSLv2'], 'which attackers on the path can decrypt'),
  },
  // Anyone can read or change traffic that these protect.
  broken_cipher_accepted: {
    weight: 4,
    group: 'hygiene',
    severity: 'medium',
    title: 'Server accepts NULL or anonymous cipher suites',
    advice: 'If the site is yours, allow only the cipher suites that your TLS library recommends.',
    when: acceptsKinds('null_encryption', 'anonymous', 'export', 'des'),
  },
  weak_key_exchange_accepted: {
    weight: 3,
    group: 'hygiene',
    severity: 'low',
    title: 'Diffie-Hellman prime is too small',
    advice: 'If the site is yours, use a Diffie-Hellman prime of 2048 bits or more, or ECDHE only.',
    when: ({ offer: { prime_bits }, host, least_prime_bits }) =>
      prime_bits !== null &&
      prime_bits < least_prime_bits && {
        strength: prime_bits < BREAKABLE_BITS ? 1 : TOO_SMALL,
        detail: `${host} exchanges keys with a Diffie-Hellman prime of ${prime_bits} bits; at least ${least_prime_bits} are required.`,
        evidence: { prime_bits },
      },
  },
  old_tls_accepted: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'Server accepts TLS 1.0 or 1.1',
    advice: 'If the site is yours, disable TLS 1.0 and 1.1.',
    when: acceptsVersions(['TLSv1.1', 'TLSv1'], 'which RFC 8996 deprecates'),
  },
  // Attacks on these need much traffic on one connection.
  weak_cipher_accepted: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'Server accepts weak ciphers',
    advice: 'If the site is yours, disable RC4 and 3DES.',
    when: acceptsKinds('rc4', 'small_blocks'),
  },
  insecure_renegotiation: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'Server lacks secure renegotiation',
    advice: 'If the site is yours, update its TLS library.',
    when: ({ offer, host }) =>
      offer.secure_renegotiation === false && {
        detail: `${host} does not support secure renegotiation (RFC 5746).`,
      },
  },
  tls_compression: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'Server compresses TLS records',
    advice: 'If the site is yours, disable compression in TLS.',
    when: ({ offer, host }) =>
      offer.compression === true && {
        detail: `${host} compresses TLS records, which can disclose cookies (CRIME).`,
      },
  },
} satisfies Signals<OfferFacts>
