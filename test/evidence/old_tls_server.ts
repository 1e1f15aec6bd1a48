// A TLS server of another age, as far as a client hears it before keys matter: it reads the first message, chooses a
// version and a suite from those it has, and answers. OpenSSL 3 has no server for these versions and suites.
import type { Socket } from 'node:net'
import { versionCodes } from '../../src/evidence/tls_offer/client_hello.ts'
import { type Suite, suiteOf, suites, type TlsVersion } from '../../src/evidence/tls_offer/suites.ts'
import type { Step } from '../../src/testing/lab_script.ts'

export interface OldTls {
  readonly versions: readonly TlsVersion[]
  /** IANA names without `TLS_`, in the server's order. */
  readonly suites: readonly string[]
  /** Chooses by its own order. */
  readonly own_order?: boolean
  readonly prime_bits?: number
  readonly secure_renegotiation?: boolean
  readonly compression?: boolean
  /** Refuses a needless fallback. */
  readonly fallback?: boolean
  /** How it says no; with an alert by default. */
  readonly refuses?: 'alert' | 'close' | 'reset' | 'silence'
  /** Answers this many connections; then it only refuses. */
  readonly connections?: number
  /** Sent before its answer. */
  readonly before?: Buffer
}

interface Heard {
  readonly version: number
  readonly codes: readonly number[]
  readonly deflate: boolean
}

const named = (name: string): Suite => {
  const suite = suites.find(one => one.name === `TLS_${name}`)
  if (suite === undefined) throw new Error(`no suite ${name}`)
  return suite
}

/** The bytes of every hello, in the order of arrival. */
export function oldTls(options: OldTls, hellos: Buffer[] = []): Step {
  const known = options.suites.map(named)
  return socket => {
    socket.once('data', (hello: Buffer) => {
      hellos.push(hello)
      const isSpent = options.connections !== undefined && hellos.length > options.connections
      if (isSpent) refuse(socket, options, ALERT.handshake_failure)
      else if ((hello[0] ?? 0) & 0x80) answerSslv2(socket, options)
      else answer(socket, options, known, readHello(hello))
    })
  }
}

function readHello(hello: Buffer): Heard {
  const session = 44 + (hello[43] ?? 0)
  const end = session + 2 + hello.readUInt16BE(session)
  const codes: number[] = []
  for (let at = session + 2; at < end; at += 2) codes.push(hello.readUInt16BE(at))
  const version = codes.some(code => suiteOf(code)?.name.startsWith('TLS_AES')) ? 0x0304 : hello.readUInt16BE(9)
  return { version, codes, deflate: hello[end + 1] === 1 }
}

const ALERT = { handshake_failure: 40, protocol_version: 70, inappropriate_fallback: 86 }

function answer(socket: Socket, options: OldTls, known: readonly Suite[], heard: Heard): void {
  const has = options.versions.map(version => versionCodes[version])
  const version = Math.max(0, ...has.filter(code => code >= 0x0300 && code <= heard.version))
  const refusing = (alert: number) => refuse(socket, options, alert)
  if (options.fallback && heard.codes.includes(0x5600) && version < Math.max(...has)) {
    refusing(ALERT.inappropriate_fallback)
    return
  }
  if (version === 0 || heard.version === 0x0304) {
    refusing(ALERT.protocol_version)
    return
  }
  const offered = heard.codes.flatMap(code => known.find(suite => suite.code === code) ?? [])
  const suite = options.own_order ? known.find(one => offered.includes(one)) : offered[0]
  if (suite === undefined) {
    refusing(ALERT.handshake_failure)
    return
  }
  const renegotiation = options.secure_renegotiation ? Buffer.from([0, 5, 0xff, 1, 0, 1, 0]) : Buffer.alloc(0)
  const hello = Buffer.concat([
    uint16(version),
    Buffer.alloc(32, 7),
    Buffer.from([0]),
    uint16(suite.code),
    Buffer.from([options.compression && heard.deflate ? 1 : 0]),
    renegotiation,
  ])
  const flight = [message(2, hello), message(11, Buffer.alloc(900, 1))]
  if (suite.kinds.includes('finite_field')) flight.push(message(12, keyExchange(options.prime_bits ?? 2048)))
  flight.push(message(14, Buffer.alloc(0)))
  socket.write(Buffer.concat([options.before ?? Buffer.alloc(0), ...flight.map(one => record(22, version, one))]))
}

function refuse(socket: Socket, { refuses = 'alert' }: OldTls, alert: number): void {
  if (refuses === 'reset') socket.resetAndDestroy()
  else if (refuses === 'close') socket.end()
  else if (refuses === 'alert') socket.end(record(21, 0x0301, Buffer.from([2, alert])))
}

/** A SERVER-HELLO with one suite, RC4 of 128 bits. */
function answerSslv2(socket: Socket, options: OldTls): void {
  if (!options.versions.includes('SSLv2')) {
    refuse(socket, options, ALERT.protocol_version)
    return
  }
  const body = Buffer.from([4, 0, 1, 0, 2, 0, 0, 0, 3, 0, 16, 1, 0, 0x80, ...Buffer.alloc(16, 9)])
  socket.write(Buffer.concat([uint16(0x8000 | body.length), body]))
}

/** A prime of so many bits after a leading zero octet, a generator, a public value, and no signature. */
function keyExchange(bits: number): Buffer {
  const prime = Buffer.alloc(Math.ceil(bits / 8), 0xff)
  prime[0] = 0xff >> (prime.length * 8 - bits)
  return Buffer.concat([vector(Buffer.concat([Buffer.from([0]), prime])), vector(Buffer.from([2])), vector(prime)])
}

function uint16(value: number): Buffer {
  const octets = Buffer.alloc(2)
  octets.writeUInt16BE(value)
  return octets
}
const vector = (data: Buffer): Buffer => Buffer.concat([uint16(data.length), data])
const message = (type: number, body: Buffer): Buffer => Buffer.concat([Buffer.from([type, 0]), vector(body)])
export const record = (type: number, version: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type]), uint16(version), vector(content)])
