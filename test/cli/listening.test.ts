// Where a service listens: its own port, that of its metrics, and what it says when one of them is taken.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryDirectory } from '../temporary_directory.ts'
import { type Served, serve } from './served.ts'

const directory = temporaryDirectory()
const servers: Server[] = []
const services: Served[] = []
let made = 0
/** How far the metrics are from the service when nobody says. */
const OFFSET = 1_000

/** A service that asks nobody anything, with these settings beside. */
function start(settings: object, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Served {
  const file = join(directory, `config-${++made}.json`)
  const common = {
    data: join(directory, `data-${made}`),
    downloads: { enabled: false },
    green_hosting: { enabled: false },
    network: { resolvers: ['127.0.0.1:9'] },
  }
  writeFileSync(file, JSON.stringify({ ...common, ...settings }))
  const service = serve(['--config', file, ...args], env)
  services.push(service)
  return service
}

const close = (server: Server) => new Promise(resolve => server.close(resolve))

async function occupy(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return (server.address() as AddressInfo).port
}

/** A free port above which another, 1000 away, is free as well; both are let go. */
async function freePair(): Promise<number> {
  for (;;) {
    const port = await occupy(0)
    const isFree = port + OFFSET <= 65_535 && (await occupy(port + OFFSET).catch(() => null)) !== null
    for (const server of servers.splice(isFree ? -2 : -1)) await close(server)
    if (isFree) return port
  }
}

const lines = ({ stdout }: Served) =>
  stdout()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>)

/** Status of a GET; null when nobody listens. */
const statusOf = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers }).then(
    async response => {
      await response.arrayBuffer()
      return response.status
    },
    () => null,
  )

async function logged<T>(service: Served, find: (line: Record<string, unknown>) => T | undefined): Promise<T> {
  for (;;) {
    const found = lines(service).flatMap(line => find(line) ?? [])[0]
    if (found !== undefined) return found
    await pause(20)
  }
}

describe('a service', { timeout: 300_000 }, () => {
  after(() => {
    for (const server of servers) server.close()
    for (const service of services) service.signal('SIGKILL')
  })

  it('serves metrics only on a separate loopback port, 1000 above its own', async () => {
    const port = await freePair()
    const service = start({ server: { port } })
    const url = await service.url
    assert.equal(await logged(service, ({ metrics }) => metrics), `http://127.0.0.1:${port + OFFSET}`)
    const paths = ['/metrics', '/healthz', '/readyz', '/api/v1/check']
    const seen = await Promise.all(paths.map(path => statusOf(`http://127.0.0.1:${port + OFFSET}${path}`)))
    assert.deepEqual([...seen, await statusOf(`${url}/metrics`)], [200, 200, 200, 404, 404])
  })

  it('continues without metrics, and says so, when their default port is in use', async () => {
    const port = await freePair()
    await occupy(port + OFFSET)
    const service = start({ server: { port } })
    assert.equal(await statusOf(`${await service.url}/healthz`), 200)
    const notice = await logged(service, ({ notice }) => (/^metrics/.test(String(notice)) ? notice : undefined))
    assert.equal(
      notice,
      `metrics: not served. Cannot listen on 127.0.0.1 port ${port + OFFSET}: another process uses that port. Choose another with \`metrics\` in the configuration, or switch them off: {"metrics":{"expose":"off"}}.`,
    )
  })

  it('does not start when a configured metrics port is in use: prints one sentence and exits with 69', async () => {
    const taken = await occupy(0)
    const service = start({ server: { port: 0 }, metrics: { port: taken } })
    assert.equal(await service.ended, 69)
    assert.equal(
      service.stderr(),
      `assay: Cannot listen on 127.0.0.1 port ${taken}: another process uses that port. Choose another with \`metrics\` in the configuration, or switch them off: {"metrics":{"expose":"off"}}.\n`,
    )
  })

  it('does not start when its own port is in use: prints one sentence and exits with 69', async () => {
    const taken = await occupy(0)
    const service = start({}, ['--port', `${taken}`])
    assert.equal(await service.ended, 69)
    assert.equal(
      service.stderr(),
      `assay: Cannot listen on 127.0.0.1 port ${taken}: another process uses that port. Choose another with --port and --host, or \`server\` in the configuration.\n`,
    )
    assert.deepEqual(
      lines(service).map(({ store }) => store),
      ['new'],
    )
  })

  it('serves metrics on its own port only if configured, and never through a proxy', async () => {
    const service = start({ server: { port: 0 }, metrics: { expose: 'service' } })
    const url = await service.url
    const seen = [
      await statusOf(`${url}/metrics`),
      await statusOf(`${url}/metrics`, { 'X-Forwarded-For': '192.0.2.1' }),
    ]
    assert.deepEqual(seen, [200, 404])
    assert.ok(lines(service).every(({ metrics }) => metrics === undefined))
  })

  it('listens on --host, otherwise ASSAY_HOST, otherwise the configured host', async () => {
    const hosts = [
      start({ server: { port: 0, host: '127.0.0.3' } }),
      start({ server: { port: 0, host: '127.0.0.3' } }, [], { ASSAY_HOST: '127.0.0.4' }),
      start({ server: { port: 0, host: '127.0.0.3' } }, ['--host', '127.0.0.5'], { ASSAY_HOST: '127.0.0.4' }),
    ]
    const urls = await Promise.all(hosts.map(({ url }) => url))
    assert.deepEqual(
      urls.map(url => new URL(url).hostname),
      ['127.0.0.3', '127.0.0.4', '127.0.0.5'],
    )
    assert.deepEqual(await Promise.all(urls.map(url => statusOf(`${url}/healthz`))), [200, 200, 200])
  })

  it('does not read an empty --host as every address of the machine', async () => {
    const service = start({ server: { port: 0 } }, ['--host', ''])
    assert.equal(await service.ended, 78)
    assert.match(service.stderr(), /^ {2}host: is empty$/m)
  })
})
