// A DNS server on loopback, over UDP and TCP, with records as data and every fault that a resolver may encounter. It
// answers like a recursive resolver, from the given records only.
import type { Socket } from 'node:net'
import type { LabDnsOptions, LabQuestion } from './lab_dns_options.ts'
import { readQuestion, replyTo } from './lab_dns_reply.ts'
import { listenTwice, serveStream } from './lab_dns_transport.ts'

export type { LabDnsOptions, LabFault, LabQuestion } from './lab_dns_options.ts'
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
    const asked = readQuestion(query, transport)
    if (!asked) return { messages: [] }
    queries.push(asked.question)
    return replyTo(asked, options)
  }
  const { tcp, udp, port } = await listenTwice(options.port ?? 0, options.host)
  const open = new Set<Socket>()
  let closed = false
  udp.on('message', async (query, peer) => {
    const { messages } = await answer(query, 'udp')
    for (const message of messages) if (!closed) udp.send(message, peer.port, peer.address)
  })
  tcp.on('connection', socket => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy()))
    serveStream(socket, query => answer(query, 'tcp'))
  })
  return {
    address: `${options.host ?? '127.0.0.1'}:${port}`,
    queries,
    async close() {
      if (closed) return
      closed = true
      for (const socket of open) socket.destroy()
      await Promise.all([new Promise<void>(done => udp.close(done)), new Promise(done => tcp.close(done))])
    },
  }
}
