// What every history does, run over the embedded one and over a real Redis.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import Database from 'libsql'
import { openEmbeddedHistory } from '../../src/store/embedded/history.ts'
import {
  createHistory,
  type FirstMeeting,
  type HistoryLimits,
  type HistoryStore,
  isResultId,
  MOST_SHARES,
  NO_LIMITS,
  newResultId,
  type Sighting,
} from '../../src/store/history.ts'
import { createRedisHistory } from '../../src/store/redis/history.ts'
import { createLink } from '../../src/store/redis/link.ts'
import { asAdmin, type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-15T00:00:00Z')

interface Given extends Partial<HistoryLimits> {
  readonly now?: () => number
}

const USUAL = { life_ms: 30 * DAY, octets: 2 ** 26, met_ms: 365 * DAY, targets: 1_000, now: () => NOW }

let redis: RedisServer
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())

const openers: Readonly<Record<string, (t: TestContext, given: Given) => Promise<HistoryStore>>> = {
  async embedded(t, given) {
    const store = openEmbeddedHistory({ ...USUAL, ...given, directory: freshDirectory(t), damaged: () => {} })
    t.after(() => store.close())
    return store
  },
  async redis(t, given) {
    const link = createLink({ url: redis.confined, command_ms: PATIENT_MS })
    await link.start()
    await redis.empty()
    t.after(() => link.close())
    return createRedisHistory({ ...USUAL, ...given, run: link.run })
  },
}

/** Ids are 22 characters. */
const idOf = (name: string) => name.padEnd(22, '_')

interface SightingGiven {
  readonly account?: string
  readonly target?: string
  readonly at?: number
  readonly body?: string
}

function sighting(name: string, given: SightingGiven = {}): Sighting {
  const { account = 'acc_a', target = 'shop.example', at = NOW - DAY, body = `body of ${name}` } = given
  const checked_at = `${new Date(at).toISOString().slice(0, 19)}Z`
  const judged = { risk_score: 12, verdict: 'safe', recommendation: 'allow', complete: true }
  return {
    account,
    id: idOf(name),
    body: Buffer.from(body),
    summary: { target, domain: target, ip: null, checked_at, ...judged },
  }
}

const all = { target: null, before: Number.MAX_SAFE_INTEGER, limit: 100 }
const idsOf = async (store: HistoryStore, query: object) =>
  (await store.list({ account: 'acc_a', ...all, ...query })).map(({ result_id }) => result_id)

