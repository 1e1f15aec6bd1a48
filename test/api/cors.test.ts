// What browsers let pages of other origins read, over real sockets.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMetrics } from '../../src/api/metrics.ts'
import { startService } from './service.ts'

const APP = 'https://app.example.com'
const OTHER = 'https://evil.example.com'
const EXPOSED = 'X-Cache, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Retry-After'
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

interface Row {
  readonly what: string
  readonly path?: string
  readonly method?: string
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
  { what: 'a result for another origin', origin: OTHER, status: 200, seen: hidden },
  { what: 'a result for an origin in capitals', origin: APP.toUpperCase(), status: 200, seen: hidden },
  { what: 'a result for an origin below', origin: 'https://x.app.example.com', status: 200, seen: hidden },
  { what: 'a result for the origin of no page', origin: 'null', status: 200, seen: hidden },
  { what: 'a result without an origin', status: 200, seen: hidden },
  { what: 'the health', origin: APP, path: '/readyz', status: 200, seen: {} },
  { what: 'the metrics', origin: APP, path: '/metrics', status: 200, seen: {} },
]

/** The preflight a browser sends before a request with our headers. */
const preflight = (origin: string) => ({
  method: 'OPTIONS',
  headers: {
    Origin: origin,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'x-api-key,x-request-id',
  },
})

describe('a page of an allowed origin', () => {
  for (const { what, path = check, method = 'GET', origin, headers, anonymous, status, seen } of rows)
    it(`gets ${'access-control-allow-origin' in seen ? 'all headers it needs' : 'no headers'} for ${what}`, async t => {
      const metrics = { of: createMetrics(), read_here: true }
      const service = await startService(t, { cors_origins: ['http://localhost:3000', APP], metrics })
      const key: Record<string, string> = anonymous ? {} : { 'X-API-Key': service.key }
      const response = await service.get(path, {
        method,
        headers: { ...key, ...(origin && { Origin: origin }), ...headers },
      })
      await response.arrayBuffer()
      assert.deepEqual([response.status, shared(response.headers)], [status, seen])
    })

  it('may send its key and a request ID; preflights need no key and state how long they are valid', async t => {
    const service = await startService(t, { cors_origins: [APP] })
    const response = await service.get(check, preflight(APP))
    assert.deepEqual(
      [response.status, await response.text(), shared(response.headers), service.checked.length],
      [
        204,
        '',
        {
          vary: 'Origin',
          'access-control-allow-origin': APP,
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': 'X-API-Key, X-Request-Id',
          'access-control-max-age': '600',
        },
        0,
      ],
    )
    const [line] = service.lines()
    assert.deepEqual([line?.['method'], line?.['status'], line?.['code']], ['OPTIONS', 204, undefined])
  })

  const refused: readonly (readonly [what: string, path: string, init: RequestInit])[] = [
    ['from another origin', check, preflight(OTHER)],
    ['for the health', '/readyz', preflight(APP)],
    ['that is none', check, { method: 'OPTIONS', headers: { Origin: APP } }],
  ]
  for (const [what, path, init] of refused)
    it(`gets 405 for a preflight ${what}`, async t => {
      const service = await startService(t, { cors_origins: [APP] })
      const response = await service.get(path, init)
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
