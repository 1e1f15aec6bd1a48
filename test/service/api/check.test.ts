// The responses of the check operation, row by row.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnalysisUnavailable } from '../../../src/engine/analysis.ts'
import { generateKey } from '../../../src/store/api_key.ts'
import { StoreError } from '../../../src/store/store.ts'
import { type Parts, serviceOfSuite, startService } from './service.ts'

interface Row {
  readonly what: string
  readonly query?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly parts?: Parts
  readonly status: number
  readonly code?: string
  readonly detail?: RegExp
  /** Response headers in addition to the common ones. */
  readonly also?: Record<string, string>
  /** The key is invalid. */
  readonly anonymous?: true
}

const private10 = { vetting: { refuse: (ip: string) => (ip.startsWith('10.') ? 'private_use' : null) } }
const failing = (error: Error): Parts => ({ checker: { check: () => Promise.reject(error) } })

const refused = (what: string, headers: Record<string, string>, status: number, code: string): Row => ({
  what,
  query: 'domain=a.com',
  headers,
  status,
  code,
  anonymous: true,
})

const rows: readonly Row[] = [
  { what: 'a domain', query: 'domain=example.com', status: 200, also: { 'x-cache': 'MISS' } },
  { what: 'an ip', query: 'ip=8.8.8.8', status: 200, also: { 'x-cache': 'MISS' } },
  { what: 'both', query: 'domain=example.com&ip=8.8.8.8', status: 200, also: { 'x-cache': 'MISS' } },
  { what: 'HEAD', method: 'HEAD', query: 'domain=example.net', status: 200, also: { 'x-cache': 'MISS' } },
  {
    what: 'an Accept that takes JSON',
    query: 'domain=a.com',
    headers: { accept: 'text/html, */*;q=0.1' },
    status: 200,
  },

  { what: 'no target', query: '', status: 400, code: 'missing-target' },
  { what: 'a URL for a domain', query: 'domain=http://a.com', status: 400, code: 'invalid-domain', detail: /URL/ },
  { what: 'a wrong ip beside a domain', query: 'domain=example.com&ip=x', status: 400, code: 'invalid-ip' },
  { what: 'a single label', query: 'domain=com', status: 422, code: 'target-not-checkable', detail: /single label/ },
  { what: 'a private ip', query: 'ip=10.0.0.1', parts: private10, status: 422, code: 'target-not-public' },
  {
    what: 'an Accept without JSON',
    query: 'domain=a.com',
    headers: { accept: 'text/html' },
    status: 406,
    code: 'not-acceptable',
  },

  ...['POST', 'OPTIONS'].map(method => ({
    what: method,
    method,
    query: 'domain=example.com',
    status: 405,
    code: 'method-not-allowed',
    also: { allow: 'GET, HEAD' },
  })),
  { what: 'an unknown path', path: '/api/v1/checked', status: 404, code: 'not-found' },
  { what: 'a slash too many', path: '/api/v1/check/?domain=a.com', status: 404, code: 'not-found' },
  { what: 'a URI of more than 8 KiB', query: `domain=a.com&x=${'a'.repeat(8192)}`, status: 414, code: 'uri-too-long' },

  { ...refused('no key', {}, 401, 'missing-api-key'), also: { 'www-authenticate': 'ApiKey' } },
  refused('an empty key', { 'x-api-key': '' }, 401, 'missing-api-key'),
  refused('a malformed bearer token', { authorization: 'Bearer x' }, 403, 'invalid-api-key'),
  refused('credentials of another scheme', { authorization: 'Basic eDp5' }, 401, 'missing-api-key'),
  {
    what: 'credentials of a proxy beside the key',
    query: 'domain=a.com',
    headers: { authorization: 'Basic eDp5' },
    status: 200,
  },
  {
    ...refused(
      'a key and a bearer token',
      { 'x-api-key': generateKey('assay'), authorization: `Bearer ${generateKey('assay')}` },
      400,
      'invalid-request',
    ),
    detail: /not both/,
  },
  refused('a malformed key', { 'x-api-key': 'assay_x' }, 403, 'invalid-api-key'),
  refused('an unknown key', { 'x-api-key': generateKey('assay') }, 403, 'invalid-api-key'),
  {
    what: 'a wrong method without a key',
    method: 'POST',
    query: '',
    headers: {},
    status: 405,
    code: 'method-not-allowed',
    anonymous: true,
  },

  {
    what: 'our network being down',
    query: 'domain=a.com',
    parts: failing(new AnalysisUnavailable({ reason: 'dns_timeout' })),
    status: 503,
    code: 'analysis-unavailable',
    also: { 'retry-after': '5' },
  },
  {
    what: 'a defect of the engine',
    query: 'domain=a.com',
    parts: failing(new TypeError('x is not a function at /srv/x')),
    status: 500,
    code: 'internal-error',
  },
  {
    what: 'a plan that is not configured',
    query: 'domain=a.com',
    parts: { plans: {} },
    status: 503,
    code: 'store-unavailable',
    anonymous: true,
  },
  {
    what: 'a key store that cannot be read',
    query: 'domain=a.com',
    parts: {
      store: store => ({
        ...store,
        keys: { ...store.keys, find: () => Promise.reject(new StoreError('key_store_error', 'disk on fire')) },
      }),
    },
    status: 503,
    code: 'store-unavailable',
    detail: /^The API key cannot be verified at present/,
    also: { 'retry-after': '5' },
    anonymous: true,
  },
  {
    what: 'a count that cannot be made durable',
    query: 'domain=a.com',
    parts: {
      store: store => ({
        ...store,
        quota: {
          ...store.quota,
          charge: () => Promise.reject<never>(new StoreError('quota_store_error', 'disk full')),
        },
      }),
    },
    status: 503,
    code: 'store-unavailable',
    detail: /^The request cannot be counted against the quota at present/,
    also: { 'retry-after': '5' },
  },
]

