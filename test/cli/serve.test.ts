import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { openKeysIn } from '../store/opened.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'
import { firstKey, operatorUrl, type Served, serve } from './served.ts'

/** Milliseconds from the command to its end or its readiness, tsx and a busy machine included. */
const SOON_MS = 10_000
/** Milliseconds after which the same signal is another one, and some. */
const ECHO_MS = 300

const directory = temporaryDirectory()
const data = join(directory, 'data')
const config = join(directory, 'config.json')

const stray = join(import.meta.dirname, '../fixtures/plugins/stray.js')

let dns: LabDns
/** Nothing is heard of the resolver. */
let dark = false
let service: Served
let url: string
let key: string
before(async () => {
  dns = await startLabDns({ zones: {}, fault: () => ({ silent: dark }) })
  const limits = { dns_try_ms: 500, dns_phase_ms: 1_000 }
  writeFileSync(
    config,
    JSON.stringify({
      load: [stray],
      server: { drain_delay_ms: 500 },
      network: { resolvers: [dns.address], limits },
      downloads: { enabled: false },
    }),
  )
  service = serve([], { PORT: '0', ASSAY_CONFIG: config, ASSAY_DATA: data })
  url = await service.url
  key = firstKey(service) ?? ''
})
after(() => dns.close())

const check = (query: string, headers: Record<string, string> = { 'X-API-Key': key }, init: RequestInit = {}) =>
  fetch(`${url}/api/v1/check${query}`, { headers, ...init })

async function codeOf(response: Response): Promise<[number, string]> {
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const { code, request_id } = (await response.json()) as Record<string, string>
  assert.equal(request_id, response.headers.get('x-request-id'))
  return [response.status, code ?? '']
}

