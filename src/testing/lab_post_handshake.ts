// A TLS 1.3 server that sends handshake messages endlessly after the handshake (RFC 8446 section 4.6). OpenSSL cannot
// do this, so a relay in front of it adds records, encrypted with the secret that the server logs.
import { createCipheriv, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Credentials } from './lab_ca.ts'

export interface PostHandshake {
  /** Port on loopback. */
  readonly port: number
  /** Octets added so far, on all connections. */
  added(): number
  close(): void
}

/** Repeats the message as often as the client reads it; `key_update` requests one in return. */
export async function startPostHandshake(
  credentials: Pick<Credentials, 'key' | 'cert'>,
  kind: 'session_ticket' | 'key_update',
): Promise<PostHandshake> {
  let secret = Buffer.alloc(0)
  let addedCount = 0
  const server = createTlsServer({ ...credentials, minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' })
  server.on('keylog', (line: Buffer) => {
    const [label, , value = ''] = line.toString('latin1').trim().split(' ')
    if (label === 'SERVER_TRAFFIC_SECRET_0') secret = Buffer.from(value, 'hex')
  })
  server.on('tlsClientError', () => {}).on('secureConnection', socket => socket.on('error', () => {}).resume())
  const open = new Set<Socket>()
  const inner = await listen(server)
  const relay = createServer(near => {
    const far = connect(inner, '127.0.0.1')
    for (const socket of [near, far]) open.add(socket.on('error', () => {}))
    near.pipe(far)
    far.pipe(near)
    afterTickets(near, far, count => {
      far.unpipe(near)
      const seal = kind === 'session_ticket' ? sealTickets(secret, count) : sealKeyUpdates(secret, count)
      flood(near, () => {
        const records = Buffer.concat(Array.from({ length: 20 }, seal))
        addedCount += records.length
        return records
      })
    })
  })
  return {
    port: await listen(relay),
    added: () => addedCount,
    close() {
      for (const socket of open) socket.destroy()
      relay.close()
      server.close()
    },
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function flood(socket: Socket, records: () => Buffer): Promise<void> {
  const closing = new AbortController()
  socket.once('close', () => closing.abort())
  while (!closing.signal.aborted) {
    if (!socket.write(records())) await once(socket, 'drain', { signal: closing.signal }).catch(() => {})
    else await new Promise(setImmediate)
  }
}

/**
 * Calls back with the number of records sent with the server's last key, after its session tickets, which end the
 * handshake.
 */
function afterTickets(near: Socket, far: Socket, ready: (count: number) => void): void {
  let flights = 0
  let buffer = Buffer.alloc(0)
  near.on('data', () => {
    flights += 1
  })
  far.on('data', chunk => {
    if (flights < 2) return
    buffer = Buffer.concat([buffer, chunk])
    let count = 0
    for (let at = 0; at + 5 <= buffer.length; at += 5 + buffer.readUInt16BE(at + 3)) count += 1
    // OpenSSL sends two tickets, each in its own record.
    if (count === 2) setImmediate(() => ready(count))
  })
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])

/** RFC 8446 section 7.1, for the lengths of AES-128-GCM with SHA-256, none of which exceeds one block. */
function expandLabel(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([uint16(length), Buffer.from([name.length]), name, Buffer.from([0, 1])])
  return createHmac('sha256', secret).update(info).digest().subarray(0, length)
}

/** Zero octets after each message: deriving a key takes longer here than using it there. */
const padding = Buffer.alloc(512)

/** One record (RFC 8446 section 5.2) with a handshake message. */
function sealRecord(secret: Buffer, sequence: number, message: Buffer): Buffer {
  const nonce = expandLabel(secret, 'iv', 12)
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8)
  const header = Buffer.concat([Buffer.from([23, 3, 3]), uint16(message.length + 1 + padding.length + 16)])
  const cipher = createCipheriv('aes-128-gcm', expandLabel(secret, 'key', 16), nonce).setAAD(header)
  const sealedParts = [cipher.update(message), cipher.update(Buffer.from([22])), cipher.update(padding), cipher.final()]
  return Buffer.concat([header, ...sealedParts, cipher.getAuthTag()])
}

function sealTickets(secret: Buffer, ticketCount: number): () => Buffer {
  const ticket = Buffer.alloc(64, 1)
  const body = Buffer.concat([Buffer.alloc(8, 1), Buffer.from([0]), uint16(ticket.length), ticket, uint16(0)])
  const message = Buffer.concat([Buffer.from([4, 0]), uint16(body.length), body])
  let sequence = ticketCount
  return () => sealRecord(secret, sequence++, message)
}

/** Each message ends the use of its key (RFC 8446 section 7.2). */
function sealKeyUpdates(secret: Buffer, ticketCount: number): () => Buffer {
  const message = Buffer.from([24, 0, 0, 1, 1])
  let [key, sequence] = [secret, ticketCount]
  return () => {
    const record = sealRecord(key, sequence, message)
    key = expandLabel(key, 'traffic upd', 32)
    sequence = 0
    return record
  }
}
