// The cipher suites that web servers have used, by IANA name, and the properties that the name implies. Omits fixed
// Diffie-Hellman, DSA, Kerberos, pre-shared keys and GOST, which certificates of public authorities never used.
import { Type } from 'typebox'
import { dataFile } from '../../base/data_file.ts'
import data from './data/suites.json' with { type: 'json' }

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

export const SuitesFile = dataFile({
  suites: Type.Array(
    Type.Object(
      { code: Type.String({ pattern: '^0x[0-9a-f]{4}$' }), name: Type.String({ pattern: '^[A-Za-z0-9_]+$' }) },
      { additionalProperties: false },
    ),
    { maxItems: 127, description: 'Some servers break off longer lists.' },
  ),
})

const tlsSuite = (code: number, name: string): Suite => ({ code, name: `TLS_${name}`, kinds: kindsOf(`TLS_${name}`) })

/** Of TLS 1.2 and older, the best first: a server without a preference of its own chooses the first it knows. */
export const suites: readonly Suite[] = data.suites.map(({ code, name }) => tlsSuite(Number(code), name))

export const suitesOfTls13: readonly Suite[] = [
  tlsSuite(0x1301, 'AES_128_GCM_SHA256'),
  tlsSuite(0x1302, 'AES_256_GCM_SHA384'),
  tlsSuite(0x1303, 'CHACHA20_POLY1305_SHA256'),
]

const byCode: ReadonlyMap<number, Suite> = new Map([...suites, ...suitesOfTls13].map(suite => [suite.code, suite]))

export const suiteOf = (code: number): Suite | undefined => byCode.get(code)
