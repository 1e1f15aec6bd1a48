// What a check costs at least: a script that asks and fetches the same with Node's own means, and judges nothing.
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { connect } from 'node:tls'
import { createGunzip } from 'node:zlib'
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

interface Way {
  readonly request: typeof http.request
  readonly agent: http.Agent
}

/** One connection, kept. */
const kept = { keepAlive: true, maxSockets: 1 }

/** It trusts Node's roots and those of NODE_EXTRA_CA_CERTS. */
function secured(): Way {
  const agent = new https.Agent({ ...kept, maxCachedSessions: 0 })
  agent.createConnection = () =>
    connect({ socket: dialTo(lab)(address, 443), servername: domain, ALPNProtocols: ['http/1.1'] })
  return { request: https.request, agent }
}

function inTheClear(): Way {
  const agent = new http.Agent(kept)
  agent.createConnection = () => dialTo(lab)(address, 80)
  return { request: http.request, agent }
}

const headers = { 'user-agent': 'minimal', accept: '*/*', 'accept-encoding': 'gzip, deflate, br' }

/** Reads to the end; the octets of the body, decoded. */
async function get({ request, agent }: Way, path: string): Promise<number> {
  const asked = request({ host: domain, path, agent, headers })
  asked.end()
  const [response] = await once(asked, 'response')
  const body = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
  let octets = 0
  for await (const chunk of body) octets += chunk.length
  return octets
}

/** The critical path: addresses, TCP, TLS, the page. */
async function visit(): Promise<void> {
  const resolver = newResolver()
  await Promise.allSettled([resolver.resolve4(domain), resolver.resolve6(domain)])
  const way = secured()
  await get(way, '/')
  way.agent.destroy()
}

/** Everything that a check brought to the lab, brought there again. */
async function sameAs({ queries, requests }: LabTraffic): Promise<void> {
  const resolver = newResolver()
  // c-ares has no question for DS; NS is as long.
  await Promise.allSettled(queries.map(({ name, type }) => resolver.resolve(name, type === 'DS' ? 'NS' : type)))
  const ways = { secured: secured(), inTheClear: inTheClear() }
  for (const { url, secure } of requests) await get(secure ? ways.secured : ways.inTheClear, url)
  for (const { agent } of Object.values(ways)) agent.destroy()
}

answerTasks({
  open(reachable: Reachable) {
    lab = reachable
  },
  visits: (input: Repeat) => repeat(input, visit),
  fetches: ({ traffic, ...times }: Repeat & { readonly traffic: LabTraffic }) => repeat(times, () => sameAs(traffic)),
})
