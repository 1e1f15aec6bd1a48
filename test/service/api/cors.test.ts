// What browsers let pages of other origins read, over real sockets.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import type { Registry } from '../../../src/engine/registry.ts'
import { createMetrics } from '../../../src/service/api/metrics.ts'
import { serviceOfSuite, startService } from './service.ts'

const APP = 'https://app.example.com'
const OTHER = 'https://evil.example.com'
const EXPOSED =
  'X-Cache, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Retry-After, Location, ' +
  'Preference-Applied, WWW-Authenticate, Allow'
const ACCEPTED =
  'X-API-Key, Authorization, X-Request-Id, Content-Type, Prefer, MCP-Protocol-Version, MCP-Session-Id, Mcp-Method, Mcp-Name'
const events = { Accept: 'text/event-stream' }
const check = '/api/v1/check?domain=a.com'

/** The CORS headers of a response. */
const shared = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')))

const readable = {
  vary: 'Origin',
  'access-control-allow-origin': APP,
  'access-control-expose-headers': EXPOSED,
}
const hidden = { vary: 'Origin' }

/** What a batch answers depends on the header Prefer, too. */
const shares = { ...readable, vary: 'Origin, Prefer' }
const later = { Prefer: 'respond-async' }
const post = (path: string, body: string, headers = {}) => ({
  path,
  body,
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
})

interface Row {
  readonly what: string
  readonly path?: string
  readonly method?: string
  readonly body?: string
  readonly origin?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly anonymous?: true
  readonly status: number
  readonly seen: object
}

const rows: readonly Row[] = [
  { what: 'a result', origin: APP, status: 200, seen: readable },
  { what: 'a result as events', origin: APP, headers: events, status: 200, seen: readable },
  { what: 'the headers of a result', origin: APP, method: 'HEAD', status: 200, seen: readable },
  { what: 'a refusal', origin: APP, path: '/api/v1/check', status: 400, seen: readable },
  { what: 'a refusal without a key', origin: APP, anonymous: true, status: 401, seen: readable },
  { what: 'a refusal of a method', origin: APP, method: 'POST', status: 405, seen: readable },
  { what: 'a refusal of a path', origin: APP, path: '/api/v9/check', status: 404, seen: readable },
  { what: 'the description', origin: APP, path: '/openapi.json', status: 200, seen: readable },
  { what: 'many results', origin: APP, ...post('/api/v1/checks', '{"targets": ["a.com"]}'), status: 200, seen: shares },
  { what: 'many results refused', origin: APP, ...post('/api/v1/checks', '{}'), status: 400, seen: readable },
  { what: 'a job', origin: APP, ...post('/api/v1/checks', '{"targets": ["a.com"]}', later), status: 202, seen: shares },
  {
    what: 'a job that is not there',
    origin: APP,
    method: 'DELETE',
    path: '/api/v1/jobs/x',
    status: 404,
    seen: readable,
  },
  {
    what: 'many results for another origin',
    origin: OTHER,
    ...post('/api/v1/checks', '{}'),
    status: 400,
    seen: hidden,
  },
  { what: 'a result for another origin', origin: OTHER, status: 200, seen: hidden },
  { what: 'a result for an origin in capitals', origin: APP.toUpperCase(), status: 200, seen: hidden },
  { what: 'a result for an origin below', origin: 'https://x.app.example.com', status: 200, seen: hidden },
  { what: 'a result for the origin of no page', origin: 'null', status: 200, seen: hidden },
  { what: 'a result without an origin', status: 200, seen: hidden },
  { what: 'the health', origin: APP, path: '/readyz', status: 200, seen: {} },
  { what: 'the metrics', origin: APP, path: '/metrics', status: 200, seen: {} },
]