for (const [name, open] of Object.entries(openers)) {
  describe(`the ${name} history`, { skip: name === 'redis' && withoutRedis }, () => {
    it('returns a result to the accounts that saw it, and to no other', async t => {
      const store = await open(t, {})
      await store.write([sighting('one'), sighting('one', { account: 'acc_b' })])
      const read = async (account: string) => String(await store.read(account, idOf('one')))
      assert.deepEqual(
        [await read('acc_a'), await read('acc_b'), await read('acc_c')],
        ['body of one', 'body of one', 'null'],
      )
    })

    it('lists what an account saw, latest first, of one target or of all', async t => {
      const store = await open(t, {})
      await store.write([
        sighting('old', { at: NOW - 3 * DAY }),
        sighting('new', { at: NOW - DAY }),
        sighting('other', { at: NOW - 2 * DAY, target: 'bank.example' }),
        sighting('foreign', { account: 'acc_b' }),
      ])
      assert.deepEqual(await idsOf(store, {}), [idOf('new'), idOf('other'), idOf('old')])
      assert.deepEqual(await idsOf(store, { target: 'shop.example' }), [idOf('new'), idOf('old')])
      assert.deepEqual(await idsOf(store, { target: 'unknown.example' }), [])
      assert.deepEqual(await idsOf(store, { before: NOW - DAY }), [idOf('other'), idOf('old')])
      assert.deepEqual(await idsOf(store, { limit: 1 }), [idOf('new')])
    })

    it('continues a list in the middle of a second', async t => {
      const store = await open(t, {})
      const names = ['a', 'b', 'c', 'd', 'e']
      await store.write([...names.map(name => sighting(name)), sighting('older', { at: NOW - 2 * DAY })])
      const after = (name: string) => ({ before: NOW - DAY, after: idOf(name) })
      for (const target of [null, 'shop.example']) {
        assert.deepEqual(await idsOf(store, { target, limit: 2 }), [idOf('e'), idOf('d')])
        assert.deepEqual(await idsOf(store, { target, limit: 2, ...after('d') }), [idOf('c'), idOf('b')])
        assert.deepEqual(await idsOf(store, { target, limit: 2, ...after('b') }), [idOf('a'), idOf('older')])
      }
    })

    it('lists each with its summary', async t => {
      const store = await open(t, {})
      const one = sighting('one')
      await store.write([one])
      assert.deepEqual(await store.list({ account: 'acc_a', ...all }), [
        { result_id: one.id, ...one.summary, kept: true },
      ])
    })

    it('writes a repeated sighting once', async t => {
      const store = await open(t, {})
      await store.write([sighting('one'), sighting('one')])
      await store.write([sighting('one')])
      assert.deepEqual(await idsOf(store, {}), [idOf('one')])
    })

    it('forgets what is older than its days', async t => {
      let now = NOW
      const store = await open(t, { life_ms: 10 * DAY, now: () => now })
      await store.write([sighting('old', { at: NOW - 9 * DAY }), sighting('new', { at: NOW - DAY })])
      now += 5 * DAY
      await store.write([sighting('newest', { at: now })])
      assert.deepEqual(await idsOf(store, {}), [idOf('newest'), idOf('new')])
      await store.write([sighting('too-old', { at: now - 11 * DAY })])
      assert.deepEqual(await idsOf(store, {}), [idOf('newest'), idOf('new')])
    })

    it('removes the oldest results beyond its bytes, and keeps their entries', async t => {
      const store = await open(t, { octets: 250_000 })
      const body = 'x'.repeat(100_000)
      await store.write([
        sighting('one', { at: NOW - 3 * DAY, body }),
        sighting('two', { at: NOW - 2 * DAY, body }),
        sighting('three', { at: NOW - DAY, body }),
      ])
      const entries = await store.list({ account: 'acc_a', ...all })
      assert.deepEqual(
        entries.map(({ result_id, kept }) => [result_id, kept]),
        [
          [idOf('three'), true],
          [idOf('two'), true],
          [idOf('one'), false],
        ],
      )
      assert.equal(await store.read('acc_a', idOf('one')), null)
      assert.equal(String(await store.read('acc_a', idOf('three'))), body)
    })

    it('knows when a target was first checked here', async t => {
      const store = await open(t, {})
      assert.deepEqual(await store.firstSeen('shop.example'), { at: null, since: NOW })
      await store.meet([
        { target: 'shop.example', at: NOW - DAY },
        { target: '192.0.2.1', at: NOW },
      ])
      await store.meet([{ target: 'shop.example', at: NOW - 2 * DAY }])
      await store.meet([{ target: 'shop.example', at: NOW }])
      const first = async (target: string) => (await store.firstSeen(target)).at
      assert.deepEqual(
        [await first('shop.example'), await first('192.0.2.1'), await first('bank.example')],
        [NOW - 2 * DAY, NOW, null],
      )
    })

    it('knows a target for longer than its results, from its last check on', async t => {
      let now = NOW
      const store = await open(t, { life_ms: DAY, met_ms: 100 * DAY, now: () => now })
      const meet = (...names: string[]) => store.meet(names.map(target => ({ target, at: now })))
      await meet('often.example', 'once.example')
      now = NOW + 60 * DAY
      await meet('often.example')
      await store.write([sighting('new', { at: now })])
      assert.deepEqual(await store.firstSeen('once.example'), { at: NOW, since: NOW })
      now = NOW + 101 * DAY
      await meet('new.example')
      const since = NOW + DAY
      assert.deepEqual(await store.firstSeen('often.example'), { at: NOW, since })
      assert.deepEqual(await store.firstSeen('once.example'), { at: null, since })
    })

    it('forgets those that were not checked for longest beyond its number, and says how far back it reaches', async t => {
      const store = await open(t, { targets: 2 })
      await store.meet([
        { target: 'often.example', at: NOW - 4 * DAY },
        { target: 'once.example', at: NOW - 3 * DAY },
      ])
      await store.meet([{ target: 'often.example', at: NOW - 2 * DAY }])
      await store.meet([{ target: 'new.example', at: NOW - DAY }])
      const known: Record<string, FirstMeeting> = {}
      for (const name of ['often.example', 'once.example', 'new.example']) known[name] = await store.firstSeen(name)
      // The record began with this store, after all of these checks.
      const since = NOW
      assert.deepEqual(known, {
        'often.example': { at: NOW - 4 * DAY, since },
        'once.example': { at: null, since },
        'new.example': { at: NOW - DAY, since },
      })
    })

    it('reaches back to the last check that it forgot', async t => {
      let now = NOW
      const store = await open(t, { targets: 1, now: () => now })
      for (const target of ['one.example', 'two.example', 'three.example']) {
        await store.meet([{ target, at: now }])
        now += DAY
      }
      assert.deepEqual(await store.firstSeen('one.example'), { at: null, since: NOW + DAY + 1 })
    })

    it('shares a result by a link until it is revoked', async t => {
      const store = await open(t, {})
      await store.write([sighting('one')])
      const hash = 'h'.repeat(43)
      const share = await store.share('acc_a', idOf('one'), hash)
      assert.deepEqual(share, { id: 'h'.repeat(12), result_id: idOf('one'), created: NOW })
      assert.deepEqual(await store.shares('acc_a', idOf('one')), [share])
      assert.deepEqual(await store.shared(hash), { account: 'acc_a', result_id: idOf('one') })
      assert.equal(await store.unshare('acc_b', 'h'.repeat(12)), false)
      assert.equal(await store.unshare('acc_a', 'h'.repeat(12)), true)
      assert.deepEqual([await store.shared(hash), await store.shares('acc_a', idOf('one'))], [null, []])
      assert.equal(await store.unshare('acc_a', 'h'.repeat(12)), false)
    })

    it('has so many links for an account, and none of them is that of another', async t => {
      const store = await open(t, {})
      await store.write([sighting('one'), sighting('two', { account: 'acc_b' })])
      const hashOf = (at: number) => `${at}`.padStart(12, '0').padEnd(43, 'h')
      for (let at = 0; at < MOST_SHARES; at += 1) await store.share('acc_a', idOf('one'), hashOf(at))
      assert.equal(await store.share('acc_a', idOf('one'), 'x'.repeat(43)), 'limit')
      assert.equal((await store.shares('acc_a', idOf('one'))).length, MOST_SHARES)
      assert.notEqual(await store.share('acc_b', idOf('two'), 'y'.repeat(43)), 'limit')
      await store.unshare('acc_a', hashOf(0).slice(0, 12))
      assert.notEqual(await store.share('acc_a', idOf('one'), 'x'.repeat(43)), 'limit')
    })

    it('does not share what the account did not see', async t => {
      const store = await open(t, {})
      await store.write([sighting('one', { account: 'acc_b' })])
      assert.equal(await store.share('acc_a', idOf('one'), 'h'.repeat(43)), null)
    })
  })
}

