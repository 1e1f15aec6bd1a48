// Jobs over HTTP: a batch that nobody waits for, from its creation to its removal.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { AnalysisUnavailable } from '../../../src/engine/analysis.ts'
import type { Checker } from '../../../src/service/api/answers.ts'
import { SCHEMAS } from '../../../src/service/api/operations.ts'
import { dropTable, eventually, type Parts, type Service, startService } from './service.ts'

const ajv = new Ajv2020()
const POLITE = { at_once: 1_000, pause_ms: 0 }
const verdictOf = (name: string | null) => (name?.startsWith('bad') ? 'malicious' : 'safe')
const answering: Checker = {
  check: async ({ domain, ip, url }) => ({
    result: { domain, ip, url: url?.href ?? null, verdict: verdictOf(domain), signal_details: [] },
    class: 'complete',
  }),
}

type Body = Readonly<Record<string, unknown>>

const start = (t: TestContext, parts: Omit<Parts, 'jobs'> = {}, most = 10): Promise<Service> =>
  startService(t, { checker: answering, politeness: POLITE, ...parts, jobs: { most } })

async function call(service: Service, path: string, init: RequestInit = {}) {
  const response = await service.get(path, init)
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

const submit = (service: Service, targets: readonly string[], prefer = 'respond-async') =>
  call(service, '/api/v1/checks', {
    method: 'POST',
    body: JSON.stringify({ targets }),
    headers: { 'X-API-Key': service.key, Prefer: prefer },
  })

async function until(service: Service, id: unknown, status: string): Promise<Body> {
  const end = performance.now() + 60_000
  for (;;) {
    const { body } = await call(service, `/api/v1/jobs/${id}`)
    if (body['status'] === status) return body
    if (performance.now() > end) throw new Error(`still ${body['status']} (${body['reason']})`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

async function results(service: Service, id: unknown, query = '') {
  const response = await service.get(`/api/v1/jobs/${id}/results${query}`)
  const lines = (await response.text()).split('\n').slice(0, -1)
  return { response, lines: lines.map(line => JSON.parse(line) as Body) }
}

async function used({ store }: Service): Promise<number> {
  const [first] = await store.keys.list()
  return (await store.quota.usage(first?.account ?? '', { quota: 10_000, period: 'month' })).used
}

function assertShape(name: keyof typeof SCHEMAS, body: Body): void {
  const validate = ajv.compile(SCHEMAS[name] as TSchema)
  assert.ok(validate(body), JSON.stringify(validate.errors))
}

describe('a job', () => {
  it('is created at once, and has the results of a batch in the end', async t => {
    const service = await start(t)
    const created = await submit(service, ['a.com', 'bad.com', 'not a name', 'A.COM', 'https://a.com/x'])
    assertShape('Job', created.body)
    const { id, total, duplicates } = created.body
    assert.deepEqual([created.status, total, duplicates], [202, 4, 1])
    const headers = ['location', 'preference-applied', 'vary', 'retry-after'].map(one => created.headers.get(one))
    assert.deepEqual(headers, [`/api/v1/jobs/${id}`, 'respond-async', 'Prefer', '2'])
    const done = await until(service, id, 'completed')
    assertShape('Job', done)
    assert.deepEqual([done['done'], done['verdicts'], done['errors']], [4, { safe: 2, suspicious: 0, malicious: 1 }, 1])
    const all = await results(service, id)
    assert.equal(all.response.headers.get('retry-after'), null)
    const found = all.lines.map(({ line, input, error }) => [line, input, (error as Body)?.['code']])
    assert.deepEqual(
      found.toSorted((a, b) => Number(a[0]) - Number(b[0])),
      [
        [1, 'a.com', undefined],
        [2, 'bad.com', undefined],
        [3, 'not a name', 'invalid-domain'],
        [5, 'https://a.com/x', undefined],
      ],
    )
    assert.deepEqual((await results(service, id, '?after=3')).lines, all.lines.slice(3))
    assert.deepEqual((await results(service, id, '?after=4')).lines, [])
    assert.equal(await used(service), 3)
    const { body } = await call(service, '/api/v1/jobs')
    assertShape('Jobs', body)
    assert.deepEqual(body, { jobs: [done], limit: 10 })
  })

  it('is cancelled and forgotten, and what runs is not counted', async t => {
    let letGo = () => {}
    const held = new Promise<void>(resolve => {
      letGo = resolve
    })
    const checker: Checker = {
      async check(target, options) {
        await held
        return answering.check(target, options)
      },
    }
    const service = await start(t, { checker })
    const { body } = await submit(service, ['a.com', 'b.com'])
    await until(service, body['id'], 'running')
    const removed = await call(service, `/api/v1/jobs/${body['id']}`, { method: 'DELETE' })
    assertShape('RemovedJob', removed.body)
    assert.deepEqual([removed.status, removed.body['status']], [200, 'cancelled'])
    letGo()
    assert.equal((await call(service, `/api/v1/jobs/${body['id']}`)).body['code'], 'job-not-found')
    await until(service, (await submit(service, ['c.com'])).body['id'], 'completed')
    assert.equal(await used(service), 1)
  })

  it('pauses when the quota is used up, and goes on when it renews', async t => {
    let ahead = 0
    const now = () => Date.now() + ahead
    const plans = { startup: { quota: 2, period: 'day' as const } }
    const service = await start(t, { plans, now })
    const { body } = await submit(service, ['a.com', 'b.com', 'c.com'])
    const paused = await until(service, body['id'], 'paused')
    assert.deepEqual([paused['reason'], paused['done'], typeof paused['resumes_at']], ['quota-exceeded', 2, 'string'])
    ahead = 86_400_000
    // Any new job wakes the runner, which otherwise sleeps until then.
    await submit(service, ['not a name'])
    assert.equal((await until(service, body['id'], 'completed'))['done'], 3)
  })

  it('pauses while nothing can be looked up, instead of recording errors', async t => {
    let isDown = true
    let ahead = 0
    const checker: Checker = {
      async check(target, options) {
        if (isDown) throw new AnalysisUnavailable({ reason: 'resolver' })
        return answering.check(target, options)
      },
    }
    const service = await start(t, { checker, now: () => Date.now() + ahead })
    const { body } = await submit(service, ['a.com', 'b.com'])
    const paused = await until(service, body['id'], 'paused')
    assert.deepEqual([paused['reason'], paused['done']], ['analysis-unavailable', 0])
    isDown = false
    ahead = 61_000
    await submit(service, ['not a name'])
    assert.equal((await until(service, body['id'], 'completed'))['errors'], 0)
  })

  it('stops when its key is revoked, and says so', async t => {
    const store: { revoke?: () => Promise<unknown> } = {}
    const checker: Checker = {
      async check(target, options) {
        await store.revoke?.()
        return answering.check(target, options)
      },
    }
    const service = await start(t, { checker, politeness: { at_once: 1, pause_ms: 0 } })
    const [first] = await service.store.keys.list()
    const { text } = await service.store.keys.create({ label: 'other key', account: first?.account ?? '' })
    store.revoke = async () => service.store.keys.revoke(first?.id ?? '')
    const targets = Array.from({ length: 12 }, (_, at) => `n${at}.a.com`)
    const { body } = await submit(service, targets)
    const other = {
      ...service,
      get: (path: string) => fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { 'X-API-Key': text } }),
    }
    const failed = await until(other, body['id'], 'failed')
    assert.equal(failed['reason'], 'key-revoked')
    assert.equal(failed['done'], await used(service))
  })

  it('waits for room, and records no refusal', async t => {
    const service = await start(t, { perKey: 1 })
    const { body } = await submit(service, ['a.com', 'b.com', 'c.com'])
    assert.equal((await until(service, body['id'], 'completed'))['errors'], 0)
  })
})

describe('jobs', () => {
  it('are the business of their account alone', async t => {
    const service = await start(t)
    const { body } = await submit(service, ['a.com'])
    const { text } = await service.store.keys.create({ plan: 'startup', label: 'another account' })
    const headers = { 'X-API-Key': text }
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/results'],
      ['DELETE', ''],
    ] as const) {
      const answer = await call(service, `/api/v1/jobs/${body['id']}${path}`, { method, headers })
      assert.deepEqual([answer.status, answer.body['code']], [404, 'job-not-found'], `${method} ${path}`)
    }
    assert.deepEqual((await call(service, '/api/v1/jobs', { headers })).body['jobs'], [])
  })

  it('are as many as the account may have', async t => {
    const checker: Checker = { check: () => new Promise(() => {}) }
    const service = await start(t, { checker }, 1)
    const first = await submit(service, ['a.com'])
    const { status, body } = await submit(service, ['b.com'])
    assert.deepEqual([status, body['code']], [409, 'job-limit'])
    await call(service, `/api/v1/jobs/${first.body['id']}`, { method: 'DELETE' })
    assert.equal((await submit(service, ['b.com'])).status, 202)
  })

  it('are made for nobody who does not ask, and answers vary by that', async t => {
    const service = await start(t)
    for (const prefer of ['', 'wait=5', 'respond-async=no']) {
      const response = await service.get('/api/v1/checks', {
        method: 'POST',
        body: '{"targets":["a.com"]}',
        headers: { 'X-API-Key': service.key, Prefer: prefer },
      })
      await response.text()
      assert.deepEqual(
        [response.status, response.headers.get('vary'), response.headers.get('preference-applied')],
        [200, 'Prefer', null],
      )
    }
  })

  it('are not made where they are disabled: the preference is ignored', async t => {
    const service = await startService(t, { checker: answering, politeness: POLITE })
    const headers = { 'X-API-Key': service.key, Prefer: 'respond-async' }
    const response = await service.get('/api/v1/checks', { method: 'POST', body: '{"targets":["a.com"]}', headers })
    await response.text()
    assert.deepEqual([response.status, response.headers.get('preference-applied')], [200, null])
    const { status, body } = await call(service, '/api/v1/jobs')
    assert.deepEqual([status, body['code']], [404, 'jobs-disabled'])
  })

  it('of which a parameter is wrong are refused', async t => {
    const service = await start(t)
    const { body } = await submit(service, ['a.com'])
    for (const query of ['?after=x', '?after=-1', '?after=1&after=2', '?afte=1', '?after=1e3']) {
      const { status, body: problem } = await call(service, `/api/v1/jobs/${body['id']}/results${query}`)
      assert.deepEqual([status, problem['code']], [400, 'invalid-parameter'], query)
    }
  })

  it('need a key', async t => {
    const service = await start(t)
    assert.equal((await call(service, '/api/v1/jobs', { headers: {} })).body['code'], 'missing-api-key')
  })

  it('cannot be read while the store fails, and the log says why', async t => {
    const service = await start(t)
    await dropTable(service.store, 'jobs')
    const { status, body } = await call(service, '/api/v1/jobs')
    assert.deepEqual([status, body['code']], [503, 'jobs-unavailable'])
    const line = () => service.lines().find(({ code }) => code === 'jobs-unavailable')
    await eventually(() => line() !== undefined)
    assert.match(JSON.stringify(line()?.['error']), /no such table: jobs/)
  })
})
