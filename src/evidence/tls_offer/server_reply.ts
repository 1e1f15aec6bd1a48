// Reads the first messages of a TLS server as they arrive: the version and suite that it chose, or why it refused.
// Linear in the octets received; keeps at most the size of a long certificate chain.
import { alertName } from '../../network/connection.ts'
import { versionCodes } from './client_hello.ts'
import { type Suite, sendsPrime, suiteOf, type TlsVersion } from './suites.ts'

export type Reply =
  | {
      readonly outcome: 'accepted'
      readonly version: TlsVersion
      /** The IANA name; null for SSL 2.0, whose client chooses. */
      readonly suite: Suite | null
      /** The server supports secure renegotiation (RFC 5746); null in TLS 1.3, which has no renegotiation. */
      readonly secure_renegotiation: boolean | null
      readonly compression: boolean
      /** Bits of the prime of a finite-field key exchange; null for other exchanges, or when it was not received. */
      readonly prime_bits: number | null
    }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string }

/** Octets read of one reply; RFC 8446 allows 16 MiB, real chains have at most a few tens of KiB. */
const REPLY_BYTES = 64 * 1024

const RECORD = { alert: 21, handshake: 22 }
const MESSAGE = { server_hello: 2, server_key_exchange: 12, server_hello_done: 14 }
const EXTENSION = { supported_versions: 43, renegotiation_info: 0xff01 }
const WARNING = 1

const unreadable = (reason: string): Reply => ({ outcome: 'unknown', reason })

/** `version` is the newest version of the hello. */
export function createReplyReader(version: TlsVersion) {
  const records = Buffer.alloc(REPLY_BYTES)
  /** Handshake messages without the headers of records. */
  const messages = Buffer.alloc(REPLY_BYTES)
  let size = 0
  let position = 0
  let messagesSize = 0
  let messagesRead = 0
  let hello: Extract<Reply, { outcome: 'accepted' }> | null = null

  function nextMessage(): Reply | null {
    while (messagesSize - messagesRead >= 4) {
      const type = messages[messagesRead]
      const length = messages.readUIntBE(messagesRead + 1, 3)
      const start = messagesRead + 4
      if (messagesSize < start + length) return null
      const body = messages.subarray(start, start + length)
      messagesRead = start + length
      if (hello === null) {
        if (type !== MESSAGE.server_hello) return unreadable('protocol_error')
        const serverHello = readServerHello(body, version)
        if (serverHello.outcome !== 'accepted' || !serverHello.suite || !sendsPrime(serverHello.suite))
          return serverHello
        hello = serverHello
      } else if (type === MESSAGE.server_key_exchange) {
        return { ...hello, prime_bits: readPrimeBits(body) }
      } else if (type === MESSAGE.server_hello_done) {
        return hello
      }
    }
    return null
  }

  function nextRecord(): Reply | null {
    while (size - position >= 5) {
      const type = records[position]
      if ((type !== RECORD.alert && type !== RECORD.handshake) || records[position + 1] !== 3) {
        return hello ?? unreadable('not_tls')
      }
      const start = position + 5
      const end = start + records.readUInt16BE(position + 3)
      if (size < end) return null
      position = end
      if (type === RECORD.handshake) {
        records.copy(messages, messagesSize, start, end)
        messagesSize += end - start
        const reply = nextMessage()
        if (reply !== null) return reply
      } else if (end - start >= 2 && records[start] !== WARNING) {
        return hello ?? { outcome: 'refused', reason: `alert:${alertName(records.readUInt8(start + 1))}` }
      }
    }
    return null
  }

  return {
    /** The reply, as soon as it is complete. */
    push(chunk: Buffer) {
      const copyLength = chunk.copy(records, size)
      size += copyLength
      const reply = version === 'SSLv2' && isSslv2(records, size) ? readSslv2(records.subarray(0, size)) : nextRecord()
      if (reply !== null) return reply
      return copyLength < chunk.length ? (hello ?? unreadable('too_large')) : null
    },
    /** The reply when no more data arrives. */
    end: (reason: Extract<Reply, { outcome: 'refused' | 'unknown' }>) =>
      hello ?? (size > position && reason.outcome === 'refused' ? unreadable('protocol_error') : reason),
  }
}

/** RFC 5246 section 7.4.1.3, RFC 8446 section 4.1.3. A request for another key share is an acceptance too. */
function readServerHello(body: Buffer, offeredVersion: TlsVersion): Reply {
  const session = 35 + (body[34] ?? 0)
  if (body.length < session + 3) return unreadable('protocol_error')
  const extensions = readExtensions(body.subarray(session + 3))
  const supportedVersions = extensions.get(EXTENSION.supported_versions)
  const code = supportedVersions?.length === 2 ? supportedVersions.readUInt16BE(0) : body.readUInt16BE(0)
  const version = (Object.keys(versionCodes) as TlsVersion[]).find(name => versionCodes[name] === code)
  const suite = suiteOf(body.readUInt16BE(session))
  const isOffered = version !== undefined && version !== 'SSLv2' && code <= versionCodes[offeredVersion]
  if (!isOffered || suite === undefined) return unreadable('protocol_error')
  // A server without TLS 1.3 answers with the version of the hello, TLS 1.2.
  if (offeredVersion === 'TLSv1.3' && version !== 'TLSv1.3') return { outcome: 'refused', reason: 'older_version' }
  return {
    outcome: 'accepted',
    version,
    suite,
    secure_renegotiation: version === 'TLSv1.3' ? null : extensions.has(EXTENSION.renegotiation_info),
    compression: body[session + 2] !== 0,
    prime_bits: null,
  }
}

/** Extensions by number. Stops at the first that does not fit. */
function readExtensions(block: Buffer): Map<number, Buffer> {
  const extensions = new Map<number, Buffer>()
  for (let at = 2; at + 4 <= block.length; ) {
    const end = at + 4 + block.readUInt16BE(at + 2)
    if (end > block.length) break
    extensions.set(block.readUInt16BE(at), block.subarray(at + 4, end))
    at = end
  }
  return extensions
}

/** Bits of the prime that the message begins with (RFC 5246 section 7.4.3), without leading zeros. */
function readPrimeBits(body: Buffer): number | null {
  if (body.length < 2) return null
  const prime = body.subarray(2, 2 + body.readUInt16BE(0))
  const first = prime.findIndex(octet => octet !== 0)
  return first === -1 ? null : (prime.length - first - 1) * 8 + (32 - Math.clz32(prime[first] ?? 0))
}

/** A message of SSL 2.0 begins with its length in 15 bits. */
const isSslv2 = (octets: Buffer, size: number): boolean => size > 0 && ((octets[0] ?? 0) & 0x80) !== 0

/** The code of a SERVER-HELLO of SSL 2.0, and the octets before what it lists (Hickman, 1995, section 5.6). */
const SERVER_HELLO = 4
const HEADER = 11

/** A SERVER-HELLO with at least one suite in common (Hickman, 1995, section 5.6); null until it is complete. */
function readSslv2(octets: Buffer): Reply | null {
  if (octets.length < 2 + HEADER) return null
  if (octets[2] !== SERVER_HELLO || octets.readUInt16BE(5) !== versionCodes.SSLv2) {
    return octets[2] === 0 ? { outcome: 'refused', reason: 'sslv2_error' } : unreadable('protocol_error')
  }
  if (octets.readUInt16BE(9) === 0) return { outcome: 'refused', reason: 'no_common_suite' }
  return {
    outcome: 'accepted',
    version: 'SSLv2',
    suite: null,
    secure_renegotiation: null,
    compression: false,
    prime_bits: null,
  }
}
