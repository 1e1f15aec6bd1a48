// Answers with fewer members, wherever results are answered.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import { resultSchema } from '../../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { KEEP_ALL, type Parts, type Service, serviceOfSuite, startService } from './service.ts'

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../golden/results/static.json'), 'utf8'))
const parts: Parts = {
  described: { registry, result_schema: resultSchema(registry) },
  checker: { check: async () => ({ result: golden, class: 'complete' as const }) },
  history: KEEP_ALL,
  jobs: {},
}
const DECISION = 'recommendation,recommendation_reason,risk_score,verdict,confidence,signals'
const names = DECISION.split(',')

const json = async (service: Service, path: string, init?: RequestInit) => {
  const response = await service.get(path, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const post = (service: Service, body: object, headers: Record<string, string> = {}) =>
  service.get('/api/v1/checks', {
    method: 'POST',
    headers: { 'X-API-Key': service.key, ...headers },
    body: JSON.stringify(body),
  })

describe('a selection of a result', () => {
  it('makes the answer to a check small, cached or not, and nothing else of it', async t => {
    const service = await startService(t, parts)
    for (const cache of ['MISS', 'HIT']) {
      const response = await service.get(`/api/v1/check?domain=a.com&fields=${DECISION}`)
      const text = await response.text()
      assert.deepEqual([response.status, response.headers.get('x-cache')], [200, cache])
      assert.deepEqual(Object.keys(JSON.parse(text)).sort(), [...names].sort())
      assert.ok(text.length < 600, `${text.length} octets`)
    }
    assert.equal(service.checked.length, 1)
  })

  it('ends a stream of events, too', async t => {
    const service = await startService(t, parts)
    const headers = { 'X-API-Key': service.key, Accept: 'text/event-stream' }
    const response = await service.get('/api/v1/check?domain=a.com&fields=verdict', { headers })
    assert.equal(await response.text(), `event: result\ndata: {"verdict":"${golden.verdict}"}\n\n`)
  })

  it('works for kept and shared results', async t => {
    const service = await startService(t, parts)
    const { result_id } = (await json(service, '/api/v1/check?domain=a.com&fields=result_id')).body
    const path = `/api/v1/results/${result_id}`
    const { body: share } = await json(service, `${path}/shares`, { method: 'POST' })
    for (const place of [path, `/api/v1/shared/${share['token']}`])
      assert.deepEqual((await json(service, `${place}?fields=verdict`)).body, { verdict: golden.verdict })
    const { body } = await json(service, `${path}?sections=cookies`)
    assert.deepEqual([body['cookies'], body['ssl_info']], [golden.cookies, undefined])
  })

  it('makes the lines of a batch and of a job small', async t => {
    const service = await startService(t, parts)
    const expected = { input: 'a.com', line: 1, verdict: golden.verdict }
    const batch = await post(service, { targets: ['a.com'], fields: ['verdict'] })
    assert.deepEqual(JSON.parse(await batch.text()), expected)
    const async = { Prefer: 'respond-async' }
    const { id } = (await (await post(service, { targets: ['a.com'] }, async)).json()) as { readonly id: string }
    let text = ''
    while (text === '') text = await (await service.get(`/api/v1/jobs/${id}/results?fields=verdict`)).text()
    assert.deepEqual(JSON.parse(text), expected)
    const refused = (await (await post(service, { targets: ['a.com'], fields: ['verdict'] }, async)).json()) as object
    assert.match(JSON.stringify(refused), /invalid-body.*|keeps whole results/)
  })

  const refusals: readonly (readonly [query: string, detail: RegExp])[] = [
    ['fields=recomendation', /did you mean "recommendation"\?$/],
    ['sections=ssl', /did you mean "ssl_info"\?$/],
    ['field=verdict', /There is no parameter field; did you mean fields\?/],
    ['fields=verdict&format=report', /cannot be combined with format=report/],
    ['fields=verdict&format=stix', /cannot be combined with format=stix/],
  ]
  const suite = serviceOfSuite(parts)
  for (const [query, detail] of refusals)
    it(`is refused before anything is checked: ${query}`, async () => {
      const service = suite()
      const { status, body } = await json(service, `/api/v1/check?domain=a.com&${query}`)
      assert.deepEqual([status, body['code']], [400, 'invalid-parameter'])
      assert.match(String(body['detail']), detail)
      assert.equal(service.checked.length, 0)
    })
})