describe('the check operation', () => {
  const ordinary = serviceOfSuite()
  for (const row of rows) {
    it(`responds to ${row.what} with ${row.status}${row.code ? ` ${row.code}` : ''}`, async t => {
      const service = row.parts === undefined ? ordinary() : await startService(t, row.parts)
      const before = await used(service)
      const headers = row.headers && (row.anonymous ? row.headers : { 'x-api-key': service.key, ...row.headers })
      const response = await service.get(row.path ?? `/api/v1/check?${row.query}`, {
        method: row.method ?? 'GET',
        ...(headers && { headers: { 'x-request-id': 'req-1', ...headers } }),
      })
      const body = await response.text()
      assert.equal(response.status, row.status, body)
      assertCommonHeaders(response, row)
      for (const [name, value] of Object.entries(row.also ?? {})) assert.equal(response.headers.get(name), value, name)
      if (row.code !== undefined) assertProblem(response, body, row.code, row.detail)
      assert.equal((await used(service)) - before, row.status === 200 ? 1 : 0)
    })
  }

  it('takes the key as a bearer token', async t => {
    const service = await startService(t)
    const headers = { authorization: `bearer ${service.key}` }
    const response = await service.get('/api/v1/check?domain=example.com', { headers })
    assert.deepEqual([response.status, response.headers.get('x-ratelimit-remaining')], [200, '9999'])
  })
})

function assertCommonHeaders({ headers }: Response, { anonymous }: Row): void {
  const limit = anonymous ? 0 : 10_000
  const at = new Date()
  const reset = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1) / 1000
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9_-]{1,64}$/)
  assert.equal(headers.get('x-ratelimit-limit'), String(limit))
  assert.match(headers.get('x-ratelimit-remaining') ?? '', anonymous ? /^0$/ : /^(10000|99\d\d)$/)
  assert.equal(headers.get('x-ratelimit-reset'), String(reset))
  assert.equal(headers.get('cache-control'), 'private, no-store')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
}

function assertProblem({ headers, status }: Response, body: string, code: string, detail = /./): void {
  assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(headers.get('x-cache'), null)
  const problem = JSON.parse(body)
  assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail', 'code', 'request_id'])
  assert.equal(problem.type, `/docs/reference#problem-${code}`)
  assert.equal(problem.status, status)
  assert.equal(problem.code, code)
  assert.match(problem.detail, detail)
  assert.equal(problem.request_id, headers.get('x-request-id'))
}

async function used({ store }: Awaited<ReturnType<typeof startService>>): Promise<number> {
  const [key] = await store.keys.list()
  const usage = await store.quota.usage(key?.account ?? '', { quota: 10_000, period: 'month' })
  return usage.used
}
