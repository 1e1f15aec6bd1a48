// The minimum cost of a check: scripts that send the same queries and requests without analysis.
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { connect } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { Agent, fetch } from 'undici'
import { answerTasks } from './child.ts'
import { address, domain } from './healthy_site.ts'
import { dialTo, type LabTraffic, type Reachable } from './lab.ts'
import { type Repeat, repeat } from './repeat.ts'

let lab: Reachable

function newResolver(): Resolver {
  const resolver = new Resolver()
  resolver.setServers([lab.resolver])
  return resolver
}

/** Fetches sequentially on one persistent connection per origin. */
interface Client {
  /** Reads to the end; returns the bytes of the decoded body. */
  get(url: string): Promise<number>
  close(): void
}

const headers = { 'user-agent': 'minimal', accept: '*/*', 'accept-encoding': 'gzip, deflate, br' }

/** Connects to the lab; TLS trusts Node's roots and those of NODE_EXTRA_CA_CERTS. */
const dialPlain = () => dialTo(lab)(address, 80)
const dialSecurely = () =>
  connect({ socket: dialTo(lab)(address, 443), servername: domain, ALPNProtocols: ['http/1.1'] })

/** As scripts usually do it. */
function byFetch(): Client {
  const agent = new Agent({
    connections: 1,
    connect({ protocol }, done) {
      const [socket, ready] = protocol === 'https:' ? [dialSecurely(), 'secureConnect'] : [dialPlain(), 'connect']
      socket.once('error', error => done(error, null)).once(ready, () => done(null, socket))
    },
  })
  return {
    async get(url) {
      const response = await fetch(url, { dispatcher: agent, headers, redirect: 'manual' })
      return (await response.arrayBuffer()).byteLength
    },
    close: () => void agent.destroy(),
  }
}

/** The cheapest way in Node. */
function byRequest(): Client {
  const kept = { keepAlive: true, maxSockets: 1 }
  const secure = new https.Agent({ ...kept, maxCachedSessions: 0 })
  secure.createConnection = dialSecurely
  const plain = new http.Agent(kept)
  plain.createConnection = dialPlain
  return {
    async get(url) {
      const asked = url.startsWith('https:')
        ? https.request(url, { agent: secure, headers })
        : http.request(url, { agent: plain, headers })
      asked.end()
      const [response] = await once(asked, 'response')
      const body = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
      let octets = 0
      for await (const chunk of body) octets += chunk.length
      return octets
    },
    close() {
      secure.destroy()
      plain.destroy()
    },
  }
}

/** The critical path: addresses, TCP, TLS, the page. */
async function visit(): Promise<void> {
  const resolver = newResolver()
  await Promise.allSettled([resolver.resolve4(domain), resolver.resolve6(domain)])
  const client = byRequest()
  await client.get(`https://${domain}/`)
  client.close()
}

/** Repeats all traffic of a check. */
async function sameAs({ queries, requests }: LabTraffic, client: Client): Promise<void> {
  const resolver = newResolver()
  // c-ares cannot query DS; NS is as long.
  await Promise.allSettled(queries.map(({ name, type }) => resolver.resolve(name, type === 'DS' ? 'NS' : type)))
  for (const { url, secure } of requests) await client.get(`${secure ? 'https' : 'http'}://${domain}${url}`)
  client.close()
}

type Again = Repeat & { readonly traffic: LabTraffic }

answerTasks({
  open(reachable: Reachable) {
    lab = reachable
  },
  visits: (input: Repeat) => repeat(input, visit),
  fetches: ({ traffic, ...times }: Again) => repeat(times, () => sameAs(traffic, byFetch())),
  requests: ({ traffic, ...times }: Again) => repeat(times, () => sameAs(traffic, byRequest())),
})