/** The preflight a browser sends before such a request. */
const preflight = (origin: string, method = 'GET', headers = 'x-api-key,x-request-id') => ({
  method: 'OPTIONS',
  headers: { Origin: origin, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': headers },
})

/** Every operation, as a browser asks whether it may be called. */
const operations: readonly (readonly [path: string, method: string, headers: string, methods: string])[] = [
  ['/api/v1/check?domain=a.com', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/checks', 'POST', 'content-type,prefer,x-api-key', 'POST'],
  ['/api/v1/lookalikes', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/usage', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/jobs', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/jobs/job_1', 'DELETE', 'x-api-key', 'GET, HEAD, DELETE'],
  ['/api/v1/jobs/job_1/results', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/results/1', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/results/1/shares', 'POST', 'x-api-key', 'GET, HEAD, POST'],
  ['/api/v1/results/1/screenshots', 'DELETE', 'x-api-key', 'DELETE'],
  ['/api/v1/results/1/screenshots/desktop', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/shares/1', 'DELETE', 'x-api-key', 'DELETE'],
  ['/api/v1/shared/1', 'GET', 'x-request-id', 'GET, HEAD'],
  ['/api/v1/shared/1/screenshots/desktop', 'GET', 'x-request-id', 'GET, HEAD'],
  ['/api/v1/history', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/search', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/search/related', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/compare', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/watches', 'POST', 'content-type,x-api-key', 'GET, HEAD, POST'],
  ['/api/v1/watches/many', 'POST', 'content-type,x-api-key', 'GET, HEAD, POST, DELETE'],
  ['/api/v1/watches/w_1/silences', 'POST', 'content-type,x-api-key', 'POST'],
  ['/api/v1/watches/w_1', 'DELETE', 'x-api-key', 'GET, HEAD, DELETE'],
  ['/api/v1/watches/w_1/test', 'POST', 'x-api-key', 'POST'],
  ['/api/v1/watches/w_1/deliveries', 'GET', 'x-api-key', 'GET, HEAD'],
  ['/api/v1/watches/w_1/deliveries/d_1/replay', 'POST', 'x-api-key', 'POST'],
  ['/mcp', 'POST', 'authorization,content-type,mcp-protocol-version', 'POST'],
  ['/openapi.json', 'GET', 'x-request-id', 'GET, HEAD'],
]

/** A route is there as soon as it is described. */
const described = { registry: { analyzers: [], extensions: [] } as unknown as Registry, result_schema: Type.Object({}) }

describe('a page of an allowed origin', () => {
  const answering = serviceOfSuite({
    cors_origins: ['http://localhost:3000', APP],
    metrics: { of: createMetrics(), read_here: true },
    jobs: {},
  })
  const operating = serviceOfSuite({ cors_origins: [APP], jobs: {}, described })

  for (const { what, path = check, method = 'GET', body, origin, headers, anonymous, status, seen } of rows)
    it(`gets ${'access-control-allow-origin' in seen ? 'all headers it needs' : 'no headers'} for ${what}`, async () => {
      const service = answering()
      const key: Record<string, string> = anonymous ? {} : { 'X-API-Key': service.key }
      const response = await service.get(path, {
        method,
        ...(body !== undefined && { body }),
        headers: { ...key, ...(origin && { Origin: origin }), ...headers },
      })
      await response.arrayBuffer()
      assert.deepEqual([response.status, shared(response.headers)], [status, seen])
    })

  for (const [path, method, headers, methods] of operations)
    it(`may call ${method} ${path} with ${headers}`, async () => {
      const service = operating()
      const response = await service.get(path, preflight(APP, method, headers))
      assert.deepEqual(
        [response.status, await response.text(), shared(response.headers), service.checked.length],
        [
          204,
          '',
          {
            vary: 'Origin',
            'access-control-allow-origin': APP,
            'access-control-allow-methods': methods,
            'access-control-allow-headers': ACCEPTED,
            'access-control-max-age': '600',
          },
          0,
        ],
      )
      const asked = headers.split(',')
      const accepted = new Set(ACCEPTED.toLowerCase().split(', '))
      assert.deepEqual(
        asked.filter(name => !accepted.has(name)),
        [],
      )
      assert.ok(methods.split(', ').includes(method), method)
      const line = service.lines().at(-1)
      assert.deepEqual([line?.['method'], line?.['status'], line?.['code']], ['OPTIONS', 204, undefined])
    })

  it('may call every operation of the description', () => {
    const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../schemas/openapi.json'), 'utf8'))
    const named = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => [path.replace(/\{\w+\}/g, '[^/]+'), method.toUpperCase()] as const),
    )
    const missing = named.filter(
      ([pattern, method]) =>
        !operations.some(([path, , , methods]) => {
          const [own = ''] = path.split('?')
          return new RegExp(`^${pattern}$`).test(own) && methods.split(', ').includes(method)
        }),
    )
    assert.deepEqual(missing, [])
  })

  const refused: readonly (readonly [what: string, path: string, init: RequestInit])[] = [
    ['from another origin', check, preflight(OTHER)],
    ['for the health', '/readyz', preflight(APP)],
    ['for the page', '/', preflight(APP)],
    ['for an operation, from another origin', '/api/v1/checks', preflight(OTHER, 'POST', 'content-type')],
    ['that is none', check, { method: 'OPTIONS', headers: { Origin: APP } }],
  ]
  for (const [what, path, init] of refused)
    it(`gets 405 for a preflight ${what}`, async () => {
      const response = await operating().get(path, init)
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('access-control-allow-methods'), null)
      await response.arrayBuffer()
    })

  it('is any page if so configured', async t => {
    const service = await startService(t, { cors_origins: ['*'] })
    const headers = { 'X-API-Key': service.key, Origin: OTHER }
    const seen = []
    for (const init of [{ headers }, preflight(OTHER)]) {
      const response = await service.get(check, init)
      await response.arrayBuffer()
      const { 'access-control-allow-origin': origin, vary } = shared(response.headers)
      seen.push([response.status, origin, vary])
    }
    assert.deepEqual(seen, [
      [200, '*', undefined],
      [204, '*', undefined],
    ])
  })

  it('is none by default', async t => {
    const service = await startService(t)
    const seen = []
    for (const init of [{ headers: { 'X-API-Key': service.key, Origin: APP } }, preflight(APP)]) {
      const response = await service.get(check, init)
      await response.arrayBuffer()
      seen.push([response.status, shared(response.headers)])
    }
    assert.deepEqual(seen, [
      [200, {}],
      [405, {}],
    ])
  })
})
