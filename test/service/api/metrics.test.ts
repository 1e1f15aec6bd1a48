// What operators can read, and nobody else.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { QueueFigures } from '../../../src/base/scheduler/queue.ts'
import {
  combineMetrics,
  createMetrics,
  createOwnerMetrics,
  KEYS_COUNTED,
  type Metrics,
  type ReadName,
} from '../../../src/service/api/metrics.ts'
import { metricFaults } from './metric_names.ts'
import { startService } from './service.ts'

const NONE: QueueFigures = { running: 0, waiting: 0, started: 0, refused: 0, waited_ms: 0 }
const queues = {
  slot: { running: 7, waiting: 2, started: 30, refused: 4, waited_ms: 1_500 },
  slow: NONE,
  target: { ...NONE, waiting: 3 },
  registry: NONE,
  cpu: NONE,
}

/** Gauges that all return 7. */
const sevens = new Proxy({}, { get: () => () => 7 }) as Record<ReadName, () => number>

function counted(): Metrics {
  const metrics = createMetrics()
  metrics.read(sevens)
  metrics.readQueues(() => queues)
  return metrics
}

const seriesValue = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find(line => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  )

describe('/metrics', () => {
  it('counts requests, results and refusals, and has current gauges', async t => {
    const service = await startService(t, { metrics: { of: counted(), read_here: true } })
    for (const query of ['domain=a.com', 'domain=a.com', 'domain=b.com', 'domain=%']) {
      await (await service.get(`/api/v1/check?${query}`)).text()
    }
    const response = await service.get('/metrics', { headers: {} })
    const text = await response.text()
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
    for (const [series, value] of [
      ['assay_requests_total{status="200",code=""}', 3],
      ['assay_requests_total{status="400",code="invalid-parameter"}', 1],
      ['assay_results_total{cache="hit"}', 1],
      ['assay_results_total{cache="miss"}', 2],
      ['assay_answers_total{plan="startup"}', 3],
      ['assay_request_seconds_count{kind="hit"}', 1],
      ['assay_queue_running{resource="slot"}', 7],
      ['assay_queue_waiting{resource="slot"}', 2],
      ['assay_queue_waiting{resource="target"}', 3],
      ['assay_queue_started_total{resource="slot"}', 30],
      ['assay_queue_refused_total{resource="slot"}', 4],
      ['assay_queue_waited_seconds_total{resource="slot"}', 1.5],
      ['assay_store_up', 7],
    ] as const) {
      assert.equal(seriesValue(text, series), value, series)
    }
  })

  it('does not grow with clients’ input', async t => {
    const metrics = counted()
    const service = await startService(t, { metrics: { of: metrics, read_here: true } })
    const ask = async (n: number) => {
      const headers = { 'X-API-Key': n % 2 ? service.key : `assay_${n}`, 'User-Agent': `agent ${n}` }
      await (await service.get(`/api/v1/check?domain=d${n}.com&x${n}=1`, { headers })).text()
      await (await service.get(`/path-${n}`, { headers })).text()
    }
    for (let n = 0; n < 4; n++) await ask(n)
    const series = async () => (await metrics.text()).split('\n').filter(line => line.startsWith('assay_')).length
    const before = await series()
    for (let n = 4; n < 40; n++) await ask(n)
    assert.equal(await series(), before)
    assert.ok(!(await metrics.text()).includes(service.key))
  })

  it('counts the answers of each plan, and on demand those of each key, as the quota counts', async t => {
    const metrics = createMetrics({ by_key: true })
    const plans = { startup: { quota: 3, period: 'month' }, business: { quota: 9, period: 'day' } } as const
    const service = await startService(t, { plans, metrics: { of: metrics, read_here: true } })
    const other = await service.store.keys.create({ plan: 'business', label: 'other' })
    const [first] = await service.store.keys.list()
    for (let n = 0; n < 5; n++) await (await service.get('/api/v1/check?domain=a.com')).text()
    await (await service.get('/api/v1/check?domain=%')).text()
    const headers = { 'X-API-Key': other.text, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ targets: ['a.com', 'b.com'] })
    await (await service.get('/api/v1/checks', { method: 'POST', headers, body })).text()
    const lines = (await metrics.text()).split('\n').filter(line => /^assay_(?:key_)?answers_total/.test(line))
    assert.deepEqual(lines, [
      'assay_answers_total{plan="startup"} 3',
      'assay_answers_total{plan="business"} 2',
      `assay_key_answers_total{key="${first?.id.slice(0, 12)}"} 3`,
      `assay_key_answers_total{key="${other.key.id.slice(0, 12)}"} 2`,
    ])
  })

  it('tells a bounded number of keys apart, and none unless it is asked to', async () => {
    const metrics = createMetrics({ by_key: true })
    for (let n = 0; n < KEYS_COUNTED + 5; n++) {
      metrics.answered({ id: `key_${`${n}`.padStart(16, '0').split('').reverse().join('')}`, plan: 'startup' })
    }
    const lines = (await metrics.text()).split('\n').filter(line => line.startsWith('assay_key_answers_total{'))
    assert.deepEqual([lines.length, lines.at(-1)], [KEYS_COUNTED + 1, 'assay_key_answers_total{key="other"} 5'])
    assert.ok(!(await counted().text()).includes('assay_key_answers_total'), 'no series by key')
  })

  it('is not served through a proxy or when disabled', async t => {
    const here = await startService(t, { metrics: { of: counted(), read_here: true } })
    for (const name of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP']) {
      const response = await here.get('/metrics', { headers: { [name]: '198.51.100.7' } })
      assert.equal(response.status, 404, name)
      await response.text()
    }
    const elsewhere = await startService(t, { metrics: { of: counted(), read_here: false } })
    assert.equal((await elsewhere.get('/metrics', { headers: {} })).status, 404)
  })
})

