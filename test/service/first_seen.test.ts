// Since when a target is known to an installation: the whole service beside a lab internet, with each store.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { createLog } from '../../src/service/api/log.ts'
import { createMetrics } from '../../src/service/api/metrics.ts'
import { historyOf } from '../../src/service/instance.ts'
import { Api } from '../../src/service/serve_api.ts'
import { createService } from '../../src/service/service.ts'
import { openBackend } from '../../src/store/open_backend.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { sharedPostgres } from '../postgres_server.ts'
import { sampled } from '../sample.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { configured, labSettings, type Result } from './lab.ts'

const ordinary = (name: string, at: number): LabHost => ({
  name,
  addresses: [`193.0.14.${100 + at}`],
  https: () => ({ status: 200, body: `<title>${name}</title>` }),
})

let internet: LabInternet
before(async () => {
  internet = await startLabInternet(['shop.lab', 'bank.lab', 'other.lab'].map(ordinary))
})
after(() => internet.close())

const plans = { startup: { quota: 1_000, period: 'month' } } as const
const KEPT = { days: 30, first_seen_days: 365, max_bytes: 2 ** 20 }

interface Instance {
  /** By a new account unless the key is given. */
  check(query: string, key?: string): Promise<Result>
  newKey(): Promise<string>
}

async function serve(t: TestContext, store_url: string | null, history: object = KEPT): Promise<Instance> {
  const blocklists = { enabled: Object.fromEntries(knownLists.map(({ id }) => [id, false])) }
  const settings = {
    ...labSettings(internet, {}),
    blocklists,
    plans,
    history,
    store: store_url,
    data: temporaryDirectory(),
  }
  const { config, registry } = await configured(settings)
  const store = await openBackend(config, systemClock, () => {})
  const parts = { dial: internet.dial, extra_roots: internet.root, history: historyOf(store) }
  const service = await createService({ config, registry, ...parts })
  const log = createLog('fatal', { write: () => {} })
  const api = new Api({ config, registry, service, store, metrics: createMetrics(), log })
  const { port } = await api.server.listen(0, '127.0.0.1')
  await service.start()
  t.after(async () => {
    await api.drain(0)
    await service.close()
    await store.close()
  })
  const newKey = async () => (await store.keys.create({ plan: 'startup', label: 'test' })).text
  return {
    newKey,
    async check(query, key) {
      const headers = { 'X-API-Key': key ?? (await newKey()) }
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/check?${query}`, { headers })
      assert.equal(response.status, 200, await response.clone().text())
      return (await response.json()) as Result
    },
  }
}

const seenOf = (result: Result) => ({
  first: (result.reputation as { first_seen_at: string | null }).first_seen_at,
  isNew: (result['signal_details'] as { id: string }[]).some(({ id }) => id === 'first_seen_here'),
  reason: result.coverage.sections['reputation']?.reason ?? null,
})

const stores: Readonly<Record<string, () => Promise<string | null>>> = {
  SQLite: async () => null,
  PostgreSQL: async () => (await sharedPostgres()).createDatabase(),
}

for (const [name, urlOf] of sampled(Object.entries(stores), 1)) {
  describe(`an installation with ${name}`, () => {
    it('tells a name as new once, and then when it was first checked, to every account', async t => {
      const { check } = await serve(t, await urlOf())
      const first = await check('domain=shop.lab')
      assert.deepEqual(seenOf(first), { first: first.checked_at, isNew: true, reason: null })
      assert.deepEqual(seenOf(await check('domain=shop.lab')), seenOf(first), 'as it was checked: from the cache')
      const again = { first: first.checked_at, isNew: false, reason: null }
      assert.deepEqual(seenOf(await check('domain=shop.lab&fresh=true')), again)
      assert.deepEqual(seenOf(await check(`url=${encodeURIComponent('https://shop.lab/a?token=1')}`)), again)
    })

    it('knows the host of a URL that it checked', async t => {
      const { check } = await serve(t, await urlOf())
      const page = await check(`url=${encodeURIComponent('https://bank.lab/a?token=1')}`)
      assert.deepEqual(seenOf(page), { first: page.checked_at, isNew: true, reason: null })
      const host = await check('domain=bank.lab')
      assert.deepEqual(seenOf(host), { first: page.checked_at, isNew: false, reason: null })
    })
  })
}

describe('an installation', () => {
  it('that keeps nothing says nothing about earlier checks', async t => {
    const { check } = await serve(t, null, { ...KEPT, days: 0 })
    assert.deepEqual(seenOf(await check('domain=other.lab')), { first: null, isNew: false, reason: null })
  })
})