describe('assay serve', { timeout: 300_000 }, () => {
  it('creates a key at its first start and prints it once, in a working curl command', () => {
    assert.match(key, /^assay_\w{30,}$/)
    const { length } = service.stderr().split(key)
    assert.equal(length - 1, 2)
    assert.ok(service.stderr().includes(`curl -s -H 'X-API-Key: ${key}' '${url}/api/v1/check?domain=example.com'`))
  })

  it('serves health, readiness and the OpenAPI document without a key', async () => {
    const [health, ready, openapi] = await Promise.all(
      ['/healthz', '/readyz', '/openapi.json'].map(async path => (await fetch(url + path)).json()),
    )
    const { instruments, ...rest } = ready as { instruments: { not_healthy: readonly { instrument: string }[] } }
    assert.deepEqual([health, rest], [{ status: 'ok' }, { status: 'ready', datasets: {} }])
    assert.ok(instruments.not_healthy.some(({ instrument }) => instrument === 'way_out ipv4'))
    const { openapi: version, paths } = openapi as { openapi: string; paths: Record<string, unknown> }
    assert.match(version, /^3\.1\./)
    assert.ok('/api/v1/check' in paths && JSON.stringify(openapi).includes('"stray":'))
  })

  it('answers a check, then the same from the cache, and counts both', async () => {
    const now = Date.now() / 1_000
    const answers = []
    for (const name of ['no-such-name.lab', 'NO-such-name.lab.']) {
      const { status, headers, ...response } = await check(`?domain=${name}`).then(async response => ({
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      }))
      assert.ok(Number(headers.get('x-ratelimit-reset')) > now)
      assert.match(headers.get('x-request-id') ?? '', /^[\w-]{8,64}$/)
      assert.equal(headers.get('cache-control'), 'private, no-store')
      const { domain, verdict, cached } = response.body
      const [limit, remaining] = ['limit', 'remaining'].map(name => Number(headers.get(`x-ratelimit-${name}`)))
      answers.push([status, headers.get('x-cache'), domain, verdict, cached, limit, remaining])
    }
    assert.deepEqual(answers, [
      [200, 'MISS', 'no-such-name.lab', 'suspicious', false, 10_000, 9_999],
      [200, 'HIT', 'no-such-name.lab', 'suspicious', true, 10_000, 9_998],
    ])
  })

  it('shows in its metrics how many answers it has counted', async () => {
    const metrics = await (await fetch(`${await operatorUrl(service)}/metrics`)).text()
    assert.match(metrics, /^assay_answers_total\{plan="startup"\} 2$/m)
  })

  it('refuses a request without a key with a problem', async () => {
    assert.deepEqual(await codeOf(await check('?domain=a.lab', {})), [401, 'missing-api-key'])
  })

  it('answers 503 and counts nothing when its resolver does not answer', async () => {
    dark = true
    const response = await check('?domain=silent.lab')
    dark = false
    const { detail } = (await response.clone().json()) as { detail: string }
    assert.match(detail, /^The DNS resolver is down since \S+Z: it does not answer\.$/)
    assert.deepEqual(await codeOf(response), [503, 'analysis-unavailable'])
    assert.ok(Number(response.headers.get('retry-after')) > 0)
    assert.equal(response.headers.get('x-ratelimit-remaining'), '9998')
  })

  it('applies changes by the keys command within two seconds', async () => {
    const made = await assay('keys', 'create', '--plan', 'business', '--json', '--data', data)
    const { key: other, id } = JSON.parse(made.out) as { key: string; id: string }
    const limitFor = async () => {
      const response = await check('?domain=no-such-name.lab', { 'X-API-Key': other })
      return response.headers.get('x-ratelimit-limit')
    }
    assert.equal(await until('50000', limitFor), '50000')
    await assay('keys', 'revoke', id, '--data', data)
    assert.equal(await until('0', limitFor), '0')
  })

  it('does not start with an invalid configuration: it lists all errors and exits with 78', async () => {
    const faulty = join(directory, 'faulty.json')
    writeFileSync(faulty, JSON.stringify({ sever: {}, log: { level: 'loud' } }))
    const { code, err } = await assay('serve', '--config', faulty, '--port', '99999')
    assert.equal(code, 78)
    assert.deepEqual(
      err.split('\n').map(line => line.trim().split(':')[0]),
      ['assay', 'sever', 'log.level', 'port', ''],
    )
  })

  it('does not start without a configured dataset file: it exits with 78', async () => {
    const lacking = join(directory, 'lacking.json')
    writeFileSync(lacking, JSON.stringify({ datasets: { city: './none.mmdb' }, downloads: { enabled: false } }))
    const start = serve(['--config', lacking, '--port', '0', '--data', join(directory, 'new')])
    assert.equal(await start.ended, 78)
    assert.match(start.stderr(), /none\.mmdb: no such file/)
  })

  it('refuses to share a data directory: it says so and exits with 69', async () => {
    const other = serve(['--port', '0', '--data', data, '--config', config])
    assert.equal(await other.ended, 69)
    assert.match(other.stderr(), /^assay: another process serves from .*data\n$/)
  })

  it('answers running requests on shutdown, then exits with 0', async () => {
    dark = true
    const underWay = check('?domain=also.silent.lab')
    while (!isAsked('also.silent.lab')) await pause(10)
    service.signal('SIGTERM')
    const response = await underWay
    assert.deepEqual(await codeOf(response), [503, 'analysis-unavailable'])
    assert.equal(await service.ended, 0)
    await assert.rejects(fetch(url), TypeError)
  })

  it('has stored when its key was last used', async () => {
    const { keys, close } = await openKeysIn(data)
    const [first] = await keys.list()
    await close()
    assert.ok(first?.last_used && first.last_used >= first.created)
  })

  it('logs one JSON object per line, without keys', () => {
    const lines = service
      .stdout()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    assert.ok(lines.every(({ level, time }) => typeof level === 'string' && typeof time === 'number'))
    const visits = lines.filter(({ path }) => path === '/api/v1/check')
    assert.ok(visits.length >= 6, `${visits.length} lines`)
    assert.ok(!service.stdout().includes(key.slice('assay_'.length)))
    assert.match(service.stdout(), /"draining":"SIGTERM"/)
  })

  it('survives errors that a plugin leaves behind, and logs them', () => {
    const lines = service.stdout().split('\n')
    for (const event of ['unhandledRejection', 'uncaughtException']) {
      assert.ok(
        lines.some(line => line.includes(`"stray":"${event}"`) && line.includes('left behind')),
        event,
      )
    }
  })

  it('creates no second key at its next start, continues counting, refuses the 21st invalid key, and exits at once on a second signal', async () => {
    dark = false
    const next = serve(['--port', '0', '--data', data, '--config', config])
    url = await next.url
    assert.equal(firstKey(next), null)
    const response = await check('?domain=no-such-name.lab')
    assert.deepEqual(
      [response.status, response.headers.get('x-cache'), response.headers.get('x-ratelimit-remaining')],
      [200, 'HIT', '9997'],
    )
    const guesses: number[] = []
    for (let n = 0; n < 21; n++) guesses.push((await check('?domain=a.lab', { 'X-API-Key': 'guess' })).status)
    // Two invalid keys before the restart count, unless they were over a minute ago.
    const allowed = guesses.indexOf(429)
    assert.ok(allowed >= 18, `${allowed} allowed`)
    assert.deepEqual(guesses.slice(0, allowed), Array(allowed).fill(403))
    dark = true
    const lost = assert.rejects(check('?domain=once.more.silent.lab'), TypeError)
    while (!isAsked('once.more.silent.lab')) await pause(10)
    next.signal('SIGTERM')
    // The same signal again at once is an echo of the first.
    next.signal('SIGTERM')
    assert.equal(await until(true, async () => next.stdout().includes('"draining":"SIGTERM"')), true)
    await pause(ECHO_MS)
    next.signal('SIGTERM')
    assert.equal(await next.ended, 143)
    await lost
  })
})

const isAsked = (domain: string): boolean => dns.queries.some(({ name }) => name === domain)

async function until<T>(expected: T, look: () => Promise<T>): Promise<T> {
  const end = performance.now() + SOON_MS
  for (;;) {
    const seen = await look()
    if (seen === expected || performance.now() > end) return seen
    await pause(50)
  }
}
