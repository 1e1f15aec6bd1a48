// Traces of a whole service, as a collector on loopback decodes them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { systemClock } from '../../../src/base/clock.ts'
import { readSettings } from '../../../src/config/config.ts'
import type { Usage } from '../../../src/config/quota_rule.ts'
import { routeOf } from '../../../src/service/telemetry/spans.ts'
import { createTracing } from '../../../src/service/telemetry/tracing.ts'
import { openBackend } from '../../../src/store/open_backend.ts'
import { startLabInternet } from '../../../src/testing/lab_internet.ts'
import { assay } from '../../cli/assay.ts'
import { offline } from '../../cli/offline.ts'
import { firstKey, serve } from '../../cli/served.ts'
import { sharedPostgres } from '../../postgres_server.ts'
import { sampled } from '../../sample.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'
import { COOKIE_CANARY, hostsNamed, serviceHosts } from '../hosts.ts'
import { labSettings, serviceFor, targetOf } from '../lab.ts'
import { type Collector, startCollector } from './collector.ts'

const tracesConfig = (endpoint: string, traces: object = {}) => ({
  ...readSettings({ telemetry: { traces } }, '/', {}).config.telemetry.traces,
  endpoint,
})

const CLIENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** A request that checks a name of the lab; resolves with the spans after the tracing has ended. */
async function traced(t: TestContext, traces: object, name = 'canary.lab', headers: Record<string, string> = {}) {
  const collector = await startCollector()
  const tracing = createTracing(tracesConfig(collector.url, traces), () => {})
  const internet = await startLabInternet([...hostsNamed(name), ...serviceHosts.slice(0, 1)])
  const parts = { dial: internet.dial, extra_roots: internet.root, extensions: [tracing.extension] }
  const service = await serviceFor(labSettings(internet, {}), { ...parts, observed: tracing.network })
  await service.start()
  const answer = async () => service.engine.check(targetOf(service, { domain: name }))
  const server = createServer(
    tracing.request((_, response) => {
      response.setHeader('X-Cache', 'MISS')
      answer().then(({ result }) => response.end(JSON.stringify(result)))
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    await service.close()
    await internet.close()
    await collector.close()
  })
  const { port } = server.address() as AddressInfo
  const path = `/api/v1/check?domain=${name}&secret=query0canary`
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { 'X-API-Key': 'key0canary', ...headers },
  })
  const result = (await response.json()) as { verdict: string }
  await tracing.close()
  return { collector, result, requests: internet.web.seen.requests }
}

const named = ({ spans }: Collector, name: string) => spans.filter(span => span.name === name)

describe('traces', () => {
  it('have a span of the request, its check, each gatherer and each upstream call, below each other', async t => {
    const { collector, result } = await traced(t, {})
    const { spans } = collector
    const [request] = named(collector, 'GET /api/v1/check')
    const [check] = named(collector, 'check')
    assert.ok(request && check, 'both spans')
    assert.equal(request.parentSpanId, undefined)
    assert.deepEqual(request.attributes, {
      'http.request.method': 'GET',
      'http.route': '/api/v1/check',
      'http.response.status_code': 200,
      'assay.cache': 'MISS',
    })
    assert.equal(check.parentSpanId, request.spanId)
    assert.equal(check.attributes['assay.verdict'], result.verdict)
    assert.equal(check.attributes['assay.target.kind'], 'domain')
    const gatherers = spans.filter(({ name }) => name.startsWith('gather '))
    assert.ok(gatherers.length > 10, `${gatherers.length} gatherers`)
    assert.deepEqual([...new Set(gatherers.map(({ parentSpanId }) => parentSpanId))], [check.spanId])
    const upstream = spans.filter(({ name }) => /^(?:dns|connect|fetch)/.test(name))
    const gathering = new Set(gatherers.map(({ spanId }) => spanId))
    assert.ok(upstream.length > 10, `${upstream.length} upstream calls`)
    assert.deepEqual(
      upstream.filter(({ parentSpanId }) => !gathering.has(parentSpanId ?? '')),
      [],
    )
    assert.ok(named(collector, 'dns A').length > 0 && named(collector, 'connect').length > 0, 'both kinds')
    assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], [request.traceId])
  })

  it('hold no name, key, query, cookie value or address unless names are allowed', async t => {
    const { collector } = await traced(t, {})
    const text = JSON.stringify(collector.spans)
    for (const secret of ['canary.lab', COOKIE_CANARY, 'key0canary', 'query0canary', '193.0.14', '127.0.0.1']) {
      assert.ok(!text.includes(secret), secret)
    }
  })

  it('name the target and the hosts where names are allowed, and still no key, query or cookie value', async t => {
    const { collector } = await traced(t, { targets: true })
    assert.equal(named(collector, 'check')[0]?.attributes['assay.target'], 'canary.lab')
    assert.ok(named(collector, 'dns A').some(({ attributes }) => attributes['dns.question.name'] === 'canary.lab'))
    const text = JSON.stringify(collector.spans)
    for (const secret of [COOKIE_CANARY, 'key0canary', 'query0canary']) assert.ok(!text.includes(secret), secret)
  })

  const contexts: readonly (readonly [accept: boolean, trace: RegExp, parent: string | undefined])[] = [
    [true, /^0af7651916cd43dd8448eb211c80319c$/, 'b7ad6b7169203331'],
    [false, /^(?!0af7651916cd43dd8448eb211c80319c)[0-9a-f]{32}$/, undefined],
  ]
  for (const [accept_context, traceId, parent] of contexts) {
    it(`${accept_context ? 'continue' : 'do not continue'} the client’s trace with accept_context ${accept_context}, and send none to targets`, async t => {
      const { collector, requests } = await traced(t, { accept_context }, 'canary.lab', { traceparent: CLIENT })
      const [request] = named(collector, 'GET /api/v1/check')
      assert.match(request?.traceId ?? '', traceId)
      assert.equal(request?.parentSpanId, parent)
      assert.ok(requests.length > 0, 'the site was visited')
      assert.ok(!JSON.stringify(requests).includes('traceparent'), 'no context leaves')
    })
  }

  it('are none of a request that is not sampled', async t => {
    const { collector } = await traced(t, { sample: 0 })
    assert.deepEqual(collector.spans, [])
  })

  it('are sent with the configured headers', async t => {
    const { collector } = await traced(t, { headers: { Authorization: 'Bearer token' } })
    assert.equal(collector.headers[0]?.authorization, 'Bearer token')
  })

  const routes: readonly (readonly [url: string, route: string])[] = [
    ['/', '/'],
    ['/api/v1/check?domain=example.com', '/api/v1/check'],
    ['/api/v1/results/Z443GSEZ-uCVpbXX0RxRuw?format=report', '/api/v1/results/*'],
    ['/api/v1/shared/0123456789abcdefghijkl', '/api/v1/shared/*'],
    ['/badge/0123456789abcdefghijkl.svg', '/badge/*'],
    ['/openapi.json', '/openapi.json'],
    ['/wp-login.php', '/*'],
    ['/api/v1/results/one/shares', '/api/v1/results/*'],
  ]
  for (const [url, route] of routes) {
    it(`name the route ${route} for ${url}`, () => assert.equal(routeOf(url), route))
  }
})

