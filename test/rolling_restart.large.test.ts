// Instances that are replaced one after the other, while clients go on asking.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startLabDns } from '../src/testing/lab_dns.ts'
import { kept_ms, startBalancer, why } from './balancer.ts'
import { assay } from './cli/assay.ts'
import { type Served, serve } from './cli/served.ts'
import { sharedPostgres } from './postgres_server.ts'
import { temporaryDirectory } from './temporary_directory.ts'

const instances = 3
const per_second = 60
const quota = 1_000_000
/** Milliseconds of load before the first restart, between two, and after the last. */
const between_ms = 500
/** Time for many of the balancer's looks, also where a busy machine holds up this process for seconds. */
const drain_delay_ms = 3_000

/** Status 0 where no whole answer came. */
interface Ended {
  readonly status: number
  readonly remaining: number
  readonly error: string | null
}

it('a rolling restart of three instances behind a load balancer fails no request, and counts each', {
  timeout: 300_000,
}, async t => {
  const dns = await startLabDns({ zones: {} })
  t.after(() => dns.close())
  const store = await (await sharedPostgres()).createDatabase()
  const directory = temporaryDirectory()
  const config = join(directory, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      server: { port: 0, drain_delay_ms },
      data: 'data',
      store,
      plans: { startup: { quota, period: 'month' } },
      network: { resolvers: [dns.address] },
      downloads: { enabled: false },
      green_hosting: { enabled: false },
      log: { level: 'warn' },
    }),
  )
  const made = await assay('keys', 'create', '--plan', 'startup', '--json', '--config', config)
  const { key } = JSON.parse(made.out) as { key: string }

  const balancer = await startBalancer(t)
  const start = async (): Promise<Served> => {
    const service = serve(['--config', config])
    t.after(() => service.signal('SIGKILL'))
    await balancer.add(await service.url)
    return service
  }
  const old = await Promise.all(Array.from({ length: instances }, start))

  const agent = new Agent({ keepAlive: true, timeout: kept_ms })
  t.after(() => agent.destroy())
  const check = () =>
    new Promise<Ended>(resolve => {
      const options = { host: '127.0.0.1', port: balancer.port, path: '/api/v1/check?domain=no-such-name.lab', agent }
      const sent = request({ ...options, headers: { 'X-API-Key': key } })
      sent.on('error', (error: NodeJS.ErrnoException) =>
        resolve({ status: 0, remaining: 0, error: error.code ?? error.message }),
      )
      sent.on('response', response => {
        const { statusCode: status = 0, headers } = response
        const remaining = Number(headers['x-ratelimit-remaining'])
        const error = response.headers[why]?.toString() ?? null
        response.on('close', () =>
          resolve(response.complete ? { status, remaining, error } : { status: 0, remaining, error: 'cut short' }),
        )
        response.resume()
      })
      sent.end()
    })
  assert.equal((await check()).status, 200)

  const began = performance.now()
  const asked: ReturnType<typeof check>[] = []
  const load = setInterval(() => {
    const due = ((performance.now() - began) * per_second) / 1_000
    while (asked.length < due) asked.push(check())
  }, 5)
  t.after(() => clearInterval(load))

  for (const service of old) {
    await pause(between_ms)
    service.signal('SIGTERM')
    const [ended] = await Promise.all([service.ended, start()])
    assert.equal(ended, 0)
    balancer.remove(await service.url)
  }
  await pause(between_ms)
  clearInterval(load)
  const answers = await Promise.all(asked)
  const failed = answers.filter(({ status }) => status !== 200)
  assert.deepEqual([failed.length, failed[0] ?? null], [0, null], `of ${answers.length}`)
  assert.ok(answers.length > per_second * instances, `${answers.length} asked`)
  assert.equal((await check()).remaining, quota - answers.length - 2)
  t.diagnostic(`${answers.length} requests over ${Math.round((performance.now() - began) / 1_000)} s`)
})
