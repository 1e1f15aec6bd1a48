// Several instances of the interface on one Redis, behind a proxy that sends each connection to the next of them.
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import type { TestContext } from 'node:test'
import { createAdmission } from '../src/api/admission.ts'
import type { Checker } from '../src/api/answers.ts'
import { createApp } from '../src/api/app.ts'
import { type CheckLimits, createGate } from '../src/api/limits.ts'
import { createLog } from '../src/api/log.ts'
import { createServer } from '../src/api/server.ts'
import { systemClock } from '../src/clock.ts'
import type { Backend } from '../src/store/backend.ts'
import type { Allowance } from '../src/store/quota_rule.ts'
import { unvetted } from '../src/targets/target.ts'
import { openFor, PATIENT_MS } from './store/backends.ts'
import { freshDirectory } from './store/fresh_directory.ts'

export interface Instances {
  readonly stores: readonly Backend[]
  readonly key: string
  /** Targets that any of their engines was asked for. */
  readonly checked: string[]
  /** One request, on a connection of its own, to whoever's turn it is. */
  get(path: string, key?: string): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readonly<Record<string, unknown>>
}

export interface InstancesOptions {
  readonly url: string
  readonly count: number
  readonly plans: Readonly<Record<string, Allowance>>
  readonly checker: Checker
  readonly limits?: Partial<CheckLimits>
  readonly target_wait_ms?: number
}

export async function startInstances(t: TestContext, options: InstancesOptions): Promise<Instances> {
  const data = freshDirectory(t)
  const stores: Backend[] = []
  for (let n = 0; n < options.count; n++)
    stores.push(await openFor(t, { store: options.url, data, command_ms: PATIENT_MS }))
  const checked: string[] = []
  const ports = await Promise.all(stores.map(store => startInstance(t, store, options, checked)))
  const port = await startProxy(t, ports)
  const { text: key } = (await stores[0]?.keys.create({ plan: 'startup', label: 'test' })) ?? { text: '' }
  return { stores, key, checked, get: (path, given = key) => ask(port, path, given) }
}

const unlimited = { per_key: 1e6, per_key_per_second: 1e6, per_domain: 1e6, per_domain_per_second: 1e6 }

async function startInstance(t: TestContext, store: Backend, options: InstancesOptions, checked: string[]) {
  const { plans, checker, limits, target_wait_ms } = options
  const log = createLog('silent', { write: () => {} })
  const app = createApp({
    store,
    plans,
    checker: {
      check(target, options) {
        checked.push(target.domain ?? '')
        return checker.check(target, options)
      },
    },
    cache: store.cache,
    flights: store.flights,
    gate: createGate({
      admission: createAdmission({ limit: 64 }),
      limits: { ...unlimited, ...limits },
      deadline_ms: 8_000,
      monotonic: systemClock.monotonic,
      share: store.targets,
      ...(target_wait_ms !== undefined && { target_wait_ms }),
    }),
    policy: 'test',
    vetting: unvetted,
    openapi: () => Buffer.from('{}'),
    conditions: [],
    log,
    clock: systemClock,
  })
  const server = createServer({ handle: app, log, clock: systemClock, limits: { linger_ms: 50 } })
  const { port } = await server.listen(0, '127.0.0.1')
  t.after(() => server.drain())
  return port
}

async function startProxy(t: TestContext, ports: readonly number[]): Promise<number> {
  let turn = 0
  const proxy = createTcpServer(client => {
    const server = connect(ports[turn++ % ports.length] ?? 0, '127.0.0.1')
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => proxy.close())
  return (proxy.address() as AddressInfo).port
}

async function ask(port: number, path: string, key: string): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, agent: false, headers: { 'X-API-Key': key } }).end()
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) }
}
