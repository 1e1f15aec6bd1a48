// A service whose database is away, halted, behind a broken line, or kept from writing: what cannot be counted is not answered, the
// operator is told, and service resumes by itself.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Direct from 'libsql'
import { type LabDns, startLabDns } from '../src/testing/lab_dns.ts'
import { firstKey, type Served, serve } from './cli/served.ts'
import { type PostgresServer, startPostgres } from './postgres_server.ts'
import { type Relay, startRelay, type Weather } from './tcp_relay.ts'
import { temporaryDirectory } from './temporary_directory.ts'

const QUOTA = 10_000
const TOGETHER = 10
/** Milliseconds for what happens by itself, on a busy machine. */
const SOON_MS = 60_000

let dns: LabDns
before(async () => {
  dns = await startLabDns({ zones: {} })
})
after(() => dns.close())

function configured(store: string | null): string {
  const file = join(temporaryDirectory(), 'config.json')
  const settings = {
    store,
    data: 'data',
    server: { port: 0, drain_delay_ms: 0 },
    plans: { startup: { quota: QUOTA, period: 'month' } },
    network: { resolvers: [dns.address] },
    downloads: { enabled: false },
    green_hosting: { enabled: false },
  }
  writeFileSync(file, JSON.stringify(settings))
  return file
}

async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + SOON_MS
  for (;;) {
    const answer = await ask()
    if (wanted(answer) || performance.now() > end) return answer
    await pause(50)
  }
}

interface Seen {
  readonly status: number
  readonly code: string | null
  readonly retry: boolean
  readonly remaining: number
}

async function clientOf(service: Served) {
  const url = await service.url
  const headers = { 'X-API-Key': firstKey(service) ?? '' }
  const check = async (): Promise<Seen> => {
    const response = await fetch(`${url}/api/v1/check?domain=no-such-name.lab`, { headers })
    const { code = null } = (await response.json()) as { code?: string }
    const retry = Number(response.headers.get('retry-after')) > 0
    return { status: response.status, code, retry, remaining: Number(response.headers.get('x-ratelimit-remaining')) }
  }
  return {
    check,
    checks: () => Promise.all(Array.from({ length: TOGETHER }, check)),
    async ready() {
      const response = await fetch(`${url}/readyz`)
      const { faults } = (await response.json()) as { faults?: { store?: string } }
      return faults?.store ?? response.status
    },
    healthy: async () => (await fetch(`${url}/healthz`)).status,
  }
}

/** Breaks the store and repairs it, and looks at the service before, meanwhile and after. `slug` is what /readyz says meanwhile. */
async function outlives(service: Served, slug: string, broken: () => Promise<() => unknown>): Promise<void> {
  const client = await clientOf(service)
  const { status, remaining } = await client.check()
  assert.equal(status, 200)
  const repair = await broken()
  const refused = await client.checks().finally(() => client)
  for (const { status, code, retry } of refused)
    assert.deepEqual([status, code, retry], [503, 'store-unavailable', true])
  assert.equal(await until(client.ready, state => state === slug), slug)
  assert.equal(await client.healthy(), 200)
  await repair()
  // Without a request that is counted: a balancer sends none before.
  assert.equal(await until(client.ready, state => state === 200), 200)
  const next = await until(client.check, ({ status }) => status === 200)
  assert.equal(next.status, 200)
  // A commit whose reply was lost may have counted.
  const counted = remaining - next.remaining
  assert.ok(counted >= 1 && counted <= 1 + TOGETHER, `${counted} counted of 1 to ${1 + TOGETHER}`)
}

describe('a service on PostgreSQL', { timeout: 600_000 }, () => {
  let server: PostgresServer
  let relay: Relay
  let service: Served
  const hooks: (() => void)[] = []
  before(async () => {
    server = await startPostgres()
    const url = new URL(await server.createDatabase())
    relay = await startRelay({ after: (end: () => void) => void hooks.push(end) } as TestContext, server.port)
    url.port = String(relay.port)
    service = serve(['--config', configured(url.href)])
    await service.url
  })
  after(async () => {
    service.signal('SIGKILL')
    await service.ended
    for (const end of hooks) end()
    await server.stop()
  })

  it('refuses to start while it cannot be reached, and says so in one line without the password', async () => {
    const start = serve(['--config', configured(null)], { ASSAY_STORE: 'postgres://u:hunter2@127.0.0.1:9/assay' })
    assert.equal(await start.ended, 69)
    assert.match(start.stderr(), /^assay: cannot use the PostgreSQL store: [^\n]*ECONNREFUSED[^\n]*\n$/)
    assert.ok(!start.stderr().includes('hunter2'), 'no password')
  })

  it('answers nothing uncounted while the server is down, and resumes when it is back', async () => {
    await outlives(service, 'unreachable', async () => {
      await server.crash()
      return server.restart
    })
  })

  it('answers nothing uncounted while the server is halted, and resumes when it goes on', async () => {
    await outlives(service, 'unreachable', async () => server.halt())
  })

  const lines: Readonly<Record<string, Weather>> = {
    'is half open': { lost: true },
    'loses what the server says': { replies_lost: true },
    'resets every connection': { reset: () => true },
    'carries garbage': { instead: client => client.write(Buffer.alloc(65_536, 0xa5)) },
  }
  for (const [what, weather] of Object.entries(lines)) {
    it(`answers nothing uncounted while the line ${what}, and resumes when it is mended`, async () => {
      await outlives(service, 'unreachable', async () => {
        relay.weather = weather
        return () => {
          relay.weather = {}
        }
      })
    })
  }

  it('is as exact over a slow line', async () => {
    const client = await clientOf(service)
    const { remaining } = await client.check()
    relay.weather = { delay_ms: () => 50 }
    const answers = await client.checks()
    relay.weather = {}
    assert.deepEqual(
      answers.map(({ remaining }) => remaining).sort((one, other) => other - one),
      Array.from({ length: TOGETHER }, (_, at) => remaining - 1 - at),
    )
  })
})

describe('a service on SQLite', { timeout: 300_000 }, () => {
  it('answers nothing uncounted while the file cannot be written, and resumes when it can', async t => {
    const config = configured(null)
    const service = serve(['--config', config])
    t.after(() => service.signal('SIGKILL'))
    await service.url
    const file = new Direct(join(config, '../data/assay.db'))
    t.after(() => file.close())
    await outlives(service, 'not-writable', async () => {
      file.exec('BEGIN IMMEDIATE')
      return () => file.exec('ROLLBACK')
    })
  })
})
