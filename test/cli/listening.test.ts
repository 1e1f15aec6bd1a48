// Where a service listens: its own port, that of its metrics, and what it says when one of them is taken.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { listen, listenForMetrics } from '../../src/cli/listening.ts'
import { readSettings } from '../../src/config/config.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'
import { operatorUrl, type Served, serve } from './served.ts'

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

after(() => {
  for (const server of servers) server.close()
  for (const service of services) service.signal('SIGKILL')
})

describe('a service', { timeout: 300_000 }, () => {
  it('serves metrics only on a separate loopback port, 1000 above its own', async () => {
    const port = await freePair()
    const service = start({ server: { port } })
    const url = await service.url
    assert.equal(await operatorUrl(service), `http://127.0.0.1:${port + OFFSET}`)
    const paths = ['/metrics', '/healthz', '/readyz', '/api/v1/check']
    const seen = await Promise.all(paths.map(path => statusOf(`http://127.0.0.1:${port + OFFSET}${path}`)))
    assert.deepEqual([...seen, await statusOf(`${url}/metrics`)], [200, 200, 200, 404, 404])
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

  it('does not read an empty --host as every address of the machine', async () => {
    const { code, err } = await assay('serve', '--port', '0', '--host', '')
    assert.equal(code, 78)
    assert.match(err, /^ {2}host: is empty$/m)
  })
})

/** A server that listens as told. */
const listening: Parameters<typeof listen>[0] = {
  async listen(port, host) {
    const server = createServer().listen(port, host)
    servers.push(server)
    await once(server, 'listening')
    return server.address() as AddressInfo
  },
}

describe('where a service listens', () => {
  const read = (settings: object) => readSettings(settings, '/', {}).config
  const inUse = (port: number) =>
    `Cannot listen on 127.0.0.1 port ${port}: another process uses that port. Choose another with \`metrics\` in the configuration, or switch them off: {"metrics":{"expose":"off"}}.`

  it('is --host, otherwise ASSAY_HOST, otherwise the configured host', () => {
    const hostOf = (env: NodeJS.ProcessEnv, flags: { host?: string } = {}) =>
      readSettings({ server: { host: '127.0.0.3' } }, '/', readEnvironment(env), flags).config.server.host
    const other = { ASSAY_HOST: '127.0.0.4' }
    assert.deepEqual(
      [hostOf({}), hostOf(other), hostOf(other, { host: '127.0.0.5' })],
      ['127.0.0.3', '127.0.0.4', '127.0.0.5'],
    )
  })

  it('is said as a URL, whose host is loopback when it listens on every address', async () => {
    const server: typeof listening = {
      listen: async (port, host) => ({ address: host, port: port + 1, family: 'IPv4' }),
    }
    const urls = ['127.0.0.3', '0.0.0.0', '::', '::1'].map(host => listen(server, { host, port: 8_080 }, 'Advice.'))
    assert.deepEqual(await Promise.all(urls), [
      'http://127.0.0.3:8081',
      'http://127.0.0.1:8081',
      'http://127.0.0.1:8081',
      'http://[::1]:8081',
    ])
  })

  it('is refused for an address of another machine', async () =>
    await assert.rejects(listen(listening, { host: '192.0.2.1', port: 0 }, 'Advice.'), {
      code: 69,
      message: 'Cannot listen on 192.0.2.1 port 0: this machine does not have that address. Advice.',
    }))

  it('has no metrics, and a notice, when their default port is in use', async () => {
    const port = await freePair()
    await occupy(port + OFFSET)
    assert.deepEqual(await listenForMetrics(listening, read({ server: { port } })), {
      notice: `metrics: not served. ${inUse(port + OFFSET)}`,
    })
  })

  it('is refused when a configured metrics port is in use', async () => {
    const port = await occupy(0)
    await assert.rejects(listenForMetrics(listening, read({ metrics: { port } })), { code: 69, message: inUse(port) })
  })

  it('has its metrics below a port that is among the highest', async () => {
    const asked: number[] = []
    const server: typeof listening = {
      async listen(port, host) {
        asked.push(port)
        return { address: host, port, family: 'IPv4' }
      },
    }
    for (const port of [0, 8_080, 64_535, 64_536]) await listenForMetrics(server, read({ server: { port } }))
    assert.deepEqual(asked, [0, 9_080, 65_535, 63_536])
  })
})
