// The lab's web: servers at public-looking addresses that are loopback ports, with sites, faults and counters.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createSecureServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { createSecureContext, createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Dial } from '../network/network.ts'
import type { Credentials } from './lab_ca.ts'
import { play, type Step } from './lab_script.ts'

export interface LabRequest {
  readonly method: string
  readonly host: string
  /** The path and query. */
  readonly url: string
  readonly secure: boolean
  readonly http_version: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** What was posted. */
  readonly body: string
}

export interface LabResponse {
  readonly status?: number
  /** In order, including duplicates. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Buffer
}

export type LabHandler = (request: LabRequest) => LabResponse | Promise<LabResponse>

/**
 * A site at one or more addresses. Sites with the same first address share a server and are distinguished by SNI and
 * Host.
 */
export interface LabSite {
  /** A name or an IP address. */
  readonly host: string
  readonly addresses: readonly string[]
  /** Port 80; closed by default. */
  readonly http?: LabHandler
  /** Port 443; closed by default. */
  readonly https?: LabHandler
  readonly credentials?: Pick<Credentials, 'key' | 'cert'>
  /** What the server selects from by ALPN; only HTTP/1.1 by default. Those of a server's first site count. */
  readonly protocols?: readonly ('h2' | 'http/1.1')[]
  /** Further server options (`minVersion`, `ciphers`, `requestCert`); those of a server's first site count. */
  readonly tls?: TlsOptions
}

/** Where an address and port lead: a loopback port, a closed port, or a black hole. */
export type Destination = number | 'refused' | 'black_hole'

export interface LabWeb {
  readonly dial: Dial
  /** Destinations by `address port`, for a dial function in another process. */
  readonly places: ReadonlyMap<string, Destination>
  /** Everything the lab received so far, in order. */
  readonly seen: {
    /** `address:port` of each dialled connection. */
    readonly connections: string[]
    /** Server names of completed TLS handshakes; '' without SNI. */
    readonly handshakes: string[]
    readonly requests: LabRequest[]
  }
  add(site: LabSite): Promise<void>
  /** A scripted server; each connection plays the script from the start. With `tls`, the script runs inside TLS. */
  script(address: string, port: number, steps: readonly Step[], tls?: TlsOptions): Promise<void>
  place(address: string, port: number, destination: Destination): void
  /** Closes every listener and connection. */
  close(): Promise<void>
}

type TrafficLog = LabWeb['seen']

interface StartedServer {
  readonly server: Server
  /** Port on loopback. */
  readonly port: number
}
interface Machine {
  readonly sites: LabSite[]
  plain?: StartedServer
  secure?: StartedServer
}

/** The TCP port multiplexer's port, where nothing listens. */
const closedPort = 1

/** A group that every Node offers: what a server chooses of itself depends on the OpenSSL of its Node. */
const GROUP = { ecdhCurve: 'X25519' } as const satisfies TlsOptions

/** The listener of a lab address. */
export interface LabFront {
  readonly host: string
  readonly port: number
}

export interface LabWebOptions {
  /**
   * Gives every address and port its own listener that records connections, for clients without `dial`: another
   * process, or a network namespace that has these addresses. Port 0 selects any free port.
   */
  readonly front?: (address: string, port: number) => LabFront
}

export async function startLabWeb(sites: readonly LabSite[] = [], { front }: LabWebOptions = {}): Promise<LabWeb> {
  const places = new Map<string, Destination>()
  const machines = new Map<string, Machine>()
  const servers: Server[] = []
  const open = new Set<Socket>()
  const traffic: TrafficLog = { connections: [], handshakes: [], requests: [] }

  const listen = async (server: Server, at: LabFront = { host: '127.0.0.1', port: 0 }): Promise<number> => {
    servers.push(server)
    server.on('connection', (socket: Socket) => {
      open.add(socket)
      socket.on('error', () => {}).once('close', () => open.delete(socket))
    })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at.port, at.host, resolve))
    return (server.address() as AddressInfo).port
  }

  /** Makes the address and port lead to the server, which listens on the loopback port. */
  const lead = async (address: string, port: number, server: Server, listening: number): Promise<void> => {
    if (!front) return void places.set(`${address} ${port}`, listening)
    const own = createTcpServer({ noDelay: true }, socket => {
      traffic.connections.push(`${address}:${port}`)
      server.emit('connection', socket)
    })
    places.set(`${address} ${port}`, await listen(own, front(address, port)))
  }

  const startServer = async (server: Server): Promise<StartedServer> => ({ server, port: await listen(server) })

  const web: LabWeb = {
    seen: traffic,
    places,
    dial: (address, port) => {
      traffic.connections.push(`${address}:${port}`)
      const destination = places.get(`${address} ${port}`) ?? 'refused'
      if (destination === 'black_hole') return new Socket()
      return connect({ port: destination === 'refused' ? closedPort : destination, host: '127.0.0.1', noDelay: true })
    },
    add: async site => {
      const [first = ''] = site.addresses
      const machine = machines.get(first) ?? { sites: [] }
      machine.sites.push(site)
      machine.plain ??= await startServer(createServer(listener(machine.sites, traffic, 'http')))
      machine.secure ??= await startServer(secureServer(machine.sites, traffic))
      const { plain, secure } = machine
      for (const address of site.addresses) {
        machines.set(address, machine)
        if (site.http) await lead(address, 80, plain.server, plain.port)
        if (site.https) await lead(address, 443, secure.server, secure.port)
      }
    },
    script: async (address, port, steps, tls) => {
      const server = tls ? createTlsServer({ noDelay: true, ...GROUP, ...tls }) : createTcpServer({ noDelay: true })
      server.on('tlsClientError', () => {})
      if (tls) playSecurely(server, steps)
      else server.on('connection', (socket: Socket) => void play(steps, socket))
      await lead(address, port, server, await listen(server))
    },
    place: (address, port, destination) => void places.set(`${address} ${port}`, destination),
    close: async () => {
      const closing = servers.map(server => new Promise<void>(resolve => server.close(() => resolve())))
      for (const socket of open) socket.destroy()
      await Promise.all(closing)
    },
  }
  for (const site of sites) await web.add(site)
  return web
}