describe('the list of one account in Redis that is damaged', { skip: withoutRedis }, () => {
  it('keeps no results of others away', async t => {
    const store = await openers.redis?.(t, {})
    assert.ok(store !== undefined)
    await asAdmin(redis.url, client => client.set('assay:v1:history:acc_b', 'no list'))
    const sightings = Array.from({ length: 20 }, (_, n) => sighting(`${n}`, n === 3 ? { account: 'acc_b' } : {}))
    await assert.rejects(store.write(sightings), /WRONGTYPE/)
    assert.equal((await idsOf(store, {})).length, 19)
  })
})

describe('an embedded history with a text that is not UTF-8', () => {
  it('reads it with a replacement, and does not end the process', async t => {
    const directory = freshDirectory(t)
    const given = { ...USUAL, directory, damaged: () => {} }
    const before = openEmbeddedHistory(given)
    await before.write([sighting('one')])
    await before.share('acc_a', idOf('one'), 'h'.repeat(43))
    await before.close()
    const file = new Database(join(directory, 'history.db'))
    file.exec(
      "PRAGMA foreign_keys = OFF; UPDATE results SET verdict = CAST(x'66ff' AS TEXT), domain = CAST(x'ff' AS TEXT)",
    )
    file.exec("UPDATE shares SET account = CAST(x'ff' AS TEXT) WHERE id = 'hhhhhhhhhhhh'")
    file.close()
    const store = openEmbeddedHistory(given)
    t.after(() => store.close())
    const [entry] = await store.list({ account: 'acc_a', ...all })
    assert.deepEqual([entry?.verdict, entry?.domain], ['f\ufffd', '\ufffd'])
    assert.deepEqual(await store.shared('h'.repeat(43)), { account: '\ufffd', result_id: idOf('one') })
  })
})

