// The minimum cost of a check: scripts that send the same queries and requests in the same order, without analysis.
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { Agent, fetch } from 'undici'
import { answerTasks } from './child.ts'
import { dialTo, type LabTraffic, type Reachable } from './lab.ts'
import { type Repeat, repeat } from './repeat.ts'
import { shopAddress, shopName, shopOf } from './shops.ts'
import { directoryAddress, registryAddress } from './upstream_hosts.ts'

let lab: Reachable
let shop = 0

function newResolver(): Resolver {
  const resolver = new Resolver()
  resolver.setServers([lab.resolver])
  return resolver
}

/** Requests on persistent connections. */
interface Client {
  /** Reads to the end; returns the bytes of the decoded body. */
  get(url: string): Promise<number>
  close(): void
}

const headers = { 'user-agent': 'minimal', accept: '*/*', 'accept-encoding': 'gzip, deflate, br' }

const addressOf = (host: string): string =>
  host === 'registry.lab' ? registryAddress : host === 'green-directory.lab' ? directoryAddress : shopAddress

/** Connects to the lab; TLS trusts Node's roots and those of NODE_EXTRA_CA_CERTS. */
const dialPlain = (host: string) => dialTo(lab)(addressOf(host), 80)
const dialSecurely = (host: string, ALPNProtocols: string[]) =>
  connect({ socket: dialTo(lab)(addressOf(host), 443), servername: host, ALPNProtocols })

const isH2 = (host: string) => lab.protocol === 'h2' && shopOf(host) !== null

/** As scripts usually do it. */
function byFetch(): Client {
  const agent = (allowH2: boolean) =>
    new Agent({
      connections: 1,
      allowH2,
      connect({ protocol, hostname }, done) {
        const secure = () => dialSecurely(hostname, allowH2 ? ['h2', 'http/1.1'] : ['http/1.1'])
        const [socket, ready] = protocol === 'https:' ? [secure(), 'secureConnect'] : [dialPlain(hostname), 'connect']
        socket.once('error', error => done(error, null)).once(ready, () => done(null, socket))
      },
    })
  const agents = { h1: agent(false), h2: agent(true) }
  return {
    async get(url) {
      const { protocol, hostname } = new URL(url)
      const dispatcher = protocol === 'https:' && isH2(hostname) ? agents.h2 : agents.h1
      const response = await fetch(url, { dispatcher, headers, redirect: 'manual' })
      return (await response.arrayBuffer()).byteLength
    },
    close: () => void Promise.all(Object.values(agents).map(one => one.destroy())),
  }
}

/** The cheapest way in Node. */
function byRequest(): Client {
  const kept = { keepAlive: true, maxSockets: 1 }
  const secure = new https.Agent(kept)
  secure.createConnection = ({ host }: { host?: string | undefined }) => dialSecurely(host ?? '', ['http/1.1'])
  const plain = new http.Agent(kept)
  // The lab begins to connect after a round trip, and Node writes to no socket that has not begun.
  const connectPlain = ({ host = '' }: { host?: string }, done: (error: Error | null, socket: Socket) => void) => {
    const socket = dialPlain(host)
    socket.once('connect', () => done(null, socket))
  }
  plain.createConnection = connectPlain as unknown as typeof plain.createConnection
  const sessions = new Map<string, http2.ClientHttp2Session>()
  const sessionOf = (origin: string, host: string) => {
    const session =
      sessions.get(origin) ?? http2.connect(origin, { createConnection: () => dialSecurely(host, ['h2']) })
    sessions.set(origin, session)
    return session
  }
  const body = async (response: NodeJS.ReadableStream, coding: unknown) => {
    let octets = 0
    for await (const chunk of coding === 'gzip' ? response.pipe(createGunzip()) : response) octets += chunk.length
    return octets
  }
  return {
    async get(url) {
      const { protocol, hostname, pathname, origin } = new URL(url)
      if (protocol === 'https:' && isH2(hostname)) {
        const stream = sessionOf(origin, hostname).request({ ...headers, ':path': pathname })
        const [response] = await once(stream, 'response')
        return body(stream, response['content-encoding'])
      }
      const asked =
        protocol === 'https:'
          ? https.request(url, { agent: secure, headers })
          : http.request(url, { agent: plain, headers })
      asked.end()
      const [response] = await once(asked, 'response')
      return body(response, response.headers['content-encoding'])
    },
    close() {
      for (const session of sessions.values()) session.destroy()
      secure.destroy()
      plain.destroy()
    },
  }
}

/** Kept for all checks, as any script would. */
const upstreams: { [Way in keyof typeof ways]?: Client } = {}
const ways = { byFetch, byRequest }

/** The critical path: addresses, TCP, TLS, the page. */
async function visit(): Promise<void> {
  const resolver = newResolver()
  const name = shopName(shop++)
  await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const client = byRequest()
  await client.get(`https://${name}/`)
  client.close()
}

/** Repeats all traffic of a check, at another shop. */
async function sameAs({ queries, site, requests }: LabTraffic, way: keyof typeof ways): Promise<void> {
  const name = shopName(shop++)
  const here = (text: string) => {
    const asked = shopOf(text)
    return asked === null ? text : text.replace(asked, name)
  }
  upstreams[way] ??= ways[way]()
  const kept = upstreams[way]
  const resolver = newResolver()
  const isAddress = ({ name, type }: (typeof queries)[number]) =>
    (type === 'A' || type === 'AAAA') && shopOf(name) === name
  const ask = ({ name, type }: (typeof queries)[number]) =>
    // c-ares cannot query DS and DNSKEY; NS is as long.
    resolver.resolve(here(name), type === 'DS' || type === 'DNSKEY' ? 'NS' : type)
  const client = ways[way]()
  const others = Promise.allSettled(queries.filter(query => !isAddress(query)).map(ask))
  const registries = requests.filter(({ host }) => host === 'registry.lab')
  const registry = registries.map(({ url }) => kept.get(`https://registry.lab${here(url)}`))
  await Promise.allSettled(queries.filter(isAddress).map(ask))
  const directory = requests
    .filter(({ host }) => host === 'green-directory.lab')
    .map(({ url }) => kept.get(`https://green-directory.lab${here(url)}`))
  const plain = site.filter(({ secure }) => !secure).map(({ url }) => client.get(`http://${name}${url}`))
  const pages = site.filter(({ secure }) => secure).map(({ url }) => `https://${name}${url}`)
  if (lab.protocol === 'h2') await Promise.all(pages.map(url => client.get(url)))
  else for (const url of pages) await client.get(url)
  await Promise.all([others, ...registry, ...directory, ...plain])
  client.close()
}

type Again = Repeat & { readonly traffic: LabTraffic }

answerTasks({
  open(reachable: Reachable) {
    lab = reachable
  },
  visits: (input: Repeat) => repeat(input, visit),
  fetches: ({ traffic, ...times }: Again) => repeat(times, () => sameAs(traffic, 'byFetch')),
  requests: ({ traffic, ...times }: Again) => repeat(times, () => sameAs(traffic, 'byRequest')),
})
