// A forward proxy (RFC 9110 section 3.7) on a loopback port of its own for one visit of a browser, which reaches nothing else. Each
// host is resolved once, vetted like every connection of a check and pinned; octets, requests, connections and hosts are bounded. TLS
// passes through tunnels (CONNECT) unread. No library: proxies for Node resolve and dial by themselves.
import { createServer, type IncomingMessage, request as requestOf, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP, type Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { OVER, onAbort } from '../base/abort.ts'
import { isInternal } from '../targets/domain.ts'
import { bareHost } from '../targets/url.ts'
import { refusal } from './fetch.ts'
import { type HostAddresses, hostAddresses } from './host_addresses.ts'
import type { CheckNetwork, ConnectResult } from './network.ts'

export interface GuardedProxyOptions {
  /** Of this visit alone, with its own budgets of DNS queries and connections. */
  readonly network: CheckNetwork
  /** The addresses of a host that are known already. */
  readonly knownHost?: { readonly host: string; readonly addresses: readonly string[] }
  /** A port that URLs may have besides 80 and 443. */
  readonly port?: number | undefined
  /** Ends everything that is open. */
  readonly signal: AbortSignal
}

export type GuardedProxy = Awaited<ReturnType<typeof openGuardedProxy>>

/** What passed through the proxy. */
export interface ProxyTraffic {
  /** Requests in plain text and tunnels. */
  requests: number
  /** Octets from and to hosts. */
  received: number
  sent: number
  /** The first budget that ran out, or null; from then on everything is refused. */
  spent: 'requests' | 'octets' | 'upload' | 'hosts' | null
}

const LOOPBACK = '127.0.0.1'
/** Maximum refused hosts to record. */
const MAX_REFUSALS = 64
/** Header fields about one connection alone (RFC 9110 section 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
])

/** Listens when it resolves. Rejects when no port can be opened. */
export async function openGuardedProxy(options: GuardedProxyOptions) {
  const { signal } = options
  const passage = new Passage(options)
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy())
    request.on('error', () => request.destroy())
    void forward(passage, request, response)
  })
  server.on('connection', stream => passage.hold(stream))
  server.on('connect', (request, client, head) => void tunnel(passage, request, client, head))
  server.on('clientError', (_, client) => client.destroy())
  /** On 127.0.0.1. */
  const port = await listening(server)
  const close = async () => {
    unsubscribe()
    passage.end()
    await new Promise(resolve => server.close(resolve))
  }
  const unsubscribe = onAbort(signal, () => void close())
  if (signal.aborted) await close()
  return {
    port,
    traffic: passage.traffic,
    /** Why a request to the host was refused, as for `hostAddresses` and `refusal`; absent if none was. At most 64 hosts. */
    refused: passage.refused,
    close,
  }
}

/** What may pass in one visit: its hosts, its budgets and its open streams. */
class Passage {
  readonly traffic: ProxyTraffic = { requests: 0, received: 0, sent: 0, spent: null }
  readonly refused = new Map<string, string>()
  readonly #options: GuardedProxyOptions
  readonly #hosts = new Map<string, Promise<HostAddresses>>()
  readonly #ended = new AbortController()
  readonly #open = new Set<Duplex>()

  constructor(options: GuardedProxyOptions) {
    this.#options = options
  }