describe('the queue of a history', () => {
  const SHOP = { domain: 'shop.example', ip: null }
  const failing = async () => {
    throw new Error('the store is down')
  }
  const opened = (t: TestContext, parts: Partial<HistoryStore> = {}) => {
    const given = { ...NO_LIMITS, directory: freshDirectory(t), now: () => NOW, damaged: () => {} }
    const failures: string[] = []
    const store = { ...openEmbeddedHistory(given), ...parts }
    const history = createHistory({ store, failed: reason => failures.push(reason) })
    t.after(() => history.close())
    return { store, history, failures }
  }

  it('knows a target before it is written, and keeps the first of two checks', async t => {
    const { store, history } = opened(t)
    history.met(SHOP, NOW - 2)
    history.met(SHOP, NOW - 1)
    assert.equal((await store.firstSeen('shop.example')).at, null)
    assert.equal((await history.firstSeen(SHOP)).at, NOW - 2)
    await history.written()
    assert.equal((await store.firstSeen('shop.example')).at, NOW - 2)
    history.met(SHOP, NOW)
    assert.equal((await history.firstSeen(SHOP)).at, NOW - 2)
  })

  it('reports a target that could not be written, and goes on', async t => {
    const { history, failures } = opened(t, { meet: failing })
    history.met(SHOP, NOW)
    await history.written()
    assert.deepEqual([failures, (await history.firstSeen(SHOP)).at], [['the store is down'], null])
  })
})

describe('a history of the release before', () => {
  it('keeps its targets, and reaches back to the earliest that it did not forget', async t => {
    const directory = freshDirectory(t)
    const given = { ...USUAL, directory, damaged: () => {} }
    const before = openEmbeddedHistory(given)
    await before.meet([
      { target: 'shop.example', at: NOW - 20 * DAY },
      { target: 'bank.example', at: NOW - 10 * DAY },
    ])
    await before.meet([{ target: 'shop.example', at: NOW - 5 * DAY }])
    await before.close()
    const database = new Database(join(directory, 'history.db'))
    database.exec('DROP TABLE record; PRAGMA user_version = 1')
    database.close()
    const store = openEmbeddedHistory(given)
    t.after(() => store.close())
    assert.deepEqual(await store.firstSeen('shop.example'), { at: NOW - 20 * DAY, since: NOW - 10 * DAY })
  })
})

describe('the ID of a result', () => {
  it('is valid, and never read as an option of a command', () => {
    const ids = Array.from({ length: 2_000 }, newResultId)
    assert.deepEqual(
      ids.filter(id => !isResultId(id) || id.startsWith('-')),
      [],
    )
  })
})
