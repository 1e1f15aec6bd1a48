// A DNS server of one's own on loopback, over UDP and TCP: records as data, and every fault a resolver may meet.
// It answers as a recursive resolver would, from the records it was given and nothing else.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { decode, encode } from 'dns-packet'
import { type LabRecords, type LabZones, RCODE, resolveInLab } from './lab_zones.ts'

export type { LabRecords, LabZones } from './lab_zones.ts'

/** A question as it arrived. `name` is lower case without the final dot. */
export interface LabQuestion {
  readonly name: string
  readonly type: string
  readonly transport: 'udp' | 'tcp'
  /** CD was set. */
  readonly checkingDisabled: boolean
}

/** How to answer one question otherwise than from the records; the fields combine. */
export interface LabFault {
  /** Answer from these records instead: alternate them and the name rebinds. */
  readonly records?: LabRecords
  /** Milliseconds before the answer, beside the server's own. */
  readonly delay_ms?: number
  /** Do not answer at all. */
  readonly silent?: boolean
  /** An error code instead of an answer. */
  readonly rcode?: keyof typeof RCODE
  /** TC over UDP, without records. */
  readonly truncate?: boolean
  readonly wrong_id?: boolean
  readonly wrong_question?: boolean
  /** These octets as they are, one message each, made from the honest reply; over TCP they are the stream. */
  readonly raw?: (reply: Buffer) => readonly Buffer[]
  /** Over TCP: milliseconds between single octets. */
  readonly drip_ms?: number
}

export interface LabDnsOptions {
  /** Records by name. Read anew for each question, so a test may change them as it goes. */
  readonly zones: LabZones
  /** Milliseconds every answer takes. */
  readonly delay_ms?: number
  /** Seconds; the TTL of every record, 300 when absent. */
  readonly ttl?: number
  /** Names at or below these are DNSSEC-validated: AD is set for those who ask for it. */
  readonly signed?: readonly string[]
  /** Names at or below these fail validation: SERVFAIL unless CD is set. */
  readonly bogus?: readonly string[]
  /** False: a CNAME is answered alone, its target must be asked for. */
  readonly chase?: boolean
  /** Asked before each answer; undefined is the honest one. */
  readonly fault?: (question: LabQuestion) => LabFault | undefined
  /** 0, the default, takes any free port. */
  readonly port?: number
}

export interface LabDns {
  /** `127.0.0.1:PORT`, as the config names resolvers. */
  readonly address: string
  /** Every question so far, in order of arrival. */
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
 * A name without an entry is NXDOMAIN, unless names below it exist or a `*.` entry covers it (RFC 4592); a name
 * without the type asked for is no data. Negative answers carry the SOA of the closest entry that has one.
 */
export async function startLabDns(options: LabDnsOptions): Promise<LabDns> {
  const queries: LabQuestion[] = []
  const answer = async (query: Buffer, transport: LabQuestion['transport']) => {
    const asked = read(query, transport)
    if (!asked) return { messages: [] }
    queries.push(asked.question)
    return reply(asked, options)
  }
  const { tcp, udp, port } = await listen(options.port ?? 0)
  const open = new Set<Socket>()
  udp.on('message', async (query, peer) => {
    const { messages } = await answer(query, 'udp')
    for (const message of messages) if (!closed) udp.send(message, peer.port, peer.address)
  })
  tcp.on('connection', socket => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy()))
    serveStream(socket, query => answer(query, 'tcp'))
  })
  let closed = false
  return {
    address: `127.0.0.1:${port}`,
    queries,
    async close() {
      if (closed) return
      closed = true
      for (const socket of open) socket.destroy()
      await Promise.all([new Promise<void>(done => udp.close(done)), new Promise(done => tcp.close(done))])
    },
  }
}

interface Asked {
  readonly id: number
  readonly question: LabQuestion
  readonly wantsAd: boolean
  /** Octets the client takes over UDP. */
  readonly payload: number
}

interface Reply {
  readonly messages: readonly Buffer[]
  readonly drip_ms?: number
}