describe('the text of the metrics', () => {
  const families: readonly (readonly [text: string, faults: readonly string[]])[] = [
    ['# HELP a_total x\n# TYPE a_total counter\na_total 1', []],
    ['# HELP a_seconds x\n# TYPE a_seconds histogram\na_seconds_bucket{le="1"} 1\na_seconds_count 1', []],
    ['# HELP a x\n# TYPE a gauge\na 1', []],
    ['# HELP a_total x\n# TYPE a_total gauge\na_total 1', ['a_total is no counter, but its name ends in _total']],
    ['# HELP a_total x\n# TYPE a_total histogram', ['a_total is no counter, but its name ends in _total']],
    ['# HELP a x\n# TYPE a counter\na 1', ['a is a counter whose name does not end in _total']],
    ['# HELP a \n# TYPE a gauge\na 1', ['a has no help']],
    ['# TYPE a gauge\na 1', ['a has no help']],
    ['# HELP a x\na 1', ['a has a type that is not known']],
    ['# HELP a_gauge x\n# TYPE a_gauge gauge', ['a_gauge has its type in its name']],
    ['# HELP a:b x\n# TYPE a:b gauge', ['a:b has a colon, which is for rules']],
    ['# HELP aB x\n# TYPE aB gauge', ['aB is not snake_case']],
    ['# HELP a_ms x\n# TYPE a_ms gauge', ['a_ms has no base unit']],
    ['# HELP a_count x\n# TYPE a_count gauge', ['a_count ends as a part of a histogram']],
    ['# HELP a x\n# TYPE a gauge\na{b="1"} 1\na{b="1"} 2', ['a has a sample twice']],
  ]
  for (const [text, faults] of families)
    it(`${faults[0] ?? 'has no fault'}: ${text.split('\n').at(-1)}`, () => assert.deepEqual(metricFaults(text), faults))

  it('has no fault, of one process and of several together', async t => {
    const metrics = createMetrics({ by_key: true })
    metrics.read(sevens)
    metrics.readDatasets(new Proxy({}, { get: () => () => ({ tranco: 7, feed: 8 }) }) as never)
    metrics.readInstruments(() => ({ 'resolver 192.0.2.1': 1 }))
    const service = await startService(t, { metrics: { of: metrics, read_here: true } })
    for (const query of ['domain=a.com', 'domain=%']) await (await service.get(`/api/v1/check?${query}`)).text()
    const owner = createOwnerMetrics(() => ({ configured: 2, ready: 2, replaced: 1 }))
    const together = await combineMetrics([await metrics.data(), await metrics.data(), await owner.data()])
    for (const text of [await metrics.text(), together]) {
      assert.ok(text.includes('# TYPE assay_log_lines_dropped_total counter'), 'a counter')
      assert.deepEqual(metricFaults(text), [])
    }
    assert.ok(together.includes('assay_workers_replaced_total 1'), 'of the owner')
    assert.ok(together.includes('assay_log_lines_dropped_total 14'), 'added')
  })
})
