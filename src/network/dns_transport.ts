// Sends one query to one server and returns its reply: over UDP, or over TCP when the reply does not fit (RFC 7766).
// Node's own `dns.Resolver` (c-ares) exposes neither the AD bit nor the authority section, and the TTL of few types.
import { createSocket } from 'node:dgram'
import { connect, isIPv6, type Socket } from 'node:net'
import type { StopSignal } from '../base/abort.ts'
import { type Query, type Reply, readReply } from './dns_message.ts'
import type { ResolverAddress } from './endpoints.ts'
import type { AttemptResult } from './happy_eyeballs.ts'

/**
 * `unreachable`: nothing listens on the server's port, or there is no route to it. `timeout`: the attempt was stopped
 * first.
 */
export type QueryResult = AttemptResult<Reply, 'malformed' | 'unreachable' | 'timeout'>

/**
 * Sends the query over UDP, again every `retry_ms`, and over TCP when the reply is truncated. Stays pending until the
 * server replies or `stop` fires. Calls `onNoReply` after each try that got no reply.
 */
export async function sendQuery(
  server: ResolverAddress,
  query: Query,
  retryMs: number,
  stop: StopSignal,
  onNoReply: () => void = () => {},
): Promise<QueryResult> {
  const result = await overUdp(server, query, { retry_ms: retryMs, stop, onNoReply })
  if (!result.ok && result.failure === 'unreachable') onNoReply()
  return result.ok && result.value.truncated && !stop.stopped() ? overTcp(server, query, stop) : result
}

/**
 * Each query has its own socket, and the kernel drops packets from other senders. One socket for all queries would save
 * 5 % of a check's CPU, but RFC 5452 section 9.2 wants a separate port for each open query, and some paths lose one of
 * two queries that share a port.
 */
function overUdp(
  { host, port }: ResolverAddress,
  query: Query,
  { retry_ms, stop, onNoReply }: { retry_ms: number; stop: StopSignal; onNoReply: () => void },
): Promise<QueryResult> {
  return new Promise(resolve => {
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', lookup: addressOnly })
    let open = true
    let retry: NodeJS.Timeout | undefined
    const end = (result: QueryResult) => {
      if (!open) return
      open = false
      clearInterval(retry)
      unsubscribe()
      socket.close()
      resolve(result)
    }
    const unsubscribe = stop.onStop(() => end(TIMEOUT))
    socket.on('error', () => end(UNREACHABLE))
    socket.on('message', message => {
      const reply = readReply(message, query)
      if (reply !== 'foreign') end(reply === 'malformed' ? MALFORMED : { ok: true, value: reply })
    })
    const send = () => socket.send(query.message)
    socket.connect(port, host, (error?: Error) => {
      if (error) return end(UNREACHABLE)
      if (!open) return
      retry = setInterval(() => {
        onNoReply()
        send()
      }, retry_ms)
      send()
    })
  })
}

async function overTcp({ host, port }: ResolverAddress, query: Query, stop: StopSignal): Promise<QueryResult> {
  const socket = connect({ host, port, noDelay: true })
  const unsubscribe = stop.onStop(() => socket.destroy())
  const result = await askOver(socket, query)
  const isStopped = stop.stopped()
  unsubscribe()
  socket.destroy()
  return isStopped && !result.ok ? TIMEOUT : result
}

/** With its length before it (RFC 1035 section 4.2.2). */
function withLength({ message }: Query): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Sends the query over a connection, and waits for the reply until the socket closes. The caller destroys it. */
export function askOver(socket: Socket, query: Query): Promise<QueryResult> {
  return new Promise(resolve => {
    const end = (result: QueryResult) => {
      socket.off('data', readMessage).off('close', fail)
      resolve(result)
    }
    const fail = () => end(UNREACHABLE)
    const readMessage = createMessageReader(message => {
      const reply = readReply(message, query)
      end(typeof reply === 'string' || reply.truncated ? MALFORMED : { ok: true, value: reply })
    })
    // Every error is followed by the close.
    socket
      .on('error', () => {})
      .on('data', readMessage)
      .once('close', fail)
    if (socket.destroyed) fail()
    else socket.write(withLength(query))
  })
}

/** Collects the first message of a stream, prefixed by its length (RFC 1035 section 4.2.2), and copies it once. */
function createMessageReader(done: (message: Buffer) => void): (chunk: Buffer) => void {
  const chunks: Buffer[] = []
  let size = 0
  let messageEnd = Number.POSITIVE_INFINITY
  return chunk => {
    chunks.push(chunk)
    size += chunk.length
    if (messageEnd === Number.POSITIVE_INFINITY && size >= 2) messageEnd = 2 + Buffer.concat(chunks).readUInt16BE(0)
    if (size >= messageEnd) done(Buffer.concat(chunks).subarray(2, messageEnd))
  }
}

const TIMEOUT = { ok: false, failure: 'timeout' } as const
const UNREACHABLE = { ok: false, failure: 'unreachable' } as const
const MALFORMED = { ok: false, failure: 'malformed' } as const

/** The host is an address already; without this, dgram would call `dns.lookup`. */
const addressOnly = (host: string, _options: unknown, done: (error: null, address: string, family: number) => void) =>
  done(null, host, isIPv6(host) ? 6 : 4)