  /** Destroys the stream with the visit. */
  hold<Stream extends Duplex>(stream: Stream): Stream {
    this.#open.add(stream)
    stream.once('close', () => this.#open.delete(stream))
    // Either side may disconnect at any time; the other side notices lost data.
    stream.on('error', () => stream.destroy())
    return stream
  }

  /** Counts what passes between a host and the browser. */
  count(upstream: Readable, downstream: Readable): void {
    const { limits } = this.#options.network
    upstream.on('data', (chunk: Buffer) => {
      this.traffic.received += chunk.length
      if (this.traffic.received > limits.rendered_bytes) this.#spend('octets')
    })
    downstream.on('data', (chunk: Buffer) => {
      this.traffic.sent += chunk.length
      if (this.traffic.sent > limits.rendered_upload_bytes) this.#spend('upload')
    })
  }

  /** The connection, or null after the refusal was noted. */
  async connect(url: URL): Promise<Socket | null> {
    const connectResult = await this.#dial(url)
    if (connectResult.ok) return this.hold(connectResult.socket)
    if (this.refused.size < MAX_REFUSALS && !this.refused.has(url.host))
      this.refused.set(url.host, connectResult.failure)
    return null
  }

  end(): void {
    this.#ended.abort(OVER)
    for (const stream of this.#open) stream.destroy()
  }

  #spend(what: NonNullable<ProxyTraffic['spent']>): void {
    this.traffic.spent ??= what
    for (const stream of this.#open) stream.destroy()
  }

  async #dial(url: URL): Promise<ConnectResult | { readonly ok: false; readonly failure: string }> {
    const { traffic } = this
    const { network, port: extraPort } = this.#options
    if (traffic.spent !== null) return { ok: false, failure: 'budget_spent' }
    traffic.requests += 1
    if (traffic.requests > network.limits.rendered_requests) {
      this.#spend('requests')
      return { ok: false, failure: 'budget_spent' }
    }
    const host = bareHost(url.hostname)
    const why = refusal(url, network, extraPort) ?? (isIP(host) === 0 && isInternal(host) ? 'to_non_public' : null)
    if (why !== null) return { ok: false, failure: why }
    const resolution = await this.#addressesOf(url.hostname)
    if (!resolution.ok) return resolution
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
    return network.connect({ addresses: resolution.addresses, port, signal: this.#ended.signal, purpose: 'rendered' })
  }

  /** One lookup of a host for the whole visit: later answers change nothing. */
  #addressesOf(host: string): Promise<HostAddresses> {
    const pinnedAddresses = this.#hosts.get(host)
    if (pinnedAddresses !== undefined) return pinnedAddresses
    const { network, knownHost } = this.#options
    if (this.#hosts.size >= network.limits.rendered_hosts) {
      this.traffic.spent ??= 'hosts'
      return Promise.resolve({ ok: false, failure: 'too_many_hosts' })
    }
    const resolution: Promise<HostAddresses> =
      knownHost?.host === host
        ? Promise.resolve({ ok: true, addresses: knownHost.addresses })
        : hostAddresses(network, host, this.#ended.signal)
    this.#hosts.set(host, resolution)
    return resolution
  }
}

/** A plain-text request with an absolute URL as its target (RFC 9112 section 3.2.2). */
async function forward(passage: Passage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null
  if (url === null || url.protocol !== 'http:') return refuse(response)
  const socket = await passage.connect(url)
  if (socket === null) return refuse(response)
  const outgoing = requestOf({
    createConnection: () => socket,
    setHost: false,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: [...withoutHopByHop(request.rawHeaders), 'Connection', 'close'],
  })
  outgoing.on('error', () => refuse(response))
  // Not earlier: a stream with a listener starts to flow.
  outgoing.once('socket', () => passage.count(socket, request))
  outgoing.on('response', incoming => {
    response.writeHead(incoming.statusCode ?? 502, withoutHopByHop(incoming.rawHeaders))
    // A body that breaks off must not look complete.
    incoming.on('error', () => response.destroy())
    incoming.pipe(response)
  })
  response.on('close', () => socket.destroy())
  request.pipe(outgoing)
}

async function tunnel(passage: Passage, request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
  passage.hold(client)
  const url = urlOfAuthority(request.url ?? '')
  const socket = url === null ? null : await passage.connect(url)
  if (socket === null || client.destroyed) {
    socket?.destroy()
    client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n')
    return
  }
  passage.count(socket, client)
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  if (head.length > 0) socket.write(head)
  client.pipe(socket)
  socket.pipe(client)
  client.once('close', () => socket.destroy())
  socket.once('close', () => client.destroy())
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: LOOPBACK, port: 0 }, () => resolve((server.address() as AddressInfo).port))
  })

const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i

/** What a tunnel leads to (RFC 9112 section 3.2.3), as a URL; null if it is malformed. */
function urlOfAuthority(authority: string): URL | null {
  if (!AUTHORITY.test(authority)) return null
  const url = `${authority.endsWith(':80') ? 'http' : 'https'}://${authority}/`
  return URL.canParse(url) ? new URL(url) : null
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(502, { connection: 'close' }).end()
}

function withoutHopByHop(raw: readonly string[]): string[] {
  const headers: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.push(name, value)
  }
  return headers
}