describe('the spans of the store', () => {
  const stores: Readonly<Record<string, () => Promise<string | null>>> = {
    SQLite: async () => null,
    PostgreSQL: async () => (await sharedPostgres()).createDatabase(),
  }
  for (const [kind, urlOf] of sampled(Object.entries(stores), 1)) {
    it(`are of what may have to be waited for, and name no account, on ${kind}`, async t => {
      const collector = await startCollector()
      t.after(() => collector.close())
      const tracing = createTracing(tracesConfig(collector.url), () => {})
      const { config } = readSettings({ data: temporaryDirectory(), store: await urlOf() }, '/', {})
      const backend = await openBackend(config, systemClock, () => {})
      t.after(() => backend.close())
      const { keys, quota, results } = tracing.store(backend)
      const { key } = await keys.create({ plan: 'startup', label: '' })
      const allowance = { quota: 10, period: 'month' } as const
      assert.equal(quota.refusal(key.account, allowance), null)
      assert.equal(((await quota.charge(key.account, allowance)) as Usage).remaining, 9)
      assert.equal(results.peek('nothing'), null)
      assert.equal(await results.get('nothing'), null)
      assert.equal(results.size, 0)
      await tracing.close()
      assert.deepEqual(
        collector.spans.map(span => span.name),
        ['store keys.create', 'store quota.charge', 'store results.get'],
      )
      assert.ok(!JSON.stringify(collector.spans).includes('acc_'), 'no account')
    })
  }
})

describe('a service with traces', () => {
  const settings = (traces: object) => {
    const file = join(temporaryDirectory(), 'config.json')
    const given = JSON.parse(readFileSync(offline(temporaryDirectory(), 'name_length'), 'utf8'))
    const quiet = {
      server: { drain_delay_ms: 0 },
      network: { resolvers: ['127.0.0.1:9'] },
      downloads: { enabled: false },
    }
    writeFileSync(file, JSON.stringify({ ...given, ...quiet, telemetry: { traces } }), { mode: 0o600 })
    return file
  }
  const started = async (t: TestContext, traces: object) => {
    const data = join(temporaryDirectory(), 'data')
    const service = serve(['--config', settings(traces), '--data', data, '--port', '0'])
    t.after(() => service.signal('SIGKILL'))
    const url = await service.url
    const headers = { 'X-API-Key': firstKey(service) ?? '' }
    const check = () => fetch(`${url}/api/v1/check?domain=kept.example.com`, { headers })
    return { service, check }
  }

  it('exports the trace of a request through the whole service', async t => {
    const collector = await startCollector()
    t.after(() => collector.close())
    const { service, check } = await started(t, { endpoint: collector.url })
    assert.equal((await check()).status, 200)
    const request = await collector.span('GET /api/v1/check')
    assert.equal((await collector.span('check')).parentSpanId, request.spanId)
    assert.equal((await collector.span('store quota.charge')).traceId, request.traceId)
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  it('answers and ends as ever when the collector never answers', async t => {
    const { service, check } = await started(t, { endpoint: await silent(t) })
    for (let n = 0; n < 20; n++) assert.equal((await check()).status, 200)
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
    assert.doesNotMatch(service.stdout(), /"level":"error"/)
  })

  async function silent(t: TestContext): Promise<string> {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`
  }

  it('refuses a token in a file that everyone may read', async () => {
    const file = settings({ endpoint: 'http://127.0.0.1:9/', headers: { Authorization: 'Bearer token' } })
    const open = join(temporaryDirectory(), 'open.json')
    writeFileSync(open, readFileSync(file, 'utf8'), { mode: 0o644 })
    const { code, err } = await assay('plugins', '--config', open)
    assert.equal(code, 78)
    assert.match(err, /telemetry\.traces\.headers\.Authorization: is a secret, and .*open\.json is world-readable/)
    assert.equal((await assay('plugins', '--config', file)).code, 0)
  })
})
