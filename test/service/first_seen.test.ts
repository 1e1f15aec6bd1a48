// Since when a target is known to an installation: the whole service beside a lab internet, with each store.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { createLog } from '../../src/api/log.ts'
import { createMetrics } from '../../src/api/metrics.ts'
import { createApi } from '../../src/cli/api.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { createService } from '../../src/service.ts'
import type { Backend } from '../../src/store/backend.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { openWith, type Settings } from '../store/backends.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { configured, labSettings, type Result } from './lab.ts'

const ordinary = (name: string, at: number): LabHost => ({
  name,
  addresses: [`193.0.14.${100 + at}`],
  https: () => ({ status: 200, body: `<title>${name}</title>` }),
})

let internet: LabInternet
let redis: RedisServer
before(async () => {
  internet = await startLabInternet(['shop.lab', 'bank.lab', 'other.lab'].map(ordinary))
  if (!withoutRedis) redis = await startRedis()
})
after(async () => {
  await internet.close()
  await redis?.stop()
})

const plans = { startup: { quota: 1_000, period: 'month' } } as const
const KEPT = { days: 30, first_seen_days: 365, max_bytes: 2 ** 20 }

interface Instance {
  readonly store: Backend
  /** By a new account unless the key is given. */
  check(query: string, key?: string): Promise<Result>
  newKey(): Promise<string>
}

async function serve(t: TestContext, given: Partial<Settings> = {}): Promise<Instance> {
  const blocklists = { enabled: Object.fromEntries(knownLists.map(({ id }) => [id, false])) }
  const settings = { ...labSettings(internet, {}), blocklists, data: temporaryDirectory(), plans }
  const { config, registry } = await configured(settings)
  const store = await openWith({ store: null, data: temporaryDirectory(), history: KEPT, ...given })
  const parts = { dial: internet.dial, extra_roots: internet.root, history: store.history }
  const service = await createService({ config, registry, ...parts })
  const log = createLog('fatal', { write: () => {} })
  const api = createApi({ config, registry, service, store, metrics: createMetrics(), log })
  const { port } = await api.server.listen(0, '127.0.0.1')
  await service.start()
  t.after(async () => {
    await api.drain(0)
    await service.close()
    await store.close()
  })
  const newKey = async () => (await store.keys.create({ plan: 'startup', label: 'test' })).text
  return {
    store,
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

const stores: Readonly<Record<string, () => Partial<Settings>>> = {
  'the embedded store': () => ({}),
  'the store of a worker': () => ({ linked: true }),
  Redis: () => ({ store: redis.url }),
}

for (const [name, settings] of Object.entries(stores)) {
  describe(`an installation with ${name}`, { skip: name === 'Redis' && withoutRedis }, () => {
    it('tells a name as new once, and then when it was first checked, to every account', async t => {
      const { check } = await serve(t, settings())
      const first = await check('domain=shop.lab')
      assert.deepEqual(seenOf(first), { first: first.checked_at, isNew: true, reason: null })
      assert.deepEqual(seenOf(await check('domain=shop.lab')), seenOf(first), 'as it was checked: from the cache')
      const again = { first: first.checked_at, isNew: false, reason: null }
      assert.deepEqual(seenOf(await check('domain=shop.lab&fresh=true')), again)
      assert.deepEqual(seenOf(await check(`url=${encodeURIComponent('https://shop.lab/a?token=1')}`)), again)
    })

    it('knows the host of a URL that it checked', async t => {
      const { check, store } = await serve(t, settings())
      const page = await check(`url=${encodeURIComponent('https://bank.lab/a?token=1')}`)
      assert.deepEqual(seenOf(page), { first: page.checked_at, isNew: true, reason: null })
      await store.history?.written()
      const host = await check('domain=bank.lab')
      assert.deepEqual(seenOf(host), { first: page.checked_at, isNew: false, reason: null })
    })
  })
}

describe('an installation', () => {
  it('that keeps nothing says nothing about earlier checks', async t => {
    const { check } = await serve(t, { history: { ...KEPT, days: 0 } })
    assert.deepEqual(seenOf(await check('domain=other.lab')), { first: null, isNew: false, reason: null })
  })

  it('whose Redis is paused answers, and says that it does not know', { skip: withoutRedis }, async t => {
    const { check, newKey } = await serve(t, { store: redis.url })
    const key = await newKey()
    assert.equal(seenOf(await check('domain=other.lab', key)).isNew, true)
    await redis.kill('SIGSTOP')
    try {
      const unknown = { first: null, isNew: false, reason: 'first_seen_store_silent' }
      assert.deepEqual(seenOf(await check('domain=other.lab&fresh=true', key)), unknown)
    } finally {
      await redis.kill('SIGCONT')
    }
  })
})