function read(query: Buffer, transport: LabQuestion['transport']): Asked | null {
  try {
    const packet = decode(query)
    const asked = packet.questions?.[0]
    if (!asked) return null
    const opt = packet.additionals?.find(record => record.type === 'OPT')
    const name = asked.name === '.' ? '' : asked.name.toLowerCase()
    return {
      id: packet.id ?? 0,
      question: { name, type: asked.type, transport, checkingDisabled: packet.flag_cd },
      wantsAd: packet.flag_ad || (opt?.type === 'OPT' && opt.flag_do),
      payload: Math.max(512, opt?.type === 'OPT' ? opt.udpPayloadSize : 0),
    }
  } catch {
    return null
  }
}

async function reply(asked: Asked, options: LabDnsOptions): Promise<Reply> {
  const fault = options.fault?.(asked.question) ?? {}
  const wait = (options.delay_ms ?? 0) + (fault.delay_ms ?? 0)
  if (wait > 0) await sleep(wait, undefined, { ref: false })
  if (fault.silent) return { messages: [] }
  const whole = honest(asked, options, { ...fault, truncate: false })
  const cut = asked.question.transport === 'udp' && (fault.truncate || whole.length > asked.payload)
  const message = cut ? honest(asked, options, { ...fault, truncate: true }) : whole
  const messages = fault.raw ? fault.raw(message) : [asked.question.transport === 'tcp' ? framed(message) : message]
  return { messages, ...(fault.drip_ms ? { drip_ms: fault.drip_ms } : {}) }
}

const FLAG = { AA: 1 << 10, TC: 1 << 9, RD: 1 << 8, RA: 1 << 7, AD: 1 << 5 }

function honest(asked: Asked, options: LabDnsOptions, fault: LabFault): Buffer {
  const { name, type, checkingDisabled } = asked.question
  const under = (zones: readonly string[] = []) => zones.some(zone => name === zone || name.endsWith(`.${zone}`))
  const zones = fault.records ? { ...options.zones, [name]: fault.records } : options.zones
  const found = resolveInLab(zones, name, type, { ttl: options.ttl ?? 300, chase: options.chase ?? true })
  const rcode = fault.rcode ?? (under(options.bogus) && !checkingDisabled ? 'SERVFAIL' : undefined)
  const empty = rcode !== undefined || fault.truncate === true
  const ad = asked.wantsAd && !empty && under(options.signed)
  return encode({
    type: 'response',
    id: fault.wrong_id ? asked.id ^ 1 : asked.id,
    flags: FLAG.RD | FLAG.RA | (ad ? FLAG.AD : 0) | (fault.truncate ? FLAG.TC : 0) | RCODE[rcode ?? found.rcode],
    questions: [{ name: fault.wrong_question ? `x.${name}` : name, type: asked.question.type as 'A' }],
    answers: empty ? [] : found.answers,
    authorities: empty ? [] : found.authorities,
  })
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

function serveStream(socket: Socket, answer: (query: Buffer) => Promise<Reply>): void {
  let held = Buffer.alloc(0)
  socket.on('data', async chunk => {
    held = Buffer.concat([held, chunk])
    while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const end = 2 + held.readUInt16BE(0)
      const query = held.subarray(2, end)
      held = held.subarray(end)
      const { messages, drip_ms } = await answer(query)
      for (const message of messages) await write(socket, message, drip_ms)
    }
  })
}

async function write(socket: Socket, message: Buffer, drip_ms?: number): Promise<void> {
  if (!drip_ms) return void socket.write(message)
  for (let at = 0; at < message.length && !socket.destroyed; at++) {
    socket.write(message.subarray(at, at + 1))
    await sleep(drip_ms, undefined, { ref: false })
  }
}

/** One port for both: what TCP got, UDP is asked for; with port 0 it may be taken, then another is tried. */
async function listen(port: number, tries = 5) {
  const tcp: Server = createServer()
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  const address = tcp.address()
  const taken = typeof address === 'object' && address ? address.port : port
  const udp = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
  try {
    udp.bind(taken, '127.0.0.1')
    await once(udp, 'listening')
    return { tcp, udp, port: taken }
  } catch (error) {
    tcp.close()
    if (port !== 0 || tries === 0) throw error
    return listen(port, tries - 1)
  }
}
