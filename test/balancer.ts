// A plain balancer: each request to the next backend that says it is ready. It tries nothing twice.
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** Milliseconds between two looks at each backend; `server.drain_delay_ms` leaves time for several. */
const look_ms = 100

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
  let turn = 0

  async function look(backend: Backend): Promise<void> {
    backend.ready = await fetch(`${backend.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  const server = createServer((incoming, outgoing) => {
    const ready = [...backends.values()].filter(({ ready }) => ready)
    const backend = ready[turn++ % ready.length]
    if (backend === undefined) return void outgoing.writeHead(502).end()
    const { headers, url = '' } = incoming
    const onward = request(`${backend.url}${url}`, { agent: backend.agent, headers })
    onward.on('error', () => outgoing.writeHead(502).end())
    onward.on('response', (answer: IncomingMessage) => {
      const { connection, 'keep-alive': _, ...passed } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, passed)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    onward.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const looks = setInterval(() => {
    for (const backend of backends.values()) void look(backend)
  }, look_ms)
  t.after(() => {
    clearInterval(looks)
    server.close()
    server.closeAllConnections()
    for (const { agent } of backends.values()) agent.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    async add(url) {
      const backend = { url, agent: new Agent({ keepAlive: true }), ready: false }
      while (!backend.ready) await look(backend)
      backends.set(url, backend)
    },
    remove(url) {
      backends.get(url)?.agent.destroy()
      backends.delete(url)
    },
  }
}
