// The answers that watches ask for: counted like any other, and what becomes of those that are refused.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { AnalysisUnavailable } from '../../../src/engine/analysis.ts'
import type { Answers, Asking } from '../../../src/service/api/answers.ts'
import { createCallers } from '../../../src/service/api/callers.ts'
import { Problem } from '../../../src/service/api/problem.ts'
import { requestedTarget } from '../../../src/service/api/target_reader.ts'
import { createWatchAnswers } from '../../../src/service/api/watch_answers.ts'
import { prepareBody } from '../../../src/store/result_body.ts'
import { createKeys } from '../../../src/store/sql/keys.ts'
import { createQuota } from '../../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../../src/store/sql/sqlite/open.ts'
import { StoreError } from '../../../src/store/store.ts'
import { nothingChecked, type Watch } from '../../../src/store/watches.ts'
import { unvetted } from '../../../src/targets/target.ts'
import { freshDirectory } from '../../store/fresh_directory.ts'

const HOUR = 3_600_000
const clock = { now: Date.now, monotonic: () => performance.now() }
const plans = { startup: { quota: 2, period: 'month' } } as const
const { signal } = new AbortController()

async function start(
  t: TestContext,
  answer: (asking: Asking) => Promise<unknown> = async () => ({}),
  isLoading = () => false,
) {
  const database = await openSqlite({ directory: freshDirectory(t), patience_ms: PATIENCE_MS.command })
  const keys = createKeys(database, { prefix: 'assay', grace_ms: HOUR, now: Date.now })
  const store = { keys, quota: createQuota(database, Date.now) }
  t.after(async () => {
    await store.quota.drain()
    await keys.close()
    await database.close()
  })
  const callers = createCallers({ store, plans, clock })
  const asked: Asking[] = []
  const errors: object[] = []
  const answers = {
    requestOf: target => requestedTarget(target, 'name'),
    async answer(asking) {
      asked.push(asking)
      callers.requireRoom(asking.key)
      await answer(asking)
      const usage = await callers.charge(asking.key)
      return { bytes: prepareBody({ domain: 'a.com', verdict: 'safe' }), origin: 'MISS', usage }
    },
  } as Pick<Answers, 'requestOf' | 'answer'> as Answers
  const log = { error: (line: object) => void errors.push(line) }
  const ask = createWatchAnswers({
    answers: () => answers,
    keys: store.keys,
    vetting: unvetted,
    cached_ms: 1.1 * HOUR,
    isLoading,
    log,
    clock,
  })
  const { key } = await store.keys.create({ plan: 'startup', label: 'x' })
  const watch = (given: Partial<Watch> = {}): Watch => ({
    id: 'watch_aaaaaaaaaaaaaaaa',
    account: key.account,
    key: key.id,
    target: 'a.com',
    every_ms: 6 * HOUR,
    notify: 'https://hooks.example/',
    format: 'json',
    secret: '',
    created: 0,
    next_at: 0,
    state: nothingChecked,
    ...given,
  })
  return { store, key, ask: (given: Partial<Watch> = {}) => ask(watch(given), signal), asked, errors }
}

describe('the answer for a watch', () => {
  it('is a result, and counts against the quota of its account until that is used up', async t => {
    const { ask, store, key } = await start(t)
    const first = await ask()
    assert.equal(first.ok && first.result['verdict'], 'safe')
    await ask()
    assert.deepEqual(await ask(), { ok: false, code: 'quota-exceeded', retry_ms: null })
    assert.equal((await store.quota.usage(key.account, plans.startup)).used, 2)
  })

  it('is fresh where the cache would repeat what is known', async t => {
    const { ask, asked } = await start(t)
    await ask({ every_ms: HOUR })
    await ask({ every_ms: 6 * HOUR })
    assert.deepEqual(
      asked.map(({ requested }) => requested.fresh),
      [true, false],
    )
  })

  it('needs a valid key of the account, which another one may replace', async t => {
    const { ask, asked, store, key } = await start(t)
    const { key: next } = await store.keys.rotate(key.id)
    await store.keys.revoke(key.id)
    assert.equal((await ask()).ok, true)
    assert.equal(asked[0]?.key.id, next.id)
    await store.keys.create({ plan: 'startup', label: 'another account' })
    await store.keys.revoke(next.id)
    assert.deepEqual(await ask(), { ok: false, code: 'no-valid-key', retry_ms: null })
  })

  it('waits for an expected dataset, so that nothing is compared with a result that lacks it', async t => {
    let isLoading = true
    const { ask, asked } = await start(t, undefined, () => isLoading)
    assert.deepEqual(await ask(), { ok: false, code: 'datasets-loading', retry_ms: 60_000 })
    assert.equal(asked.length, 0)
    isLoading = false
    assert.equal((await ask()).ok, true)
  })

  const failures: readonly (readonly [error: Error, code: string, retry_ms: number | null])[] = [
    [new Problem('target-busy'), 'target-busy', 60_000],
    [new Problem('overloaded'), 'overloaded', 60_000],
    [new AnalysisUnavailable({ reason: 'resolver_timeout' }), 'analysis-unavailable', 900_000],
    [new StoreError('quota_store_error', 'x'), 'store-unavailable', 60_000],
    [new Error('a bug'), 'internal-error', null],
  ]
  for (const [error, code, retry_ms] of failures) {
    it(`is refused as ${code} at ${error.name} ${error.message.slice(0, 30)}`, async t => {
      const { ask, errors } = await start(t, () => Promise.reject(error))
      assert.deepEqual(await ask(), { ok: false, code, retry_ms })
      assert.equal(errors.length, code === 'internal-error' ? 1 : 0)
    })
  }

  it('is refused for a target that may no longer be checked', async t => {
    const { ask } = await start(t)
    assert.deepEqual(await ask({ target: 'localhost' }), { ok: false, code: 'target-not-checkable', retry_ms: null })
  })
})
