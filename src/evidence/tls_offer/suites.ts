// The cipher suites that web servers have used, by IANA name, and the properties that the name implies. Omits fixed
// Diffie-Hellman, DSA, Kerberos, pre-shared keys and GOST, which certificates of public authorities never used.

export type TlsVersion = 'SSLv2' | 'SSLv3' | 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'

/** Kinds of suites that are offered. A suite may be of several kinds, or of none. */
export const suiteKinds = [
  'null_encryption',
  'anonymous',
  'export',
  'des',
  'rc4',
  'small_blocks',
  'static_key',
  'finite_field',
] as const

export type SuiteKind = (typeof suiteKinds)[number]

const marks: Readonly<Record<SuiteKind, RegExp>> = {
  null_encryption: /_NULL_/,
  anonymous: /_anon_/,
  // Keys of 40 or 56 bits, which United States export law required until 2000.
  export: /_EXPORT(?:1024)?_/,
  des: /_DES_CBC_/,
  rc4: /_RC4_/,
  // 64-bit blocks repeat within hours of traffic (CVE-2016-2183).
  small_blocks: /_(?:3DES_EDE|IDEA|RC2|DES|DES40)_CBC_/,
  // The certificate's key decrypts all recorded traffic.
  static_key: /^TLS_(?:RSA|ECDH_(?:RSA|ECDSA))_/,
  finite_field: /^TLS_(?:DHE|DH)_/,
}

export interface Suite {
  readonly code: number
  readonly name: string
  readonly kinds: readonly SuiteKind[]
}

const kindsOf = (name: string): SuiteKind[] => suiteKinds.filter(kind => marks[kind].test(name))

/** Whether the suite encrypts blocks in CBC mode. */
export const isBlockMode = (name: string): boolean => /_CBC_/.test(name)

/** The key exchange sends the message that the parser reads: a prime, a generator and a public value. */
export const sendsPrime = ({ kinds }: Suite): boolean => kinds.includes('finite_field')

