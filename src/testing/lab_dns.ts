// A DNS server on loopback, over UDP and TCP, with records as data and every fault that a resolver may encounter. It
// answers like a recursive resolver, from the given records only.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LabDnsOptions, type LabQuestion, type LabReply, readQuestion, replyTo } from './lab_dns_reply.ts'

export type { LabDnsOptions, LabFault, LabQuestion } from './lab_dns_reply.ts'
export type { LabRecords, LabZones } from './lab_zones.ts'

export interface LabDns {
  /** `127.0.0.1:5353`, as resolvers are written in the configuration. */
  readonly address: string
  /** All queries so far, in order of arrival. */
  readonly queries: readonly LabQuestion[]
  close(): Promise<void>
}

/**
 * Starts a DNS server on 127.0.0.1, the same port for UDP and TCP.
 *
 * ```ts
 * const dns = await startLabDns({
 *   zones: { 'example.com': { A: ['93.184.216.34'], MX: [{ preference: 10, exchange: 'mx.example.com' }], TXT: ['v=spf1 -all'] } },
 *   fault: ({ name }) => (name === 'slow.example.com' ? { delay_ms: 800 } : undefined),
 * })
 * createNetwork({ resolvers: [dns.address], ... })
 * await dns.close()
 * ```
 *
 * The root and large top-level domains have records by default. A name without an entry is NXDOMAIN, unless names below it
 * exist or a `*.` entry covers it (RFC 4592). A name without the queried type is "no data". Negative answers carry the SOA of
 * the closest entry that has one.
 */
export async function startLabDns(options: LabDnsOptions): Promise<LabDns> {
  const queries: LabQuestion[] = []
  const answer = async (query: Buffer, transport: LabQuestion['transport']) => {
    const labQuery = readQuestion(query, transport)
    if (!labQuery) return { messages: [] }
    queries.push(labQuery.question)
    return replyTo(labQuery, options)
  }
  const { tcp, udp, port } = await listenTwice(options.port ?? 0, options.host)
  const open = new Set<Socket>()
  let isClosed = false
  udp.on('message', async (query, peer) => {
    const { messages } = await answer(query, 'udp')
    for (const message of messages) if (!isClosed) udp.send(message, peer.port, peer.address)
  })
  tcp.on('connection', socket => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy()))
    serveStream(socket, query => answer(query, 'tcp'))
  })
  return {
    address: `${options.host ?? '127.0.0.1'}:${port}`,
    queries,
    async close() {
      if (isClosed) return
      isClosed = true
      for (const socket of open) socket.destroy()
      await Promise.all([new Promise<void>(done => udp.close(done)), new Promise(done => tcp.close(done))])
    },
  }
}

/** Answers the queries of a TCP connection in order (RFC 7766). */
export function serveStream(socket: Socket, answer: (query: Buffer) => Promise<LabReply>): void {
  let buffer = Buffer.alloc(0)
  socket.on('data', async chunk => {
    buffer = Buffer.concat([buffer, chunk])
    while (buffer.length >= 2 && buffer.length >= 2 + buffer.readUInt16BE(0)) {
      const end = 2 + buffer.readUInt16BE(0)
      const query = buffer.subarray(2, end)
      buffer = buffer.subarray(end)
      const { messages, drip_ms } = await answer(query)
      for (const message of messages) await write(socket, message, drip_ms)
    }
  })
}

async function write(socket: Socket, message: Buffer, dripMs?: number): Promise<void> {
  if (!dripMs) return void socket.write(message)
  for (let at = 0; at < message.length && !socket.destroyed; at++) {
    socket.write(message.subarray(at, at + 1))
    await sleep(dripMs, undefined, { ref: false })
  }
}

/** One port for both: UDP binds the port that TCP got. With port 0 it may be taken; another one is then tried. */
export async function listenTwice(port: number, host = '127.0.0.1', tries = 5) {
  const tcp = createServer()
  tcp.listen(port, host)
  await once(tcp, 'listening')
  const address = tcp.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  const udp = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
  try {
    udp.bind(boundPort, host)
    await once(udp, 'listening')
    return { tcp, udp, port: boundPort }
  } catch (error) {
    tcp.close()
    if (port !== 0 || tries === 0) throw error
    return listenTwice(port, host, tries - 1)
  }
}
