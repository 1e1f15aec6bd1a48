// What a check costs at least: a script that asks and fetches the same with Node's own means, and judges nothing.
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
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

/** One connection, kept; it trusts Node's roots and those of NODE_EXTRA_CA_CERTS. */
function newAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, maxCachedSessions: 0 })
  agent.createConnection = () =>
    connect({ socket: dialTo(lab)(address, 443), servername: domain, ALPNProtocols: ['http/1.1'] })
  return agent
}

const headers = { 'user-agent': 'minimal', accept: '*/*', 'accept-encoding': 'gzip, deflate, br' }

/** Reads to the end; the octets of the body, decoded. */
async function get(agent: Agent, path: string): Promise<number> {
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
  const agent = newAgent()
  await get(agent, '/')
  agent.destroy()
}

/** Everything that a check brought to the lab, brought there again. */
async function sameAs({ queries, requests }: LabTraffic): Promise<void> {
  const resolver = newResolver()
  // c-ares has no question for DS; NS is as long.
  await Promise.allSettled(queries.map(({ name, type }) => resolver.resolve(name, type === 'DS' ? 'NS' : type)))
  const agent = newAgent()
  for (const { url } of requests) await get(agent, url)
  agent.destroy()
}

answerTasks({
  open(reachable: Reachable) {
    lab = reachable
  },
  visits: (input: Repeat) => repeat(input, visit),
  fetches: ({ traffic, ...times }: Repeat & { readonly traffic: LabTraffic }) => repeat(times, () => sameAs(traffic)),
})
