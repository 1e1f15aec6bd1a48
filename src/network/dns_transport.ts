// Carries one query to one server and brings its reply: UDP, and TCP when the reply does not fit (RFC 7766).
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import type { Ending } from './abort.ts'
import { type Query, type Reply, readReply } from './dns_message.ts'
import type { ResolverAddress } from './endpoints.ts'
import type { Tried } from './happy_eyeballs.ts'

/** `unreachable`: nothing listens on the server's port, or no route leads there. `timeout`: the attempt ended first. */
export type Carried = Tried<Reply, 'malformed' | 'unreachable' | 'timeout'>

/**
 * Asks over UDP, again every `retry_ms`, and over TCP when the reply is truncated. Stays pending until the server replies
 * or `ended` ends. `unanswered` is called when a try was in vain.
 */
export async function carry(
  server: ResolverAddress,
  query: Query,
  retry_ms: number,
  ended: Ending,
  unanswered: () => void = () => {},
): Promise<Carried> {
  const carried = await overUdp(server, query, { retry_ms, ended, unanswered })
  if (!carried.ok && carried.failure === 'unreachable') unanswered()
  return carried.ok && carried.value.truncated && !ended.over() ? overTcp(server, query, ended) : carried
}

/**
 * A socket of its own for each query, and the kernel drops what others send. One for all would take 5 % off a check's CPU,
 * but RFC 5452 section 9.2 wants a port for each question that is out, and some paths lose one of two that share a port.
 */
function overUdp(
  { host, port }: ResolverAddress,
  query: Query,
  { retry_ms, ended, unanswered }: { retry_ms: number; ended: Ending; unanswered: () => void },
): Promise<Carried> {
  return new Promise(resolve => {
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', lookup: asIs })
    let open = true
    let retry: NodeJS.Timeout | undefined
    const end = (carried: Carried) => {
      if (!open) return
      open = false
      clearInterval(retry)
      stop()
      socket.close()
      resolve(carried)
    }
    const stop = ended.onEnd(() => end(TIMEOUT))
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
        unanswered()
        send()
      }, retry_ms)
      send()
    })
  })
}

function overTcp({ host, port }: ResolverAddress, query: Query, ended: Ending): Promise<Carried> {
  return new Promise(resolve => {
    const socket = connect({ host, port, noDelay: true })
    const end = (carried: Carried) => {
      stop()
      socket.destroy()
      resolve(carried)
    }
    const stop = ended.onEnd(() => end(TIMEOUT))
    socket.on('error', () => end(UNREACHABLE))
    socket.on('close', () => end(UNREACHABLE))
    const framed = unframe(message => {
      const reply = readReply(message, query)
      end(typeof reply === 'string' || reply.truncated ? MALFORMED : { ok: true, value: reply })
    })
    socket.on('data', framed)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(query.message.length)
    socket.write(Buffer.concat([length, query.message]))
  })
}

/** Collects the first message of a stream, which its length precedes (RFC 1035 section 4.2.2), without copying as it grows. */
function unframe(done: (message: Buffer) => void): (chunk: Buffer) => void {
  const chunks: Buffer[] = []
  let size = 0
  let wanted = Number.POSITIVE_INFINITY
  return chunk => {
    chunks.push(chunk)
    size += chunk.length
    if (wanted === Number.POSITIVE_INFINITY && size >= 2) wanted = 2 + Buffer.concat(chunks).readUInt16BE(0)
    if (size >= wanted) done(Buffer.concat(chunks).subarray(2, wanted))
  }
}

const TIMEOUT = { ok: false, failure: 'timeout' } as const
const UNREACHABLE = { ok: false, failure: 'unreachable' } as const
const MALFORMED = { ok: false, failure: 'malformed' } as const

/** The host is an address; without this, dgram would take it to `dns.lookup`. */
const asIs = (host: string, _options: unknown, done: (error: null, address: string, family: number) => void) =>
  done(null, host, isIPv6(host) ? 6 : 4)