/** A TLS socket does not expose its connection; the peer's port identifies it. */
function playSecurely(server: Server, steps: readonly Step[]): void {
  const wires = new Map<number | undefined, Socket>()
  server.on('connection', (wire: Socket) => {
    const { remotePort } = wire
    wires.set(remotePort, wire)
    wire.once('close', () => wires.delete(remotePort))
  })
  server.on('secureConnection', (socket: Socket) => void play(steps, socket, wires.get(socket.remotePort)))
}

function secureServer(machine: readonly LabSite[], traffic: TrafficLog): Server {
  const [first] = machine
  const contexts = new Map<string, ReturnType<typeof createSecureContext>>()
  const contextOf = (site: LabSite) => {
    const context = contexts.get(site.host) ?? createSecureContext({ ...GROUP, ...site.tls, ...site.credentials })
    contexts.set(site.host, context)
    return context
  }
  const options: TlsOptions = {
    ...GROUP,
    ...first?.tls,
    ...first?.credentials,
    SNICallback: (name, answer) => {
      const site = machine.find(one => one.host === name)
      answer(null, site ? contextOf(site) : undefined)
    },
  }
  const { protocols = ['http/1.1'] } = first ?? {}
  const answering = listener(machine, traffic, 'https')
  const server: Server = protocols.includes('h2')
    ? createHttp2Server(
        { ...options, allowHTTP1: protocols.includes('http/1.1'), ALPNProtocols: [...protocols] },
        // Node's requests and responses of HTTP/2 have the interface of HTTP/1.1 that is used here.
        answering as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void,
      )
    : createSecureServer(options, answering)
  server.on('secureConnection', (socket: TLSSocket) => traffic.handshakes.push(socket.servername || ''))
  server.on('tlsClientError', () => {})
  return server
}

function listener(machine: readonly LabSite[], traffic: TrafficLog, scheme: 'http' | 'https'): RequestListener {
  return async (incoming, outgoing) => {
    const body = incoming.method === 'POST' ? await text(incoming) : ''
    const request = describe(incoming, scheme === 'https', body)
    traffic.requests.push(request)
    const site = machine.find(one => one.host === request.host) ?? machine[0]
    const handler = site?.[scheme] ?? (() => ({ status: 421 }))
    answer(outgoing, await handler(request))
  }
}

function describe(incoming: IncomingMessage, secure: boolean, body: string): LabRequest {
  const { method = '', url = '', headers, httpVersion } = incoming
  const host = (headers.host ?? String(headers[':authority'] ?? '')).replace(/^\[|\]?(?::\d+)?$/g, '')
  return { method, host, url, secure, http_version: httpVersion, headers, body }
}

function answer(outgoing: ServerResponse, { status = 200, headers = [], body = '' }: LabResponse): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type')
  const type = hasType ? [] : [['Content-Type', 'text/html; charset=utf-8'] as const]
  const all = [...type, ...headers, ['Content-Length', String(bytes.length)] as const]
  // Values are sent as UTF-8, which Node would otherwise refuse to write.
  const octets = all.map(([name, value]) => [name, Buffer.from(value).toString('latin1')] as const)
  if (outgoing.req.httpVersionMajor === 2) outgoing.writeHead(status, byName(octets))
  else outgoing.writeHead(status, octets.flat())
  outgoing.end(bytes)
}

/** Node's HTTP/2 takes the values of one name together. */
function byName(fields: readonly (readonly [name: string, value: string])[]): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const [name, value] of fields) values[name] = [...(values[name] ?? []), value]
  return values
}
