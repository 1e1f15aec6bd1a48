// Reads the certificates that a server sends off the wire. Node shows only those that it can link to each other, and the one
// call that shows all of them leaks the others on Node 20.
import { createDecipheriv, createHmac } from 'node:crypto'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Octets kept: OpenSSL accepts 100 KiB of certificates, and their records add little. */
const MAX_OCTETS = 160 * 1024

/** Takes over the socket. Errors, ends and back pressure pass through. */
export function tapCertificates(socket: Socket) {
  let chunks: Buffer[] | null = []
  let octets = 0
  let secret: Buffer | null = null
  /** Stands in for the socket. */
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    final: done => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk: Buffer) => {
    if (chunks !== null && octets < MAX_OCTETS) {
      // The chunk is a part of a larger buffer, and is kept for one handshake only.
      chunks.push(chunk)
      octets += chunk.length
    }
    if (!stream.push(chunk)) socket.pause()
  })
  socket.once('end', () => stream.push(null))
  socket.on('error', error => stream.destroy(error))
  socket.once('close', () => stream.destroy())
  return {
    stream,
    /** A line of the `keylog` event. */
    keylog: (line: Buffer) => {
      const [label, , value] = line.toString('latin1').trim().split(' ')
      if (label === 'SERVER_HANDSHAKE_TRAFFIC_SECRET' && value) secret = Buffer.from(value, 'hex')
    },
    /** DER in the order sent; null if they cannot be read. Frees what was kept. */
    read: () => {
      const bytes = Buffer.concat(chunks ?? [])
      chunks = null
      return certificatesIn(bytes, secret)
    },
  }
}

const HANDSHAKE = 22
const APPLICATION_DATA = 23
const SERVER_HELLO = 2
const CERTIFICATE = 11

interface Suite {
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'
  readonly hash: 'sha256' | 'sha384'
  readonly key: number
}

/** TLS 1.3 (RFC 8446 appendix B.4), those that OpenSSL offers. */
const SUITES: ReadonlyMap<number, Suite> = new Map([
  [0x1301, { cipher: 'aes-128-gcm', hash: 'sha256', key: 16 }],
  [0x1302, { cipher: 'aes-256-gcm', hash: 'sha384', key: 32 }],
  [0x1303, { cipher: 'chacha20-poly1305', hash: 'sha256', key: 32 }],
])

/** Never throws. `secret`: the server's handshake traffic secret, null before TLS 1.3. */
export function certificatesIn(bytes: Buffer, secret: Buffer | null): readonly Buffer[] | null {
  try {
    let messages = Buffer.alloc(0)
    let open: ((record: Buffer, header: Buffer) => Buffer | null) | null = null
    for (const { type, header, content } of recordsOf(bytes)) {
      const plaintext: Buffer | null =
        type === HANDSHAKE ? content : type === APPLICATION_DATA && open !== null ? open(content, header) : null
      if (plaintext === null) continue
      messages = Buffer.concat([messages, plaintext])
      for (;;) {
        const length = messages.length < 4 ? Number.POSITIVE_INFINITY : 4 + messages.readUIntBE(1, 3)
        if (messages.length < length) break
        const body = messages.subarray(4, length)
        if (messages[0] === CERTIFICATE) return listIn(body, secret !== null)
        if (messages[0] === SERVER_HELLO && secret !== null) open = opener(body, secret)
        messages = messages.subarray(length)
      }
    }
    return null
  } catch {
    // Not the records of a handshake that this reader knows.
    return null
  }
}

function* recordsOf(bytes: Buffer): Generator<{ type: number; header: Buffer; content: Buffer }> {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 5 + bytes.readUInt16BE(at + 3)
    if (end > bytes.length) return
    yield { type: bytes.readUInt8(at), header: bytes.subarray(at, at + 5), content: bytes.subarray(at + 5, end) }
    at = end
  }
}

/** Decrypts records with the keys of the handshake (RFC 8446 sections 5.2 and 7.3). */
function opener(hello: Buffer, secret: Buffer) {
  const session = hello.readUInt8(34)
  const suite = SUITES.get(hello.readUInt16BE(35 + session))
  if (suite === undefined) return null
  const key = expand(secret, 'key', suite.key, suite.hash)
  const iv = expand(secret, 'iv', 12, suite.hash)
  let sequence = 0
  return (record: Buffer, header: Buffer): Buffer | null => {
    const nonce = Buffer.from(iv)
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8)
    sequence += 1
    const decipher = createDecipheriv(suite.cipher as 'aes-128-gcm', key, nonce, { authTagLength: 16 })
    decipher.setAAD(header)
    decipher.setAuthTag(record.subarray(-16))
    const inner = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
    // Zeros pad the content, and its type comes last.
    let end = inner.length - 1
    while (end > 0 && inner[end] === 0) end -= 1
    return inner[end] === HANDSHAKE ? inner.subarray(0, end) : null
  }
}

/** HKDF-Expand-Label with an empty context (RFC 8446 section 7.1) for at most one block of the hash. */
function expand(secret: Buffer, label: string, length: number, hash: Suite['hash']): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])])
  return createHmac(hash, secret).update(info).digest().subarray(0, length)
}

/** The entries of a Certificate message (RFC 8446 section 4.4.2, RFC 5246 section 7.4.2). */
function listIn(body: Buffer, isTls13: boolean): readonly Buffer[] | null {
  let at = isTls13 ? 1 + body.readUInt8(0) : 0
  const end = at + 3 + body.readUIntBE(at, 3)
  at += 3
  const certificates: Buffer[] = []
  while (at < end) {
    const length = body.readUIntBE(at, 3)
    // A copy, so that the buffer of the whole handshake is freed.
    certificates.push(Buffer.from(body.subarray(at + 3, at + 3 + length)))
    at += 3 + length
    if (isTls13) at += 2 + body.readUInt16BE(at)
  }
  return at === end && end === body.length ? certificates : null
}
