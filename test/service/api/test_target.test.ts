// Test targets: fixed answers that cost nothing, for programs that ask the service.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import { resultValidator } from '../../../src/engine/json_schema.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import { presentationsOf } from '../../../src/engine/report/presentations.ts'
import { buildReport } from '../../../src/engine/report/report.ts'
import { resultSchema } from '../../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { withTestTargets } from '../../../src/engine/test_target.ts'
import { KEEP_ALL, type Parts, startService } from './service.ts'

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const result_schema = resultSchema(registry)
const violation = resultValidator(result_schema)
const engine = withTestTargets(
  { check: () => assert.fail('nothing is checked'), prepare: async () => {} },
  { registry, policy: 'test', now: () => Date.UTC(2026, 10, 28) },
)
const parts: Parts = {
  checker: engine,
  described: { registry, result_schema },
  history: KEEP_ALL,
  jobs: {},
  vetting: { test_targets: 'assay.test' },
  // One answer of the quota is there, and it stays there.
  plans: { startup: { quota: 1, period: 'month' } },
}

const kinds = [
  ['safe', 'allow', 0],
  ['review', 'review', 50],
  ['block', 'block', 90],
] as const

describe('a test target', () => {
  for (const [kind, recommendation, risk_score] of kinds)
    it(`${kind}. is always answered with ${recommendation}, marked, valid by the schema and free`, async t => {
      const service = await startService(t, parts)
      for (const query of [
        'domain=%',
        'domain=%&fresh=true',
        'url=https://%/path',
        'email=jane@%',
        'domain=%&visit=false',
      ]) {
        const response = await service.get(`/api/v1/check?${query.replace('%', `${kind}.assay.test`)}`)
        const result = (await response.json()) as Record<string, unknown>
        assert.equal(violation(result), null)
        assert.deepEqual(
          [result['test'], result['recommendation'], result['risk_score'], result['result_id']],
          [true, recommendation, risk_score, null],
        )
        assert.equal(response.headers.get('x-ratelimit-remaining'), '1')
        const presentations = presentationsOf(registry)
        await presentations.prepare(result)
        assert.match(buildReport(result, presentations).reason, /This is a test target/)
      }
      const fields = await service.get(`/api/v1/check?domain=${kind}.assay.test&fields=recommendation`)
      assert.deepEqual(await fields.json(), { recommendation, test: true })
      const { results } = (await (await service.get('/api/v1/history')).json()) as { results: readonly unknown[] }
      assert.deepEqual(results, [])
    })

  it('is answered when the quota is used up', async t => {
    const service = await startService(t, { ...parts, plans: { startup: { quota: 1, period: 'month' } } })
    const [key] = await service.store.keys.list()
    await service.store.quota.charge(key?.account ?? '', { quota: 1, period: 'month' })
    assert.equal((await service.get('/api/v1/check?domain=safe.assay.test')).status, 200)
  })

  it('unavailable. is refused as when nothing can be checked', async t => {
    const service = await startService(t, parts)
    const response = await service.get('/api/v1/check?domain=unavailable.assay.test')
    const { code } = (await response.json()) as { code: string }
    assert.deepEqual([response.status, code, response.headers.get('retry-after')], [503, 'analysis-unavailable', '5'])
  })

  it('is a line of a batch, too', async t => {
    const service = await startService(t, parts)
    const targets = ['safe', 'unavailable', 'other'].map(kind => `${kind}.assay.test`)
    const body = JSON.stringify({ targets, fields: ['recommendation'] })
    const response = await service.get('/api/v1/checks', {
      method: 'POST',
      headers: { 'X-API-Key': service.key },
      body,
    })
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const found = lines.sort((a, b) => a.line - b.line).map(({ recommendation, error }) => recommendation ?? error.code)
    assert.deepEqual(found, ['allow', 'analysis-unavailable', 'target-not-checkable'])
  })

  it('is none where the configuration reserves no name', async t => {
    const service = await startService(t, { ...parts, vetting: {} })
    const response = await service.get('/api/v1/check?domain=safe.assay.test')
    assert.equal(response.status, 422)
  })
})
