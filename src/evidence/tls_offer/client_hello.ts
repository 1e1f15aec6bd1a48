// Writes the first message of a TLS client (RFC 8446 section 4.1.2, RFC 5246 section 7.4.1.2) and of an SSL 2.0 client.
// No library: OpenSSL 3 can offer neither SSL 2.0 and 3.0 nor the suites of interest, and no handshake needs to be
// completed, because the server's reply already shows its choice.
import { randomBytes } from 'node:crypto'
import type { TlsVersion } from './suites.ts'

export interface Hello {
  /** The newest version offered; TLS 1.3 is offered alone. */
  readonly version: TlsVersion
  /** Codes of suites, the preferred one first; ignored for SSL 2.0. */
  readonly suites: readonly number[]
  /** Sent as SNI; null for addresses. */
  readonly server_name: string | null
  /** Also offers DEFLATE (RFC 3749). */
  readonly compression?: boolean
  /** Marks the hello as a second attempt with an older version (RFC 7507). */
  readonly fallback?: boolean
}

/** Versions on the wire. */
export const versionCodes: Readonly<Record<TlsVersion, number>> = {
  SSLv2: 0x0002,
  SSLv3: 0x0300,
  TLSv1: 0x0301,
  'TLSv1.1': 0x0302,
  'TLSv1.2': 0x0303,
  'TLSv1.3': 0x0304,
}

const EMPTY_RENEGOTIATION_INFO = 0x00ff
const FALLBACK = 0x5600

export const writeHello = (hello: Hello): Buffer => (hello.version === 'SSLv2' ? sslv2Hello() : tlsHello(hello))

function tlsHello(hello: Hello): Buffer {
  const { version, suites, compression = false, fallback = false } = hello
  const isTls13 = version === 'TLSv1.3'
  const codes = [...suites, ...(isTls13 ? [] : [EMPTY_RENEGOTIATION_INFO]), ...(fallback ? [FALLBACK] : [])]
  const head = Buffer.concat([
    // TLS 1.3 announces itself as 1.2 (RFC 8446 section 4.1.2).
    uint16(Math.min(versionCodes[version], versionCodes['TLSv1.2'])),
    randomBytes(32),
    // Middleboxes expect a session ID with TLS 1.3 (RFC 8446 appendix D.4).
    vector8(isTls13 ? randomBytes(32) : Buffer.alloc(0)),
    vector16(Buffer.concat(codes.map(uint16))),
    vector8(Buffer.from(compression ? [1, 0] : [0])),
  ])
  const body = Buffer.concat([head, extensionsOf(hello, head.length)])
  const message = Buffer.concat([Buffer.from([1, 0]), vector16(body)])
  // The version of the record is that of the oldest clients (RFC 5246 appendix E.1).
  return Buffer.concat([Buffer.from([22]), uint16(version === 'SSLv3' ? 0x0300 : 0x0301), vector16(message)])
}

/** X25519, P-256, P-384, P-521. Without named finite fields, so that the server shows its own (RFC 7919 section 4). */
const GROUPS = [0x001d, 0x0017, 0x0018, 0x0019]
/** ECDSA, RSA-PSS, RSA and DSA, with SHA-1 for old servers (RFC 8446 section 4.2.3). */
const SIGNATURES = [
  0x0403, 0x0503, 0x0603, 0x0807, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201, 0x0202,
]

/** SSL 3.0 has no extensions. */
function extensionsOf({ version, server_name }: Hello, before: number): Buffer {
  if (version === 'SSLv3') return Buffer.alloc(0)
  const isTls13 = version === 'TLSv1.3'
  const has = versionCodes[version]
  const list = Buffer.concat([
    ...(server_name === null ? [] : [extension(0, vector16(serverName(server_name)))]),
    extension(10, vector16(Buffer.concat(GROUPS.map(uint16)))),
    extension(11, vector8(Buffer.from([0]))),
    ...(has >= versionCodes['TLSv1.2'] ? [extension(13, vector16(Buffer.concat(SIGNATURES.map(uint16))))] : []),
    ...(isTls13 ? [extension(43, vector8(uint16(versionCodes['TLSv1.3']))), extension(51, vector16(keyShare()))] : []),
  ])
  const whole = Buffer.concat([list, padding(HANDSHAKE_HEADER + before + 2 + list.length)])
  return vector16(whole)
}

const serverName = (name: string): Buffer => Buffer.concat([Buffer.from([0]), vector16(Buffer.from(name, 'latin1'))])

/** Any 32 octets are a valid public value of X25519 (RFC 7748 section 5); no key is derived from it. */
const keyShare = (): Buffer => Buffer.concat([uint16(0x001d), vector16(randomBytes(32))])

const HANDSHAKE_HEADER = 4
/** Some servers never answer a hello of 256 to 511 octets (RFC 7685). */
const AWKWARD = { from: 256, to: 512 }

function padding(octets: number): Buffer {
  if (octets < AWKWARD.from || octets >= AWKWARD.to) return Buffer.alloc(0)
  return extension(21, Buffer.alloc(Math.max(0, AWKWARD.to - octets - 4)))
}

const extension = (type: number, data: Buffer): Buffer => Buffer.concat([uint16(type), vector16(data)])

/** RC4, RC2, IDEA, DES and 3DES, the first two also with keys of 40 bits. */
const SSLV2_SUITES = [0x010080, 0x020080, 0x030080, 0x040080, 0x050080, 0x060040, 0x0700c0]

/** A CLIENT-HELLO of SSL 2.0 (Hickman, 1995, section 5.4). */
function sslv2Hello(): Buffer {
  const suites = Buffer.concat(SSLV2_SUITES.map(code => Buffer.from([code >> 16, (code >> 8) & 0xff, code & 0xff])))
  const challenge = randomBytes(16)
  const body = Buffer.concat([
    Buffer.from([1]),
    uint16(versionCodes.SSLv2),
    uint16(suites.length),
    uint16(0),
    uint16(challenge.length),
    suites,
    challenge,
  ])
  return Buffer.concat([uint16(0x8000 | body.length), body])
}

function uint16(value: number): Buffer {
  const octets = Buffer.alloc(2)
  octets.writeUInt16BE(value)
  return octets
}

const vector8 = (data: Buffer): Buffer => Buffer.concat([Buffer.from([data.length]), data])
const vector16 = (data: Buffer): Buffer => Buffer.concat([uint16(data.length), data])