/** For TLS 1.2 and older, the best first: a server without a preference of its own chooses the first it knows. */
const table: readonly (readonly [first: number, ...names: string[]])[] = [
  [0xc02b, 'ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
  [0xc02f, 'ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
  [0xcca8, 'ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256'],
  [0xc0ac, 'ECDHE_ECDSA_WITH_AES_128_CCM', 'ECDHE_ECDSA_WITH_AES_256_CCM'],
  [0xc0ae, 'ECDHE_ECDSA_WITH_AES_128_CCM_8', 'ECDHE_ECDSA_WITH_AES_256_CCM_8'],
  [0xc023, 'ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE_ECDSA_WITH_AES_256_CBC_SHA384'],
  [0xc027, 'ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE_RSA_WITH_AES_256_CBC_SHA384'],
  [0xc009, 'ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE_ECDSA_WITH_AES_256_CBC_SHA'],
  [0xc013, 'ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE_RSA_WITH_AES_256_CBC_SHA'],
  [0x009e, 'DHE_RSA_WITH_AES_128_GCM_SHA256', 'DHE_RSA_WITH_AES_256_GCM_SHA384'],
  [0xccaa, 'DHE_RSA_WITH_CHACHA20_POLY1305_SHA256'],
  [0xc09e, 'DHE_RSA_WITH_AES_128_CCM', 'DHE_RSA_WITH_AES_256_CCM'],
  [0x0067, 'DHE_RSA_WITH_AES_128_CBC_SHA256'],
  [0x006b, 'DHE_RSA_WITH_AES_256_CBC_SHA256'],
  [0x0033, 'DHE_RSA_WITH_AES_128_CBC_SHA'],
  [0x0039, 'DHE_RSA_WITH_AES_256_CBC_SHA'],
  [0x0045, 'DHE_RSA_WITH_CAMELLIA_128_CBC_SHA'],
  [0x0088, 'DHE_RSA_WITH_CAMELLIA_256_CBC_SHA'],
  [0x009a, 'DHE_RSA_WITH_SEED_CBC_SHA'],
  [0x009c, 'RSA_WITH_AES_128_GCM_SHA256', 'RSA_WITH_AES_256_GCM_SHA384'],
  [0xc09c, 'RSA_WITH_AES_128_CCM', 'RSA_WITH_AES_256_CCM'],
  [0x003c, 'RSA_WITH_AES_128_CBC_SHA256', 'RSA_WITH_AES_256_CBC_SHA256'],
  [0x002f, 'RSA_WITH_AES_128_CBC_SHA'],
  [0x0035, 'RSA_WITH_AES_256_CBC_SHA'],
  [0x0041, 'RSA_WITH_CAMELLIA_128_CBC_SHA'],
  [0x0084, 'RSA_WITH_CAMELLIA_256_CBC_SHA'],
  [0x0096, 'RSA_WITH_SEED_CBC_SHA'],
  [0xc02d, 'ECDH_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDH_ECDSA_WITH_AES_256_GCM_SHA384'],
  [0xc031, 'ECDH_RSA_WITH_AES_128_GCM_SHA256', 'ECDH_RSA_WITH_AES_256_GCM_SHA384'],
  [0xc004, 'ECDH_ECDSA_WITH_AES_128_CBC_SHA', 'ECDH_ECDSA_WITH_AES_256_CBC_SHA'],
  [0xc00e, 'ECDH_RSA_WITH_AES_128_CBC_SHA', 'ECDH_RSA_WITH_AES_256_CBC_SHA'],
  [0xc008, 'ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA'],
  [0xc012, 'ECDHE_RSA_WITH_3DES_EDE_CBC_SHA'],
  [0x0016, 'DHE_RSA_WITH_3DES_EDE_CBC_SHA'],
  [0xc003, 'ECDH_ECDSA_WITH_3DES_EDE_CBC_SHA'],
  [0xc00d, 'ECDH_RSA_WITH_3DES_EDE_CBC_SHA'],
  [0x0007, 'RSA_WITH_IDEA_CBC_SHA'],
  [0x000a, 'RSA_WITH_3DES_EDE_CBC_SHA'],
  [0xc007, 'ECDHE_ECDSA_WITH_RC4_128_SHA'],
  [0xc011, 'ECDHE_RSA_WITH_RC4_128_SHA'],
  [0xc002, 'ECDH_ECDSA_WITH_RC4_128_SHA'],
  [0xc00c, 'ECDH_RSA_WITH_RC4_128_SHA'],
  [0x0004, 'RSA_WITH_RC4_128_MD5', 'RSA_WITH_RC4_128_SHA'],
  [0x0009, 'RSA_WITH_DES_CBC_SHA'],
  [0x0015, 'DHE_RSA_WITH_DES_CBC_SHA'],
  [0x0062, 'RSA_EXPORT1024_WITH_DES_CBC_SHA'],
  [0x0064, 'RSA_EXPORT1024_WITH_RC4_56_SHA'],
  [0x0014, 'DHE_RSA_EXPORT_WITH_DES40_CBC_SHA'],
  [0x0008, 'RSA_EXPORT_WITH_DES40_CBC_SHA'],
  [0x0006, 'RSA_EXPORT_WITH_RC2_CBC_40_MD5'],
  [0x0003, 'RSA_EXPORT_WITH_RC4_40_MD5'],
  [0x00a6, 'DH_anon_WITH_AES_128_GCM_SHA256', 'DH_anon_WITH_AES_256_GCM_SHA384'],
  [0x006c, 'DH_anon_WITH_AES_128_CBC_SHA256', 'DH_anon_WITH_AES_256_CBC_SHA256'],
  [0xc018, 'ECDH_anon_WITH_AES_128_CBC_SHA', 'ECDH_anon_WITH_AES_256_CBC_SHA'],
  [0x0034, 'DH_anon_WITH_AES_128_CBC_SHA'],
  [0x003a, 'DH_anon_WITH_AES_256_CBC_SHA'],
  [0x0046, 'DH_anon_WITH_CAMELLIA_128_CBC_SHA'],
  [0x0089, 'DH_anon_WITH_CAMELLIA_256_CBC_SHA'],
  [0x001b, 'DH_anon_WITH_3DES_EDE_CBC_SHA'],
  [0xc017, 'ECDH_anon_WITH_3DES_EDE_CBC_SHA'],
  [0x0018, 'DH_anon_WITH_RC4_128_MD5'],
  [0xc016, 'ECDH_anon_WITH_RC4_128_SHA'],
  [0x001a, 'DH_anon_WITH_DES_CBC_SHA'],
  [0x0019, 'DH_anon_EXPORT_WITH_DES40_CBC_SHA'],
  [0x0017, 'DH_anon_EXPORT_WITH_RC4_40_MD5'],
  [0xc006, 'ECDHE_ECDSA_WITH_NULL_SHA'],
  [0xc010, 'ECDHE_RSA_WITH_NULL_SHA'],
  [0xc001, 'ECDH_ECDSA_WITH_NULL_SHA'],
  [0xc00b, 'ECDH_RSA_WITH_NULL_SHA'],
  [0x003b, 'RSA_WITH_NULL_SHA256'],
  [0x0002, 'RSA_WITH_NULL_SHA'],
  [0x0001, 'RSA_WITH_NULL_MD5'],
  [0xc015, 'ECDH_anon_WITH_NULL_SHA'],
]

const named = (code: number, name: string): Suite => ({ code, name: `TLS_${name}`, kinds: kindsOf(`TLS_${name}`) })

/** Fewer than 128: some servers break off longer lists. */
export const suites: readonly Suite[] = table.flatMap(([first, ...names]) =>
  names.map((name, at) => named(first + at, name)),
)

export const suitesOfTls13: readonly Suite[] = [
  named(0x1301, 'AES_128_GCM_SHA256'),
  named(0x1302, 'AES_256_GCM_SHA384'),
  named(0x1303, 'CHACHA20_POLY1305_SHA256'),
]

const byCode: ReadonlyMap<number, Suite> = new Map([...suites, ...suitesOfTls13].map(suite => [suite.code, suite]))

export const suiteOf = (code: number): Suite | undefined => byCode.get(code)
