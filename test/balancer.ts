// A plain balancer: each request to the next backend that says it is ready. It tries nothing twice.
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two looks at each backend; `server.drain_delay_ms` leaves time for several. */
const look_ms = 100

/**
 * Milliseconds that it keeps an idle connection to a backend, as nginx and the balancers of clouds do, and that it keeps
 * a client's: whoever sends keeps less long than whoever is sent to, or a request may meet the end of its connection.
 */
export const kept_ms = 60_000
const kept_for_clients_ms = 75_000

/** The header of a 502 that says why: the code of the error, or that no backend was ready. */
export const why = 'x-balancer-error'

export interface Balancer {
  readonly port: number
  /** Resolves when it is ready and takes its turns. */
  add(url: string): Promise<void>
  /** No longer looked at. */
  remove(url: string): void
}

interface Backend {
  readonly url: string
  readonly agent: Agent
  ready: boolean
}

export async function startBalancer(t: TestContext): Promise<Balancer> {
  const backends = new Map<string, Backend>()
  const agents: Agent[] = []
  let turn = 0

  async function look(backend: Backend): Promise<void> {
    backend.ready = await fetch(`${backend.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  async function watch(backend: Backend): Promise<void> {
    while (backends.get(backend.url) === backend) {
      await pause(look_ms)
      await look(backend)
    }
  }

  const server = createServer({ keepAliveTimeout: kept_for_clients_ms }, (incoming, outgoing) => {
    const fail = (reason: string) => outgoing.writeHead(502, { [why]: reason }).end()
    const ready = [...backends.values()].filter(({ ready }) => ready)
    const backend = ready[turn++ % ready.length]
    if (backend === undefined) return void fail('none is ready')
    const { headers, url = '' } = incoming
    const onward = request(`${backend.url}${url}`, { agent: backend.agent, headers })
    onward.on('error', (error: NodeJS.ErrnoException) => fail(`${error.code ?? error.message} of ${backend.url}`))
    onward.on('response', (answer: IncomingMessage) => {
      const { connection, 'keep-alive': _, ...passed } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, passed)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    onward.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    backends.clear()
    server.close()
    server.closeAllConnections()
    for (const agent of agents) agent.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    async add(url) {
      const backend = { url, agent: new Agent({ keepAlive: true, timeout: kept_ms }), ready: false }
      agents.push(backend.agent)
      while (!backend.ready) await look(backend)
      backends.set(url, backend)
      void watch(backend)
    },
    // Its connections end by themselves: an answer may be on its way in one of them.
    remove: url => void backends.delete(url),
  }
}
