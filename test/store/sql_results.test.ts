// What kept results promise on both databases: one cache for all processes, and the history of each account. Two openings of one
// database stand for two processes, each with a memory of its own.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { deflateSync } from 'node:zlib'
import { type KyselyPlugin, sql } from 'kysely'
import type { ResultClass } from '../../src/engine/completeness.ts'
import { type FirstMeeting, type HistoryLimits, MOST_SHARES, shareId } from '../../src/store/history.ts'
import { prepareBody } from '../../src/store/result_body.ts'
import { createResultCache } from '../../src/store/result_cache.ts'
import type { Database } from '../../src/store/sql/database.ts'
import { createKeys } from '../../src/store/sql/keys.ts'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { createResults, keptOf, type Results } from '../../src/store/sql/results.ts'
import { createSweep } from '../../src/store/sql/retention.ts'
import { blocksOf } from '../docs/blocks.ts'
import { read as readDocument } from '../docs/documents.ts'
import { startPostgres } from '../postgres_server.ts'
import { places } from './databases.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOW = Date.parse('2026-11-15T00:00:00Z')

interface Given extends Partial<HistoryLimits> {
  readonly cache_octets?: number
  readonly without?: 'history'
}

interface Opened {
  readonly clock: { now: number }
  readonly database: Database
  /** What the first puts, the second can only have from the database. */
  readonly results: Results
  readonly other: Results
  readonly events: Record<string, unknown>[]
  /** One more, which has nothing in memory. */
  open(): Promise<Results>
}

const TABLES = ['sightings', 'shares', 'stored_results', 'targets', 'totals', 'settings', 'keys', 'accounts'] as const

/** A valid key of the account. */
const keyRow = (account: string, times: object = {}) => ({
  id: `key_${account}`,
  account,
  hash: account,
  display: '',
  label: '""',
  created: NOW,
  last_used: null,
  expires: null,
  revoked: null,
  ...times,
})

/** Ids are 22 characters. */
const idOf = (name: string) => name.padEnd(22, '_')

interface ResultGiven {
  readonly target?: string
  readonly at?: number
  readonly text?: string
  readonly risk_score?: number
  readonly verdict?: string
  readonly ip?: string | null
  readonly signals?: readonly string[]
  readonly complete?: boolean
}

/** A result of the engine, as far as it is stored. */
function result({ target = 'shop.example', at = NOW - DAY, ip = null, ...rest }: ResultGiven = {}) {
  const { risk_score = 12, verdict = 'safe', signals = [], complete = true, text = '' } = rest
  return {
    domain: target,
    ip,
    risk_score,
    verdict,
    recommendation: 'allow',
    text,
    signal_details: signals.map(id => ({ id, section: 'ssl_info', group: 'identity', points: 4.5, title: 'Título' })),
    coverage: { complete },
    checked_at: `${new Date(at).toISOString().slice(0, 19)}Z`,
  }
}

/** Stores a result that is kept, under the name of its id. */
async function keep(
  results: Results,
  name: string,
  given: ResultGiven = {},
  account: string | null = 'acc_a',
  { facets, ...more }: { facets?: object; pictures?: object; claim?: object } = {},
) {
  const made = result(given)
  const bytes = prepareBody(made, idOf(name))
  const kept = { ...keptOf(made), ...(facets && { facets }) }
  await results.put(name, bytes, 'complete', { kept, account, ...more } as Parameters<Results['put']>[3])
  return bytes
}

const cacheOnly = (results: Results, key: string, text: string, class_: ResultClass = 'complete', life_ms?: number) =>
  results.put(key, Buffer.from(text), class_, { kept: null, ...(life_ms === undefined ? {} : { life_ms }) })

const textOf = async (found: ReturnType<Results['get']>) => (await found)?.bytes.toString() ?? null

const all = { target: null, before: Number.MAX_SAFE_INTEGER, limit: 100 }
const idsOf = async (results: Results, query: object = {}) =>
  (await results.list({ account: 'acc_a', ...all, ...query })).map(({ result_id }) => result_id)

const totalOf = async ({ read }: Database, name: string) => {
  const rows = await read.selectFrom('totals').select('value').where('name', '=', name).execute()
  return rows.reduce((sum, { value }) => sum + value, 0)
}

for (const { name, create } of places) {
  let openDatabase: (() => Promise<Database>) | undefined

  /** Two processes on a store that is empty. */
  const setUp = async (t: TestContext, given: Given = {}): Promise<Opened> => {
    const { cache_octets = 2 ** 26, without, ...limits } = given
    const clock = { now: NOW }
    const events: Record<string, unknown>[] = []
    openDatabase ??= await create()
    const databases = [await openDatabase(), await openDatabase()] as const
    await databases[0].transaction(async change => {
      for (const table of TABLES) await change.deleteFrom(table).execute()
      await change
        .insertInto('keys')
        .values(['acc_a', 'acc_b'].map(account => keyRow(account)))
        .execute()
    })
    const history = { life_ms: 30 * DAY, octets: 2 ** 26, met_ms: 365 * DAY, targets: 1_000, ...limits }
    const all: Results[] = []
    const openOn = async (database: Database) => {
      const local = createResultCache({ now: () => clock.now, random: () => 0.5 })
      const results = await createResults(database, {
        local,
        stale_ms: DAY,
        history: without === 'history' ? null : history,
        cache_octets,
        now: () => clock.now,
        event: (level, event) => events.push({ level, ...event }),
      })
      all.push(results)
      return results
    }
    t.after(async () => {
      for (const results of all) await results.close()
      for (const database of databases) await database.close()
    })
    const [database, second] = databases
    const [results, other] = await Promise.all([openOn(database), openOn(second)])
    return { clock, events, database, results, other, open: () => openOn(second) }
  }

  describe(`the cache of results in ${name}`, () => {
    it('gives one process what another has put, for the lifetime of its class', async t => {
      const { clock, results, open } = await setUp(t)
      const lives: readonly [ResultClass, number][] = [
        ['complete', HOUR],
        ['incomplete', MINUTE],
        ['not_found', 5 * MINUTE],
        ['withheld', 10 * MINUTE],
      ]
      for (const [kind, life] of lives) {
        clock.now = NOW
        await cacheOnly(results, kind, `seen ${kind}`, kind)
        clock.now = NOW + life - 1
        const late = await open()
        assert.equal(late.peek(kind), null)
        const { bytes, class: class_ } = (await late.get(kind)) ?? assert.fail()
        assert.deepEqual([`${bytes}`, class_], [`seen ${kind}`, kind])
        assert.equal(late.peek(kind)?.bytes.toString(), `seen ${kind}`)
        clock.now = NOW + life
        assert.deepEqual([await late.get(kind), await (await open()).get(kind)], [null, null])
      }
    })

    it('gives a result a life of its own', async t => {
      const { clock, results, other } = await setUp(t)
      await cacheOnly(results, 'k', 'short', 'complete', 1_000)
      clock.now += 999
      assert.equal(await textOf(other.get('k')), 'short')
      clock.now += 1
      assert.equal(await other.get('k'), null)
    })

    it('prefers a live result that saw more, and else the last one', async t => {
      const { clock, results, open } = await setUp(t)
      const put = (key: string, kind: ResultClass) => cacheOnly(results, key, kind, kind)
      for (const kind of ['withheld', 'incomplete'] as const) {
        await put(kind, 'complete')
        await put(kind, kind)
      }
      for (const kind of ['complete', 'not_found'] as const) {
        await put(`${kind} last`, kind === 'complete' ? 'not_found' : 'complete')
        await put(`${kind} last`, kind)
      }
      const reader = await open()
      for (const key of ['withheld', 'incomplete']) assert.equal(await textOf(reader.get(key)), 'complete')
      for (const kind of ['complete', 'not_found']) assert.equal(await textOf(reader.get(`${kind} last`)), kind)
      clock.now += HOUR
      await put('withheld', 'incomplete')
      assert.equal(await textOf((await open()).get('withheld')), 'incomplete')
    })

    it('has the last complete result for a day, unless its name was not found since', async t => {
      const { clock, results, open } = await setUp(t)
      for (const key of ['part', 'gone']) await cacheOnly(results, key, 'whole')
      await cacheOnly(results, 'never', 'part', 'incomplete')
      clock.now += HOUR
      await cacheOnly(results, 'part', 'part', 'incomplete')
      await cacheOnly(results, 'gone', 'gone', 'not_found')
      const stale = async (key: string) => textOf((await open()).getStale(key))
      assert.deepEqual([await stale('part'), await stale('gone'), await stale('never')], ['whole', null, null])
      clock.now = NOW + DAY - 1
      assert.deepEqual([await stale('part'), await stale('gone')], ['whole', null])
      clock.now = NOW + DAY
      assert.equal(await stale('part'), null)
    })

    it('ignores what would outlive all others: a wrong clock wrote it', async t => {
      const { clock, results, other, open } = await setUp(t)
      clock.now = NOW + 2 * DAY
      await cacheOnly(results, 'k', 'of the future')
      clock.now = NOW
      assert.deepEqual([await other.get('k'), await other.getStale('k')], [null, null])
      await cacheOnly(other, 'k', 'of now')
      assert.equal(await textOf((await open()).get('k')), 'of now')
    })

    it('takes a damaged result, or one of a class that it does not know, for none', async t => {
      const { database, results, other, events } = await setUp(t)
      const damaged = ['cut', 'changed', 'class', 'large', 'earlier']
      for (const key of damaged) await cacheOnly(results, key, `whole ${key}`)
      const keys = await database.read.selectFrom('stored_results').select(['place', 'body']).orderBy('place').execute()
      const change = (at: number, set: object) =>
        database.transaction(transaction =>
          transaction
            .updateTable('stored_results')
            .set(set)
            .where('place', '=', keys[at]?.place ?? 0)
            .execute(),
        )
      const body = keys[1]?.body ?? assert.fail()
      await change(0, { body: Buffer.from(keys[0]?.body?.subarray(0, -1) ?? []) })
      await change(1, { body: Buffer.from(body.map((octet, at) => (at === 5 ? octet ^ 1 : octet))) })
      await change(2, { class: 'of_tomorrow' })
      await change(3, { body: deflateSync(Buffer.alloc(5 * 2 ** 20)) })
      await change(4, { body: deflateSync('{"result_id":null,"process_time_ms":') })
      for (const key of damaged) assert.deepEqual([await other.get(key), await other.getStale(key)], [null, null], key)
      assert.deepEqual(new Set(events.map(({ store }) => store)), new Set(['result-damaged']))
      await cacheOnly(other, 'cut', 'new')
    })

    it('keeps nothing but the result of what is cache only, and not for longer than it can be served', async t => {
      const { clock, database, results, other } = await setUp(t)
      await cacheOnly(results, '["url","https://shop.example/?token=1"]', 'whole')
      await cacheOnly(results, 'part', 'part', 'incomplete')
      const [row] = await database.read.selectFrom('stored_results').selectAll().execute()
      const { place: _, body: __, octets: ___, cache_key, ...rest } = row ?? assert.fail()
      assert.match(cache_key, /^[\w-]{43}$/)
      assert.deepEqual(
        { ...rest },
        {
          id: null,
          class: 'complete',
          checked_at: NOW,
          expires_at: NOW + HOUR,
          useful_until: NOW + DAY,
          target: null,
          domain: null,
          ip: null,
          risk_score: null,
          verdict: null,
          recommendation: null,
          complete: null,
          signals: null,
          facets: null,
        },
      )
      assert.deepEqual(await database.read.selectFrom(sql`results`.as('r')).selectAll().execute(), [])
      const left = async () => (await database.read.selectFrom('stored_results').select('class').execute()).length
      await other.sweep()
      assert.equal(await left(), 2)
      clock.now = NOW + MINUTE
      await other.sweep()
      assert.equal(await left(), 1)
      clock.now = NOW + DAY
      await other.sweep()
      assert.deepEqual([await left(), await totalOf(database, 'cache_octets')], [0, 0])
    })

    it('keeps no results, and puts no target on record, where there is no history', async t => {
      const { database, results, other } = await setUp(t, { without: 'history' })
      const bytes = await keep(results, 'one')
      assert.equal(await textOf(other.get('one')), bytes.toString())
      other.note('acc_b', bytes)
      await other.written()
      assert.deepEqual([await results.read('acc_a', idOf('one')), await idsOf(results)], [null, []])
      const counts = ['sightings', 'targets'] as const
      for (const table of counts) assert.deepEqual(await database.read.selectFrom(table).selectAll().execute(), [])
    })

    it('removes what can be served for the shortest time beyond its bytes', async t => {
      const { clock, database, results, other } = await setUp(t, { cache_octets: 200 })
      for (let at = 0; at < 30; at += 1) {
        clock.now += 1
        await cacheOnly(results, `${at}`, `${at} ${'x'.repeat(50)}`)
      }
      await other.sweep()
      assert.ok((await totalOf(database, 'cache_octets')) <= 200)
      const octets = await database.read.selectFrom('stored_results').select('octets').execute()
      assert.equal(
        octets.reduce((sum, row) => sum + row.octets, 0),
        await totalOf(database, 'cache_octets'),
      )
      assert.equal(await other.get('0'), null)
      assert.equal(await textOf(other.get('29')), `29 ${'x'.repeat(50)}`)
    })

    it('has one secret for the URLs of links in all processes', async t => {
      const { results, other, open } = await setUp(t)
      assert.equal(results.urlSecret().length, 32)
      assert.deepEqual([other.urlSecret(), (await open()).urlSecret()], [results.urlSecret(), results.urlSecret()])
    })
  })

  describe(`the history in ${name}`, () => {
    it('returns a result to the accounts that saw it, and to no other', async t => {
      const { results, other } = await setUp(t)
      const bytes = await keep(results, 'one')
      other.note('acc_b', bytes)
      await other.written()
      const expected = { result_id: idOf('one'), ...result(), process_time_ms: 0, cached: true }
      for (const account of ['acc_a', 'acc_b']) {
        const body = (await other.read(account, idOf('one'))) ?? assert.fail()
        assert.deepEqual(JSON.parse(body.toString()), expected)
      }
      assert.deepEqual(
        [await results.read('acc_c', idOf('one')), await results.read('acc_a', idOf('two'))],
        [null, null],
      )
    })

    it('lists what an account saw, latest first, of one target or of all', async t => {
      const { results, other } = await setUp(t)
      await keep(results, 'old', { at: NOW - 3 * DAY })
      await keep(results, 'new', { at: NOW - DAY })
      await keep(results, 'other', { at: NOW - 2 * DAY, target: 'bank.example' })
      await keep(results, 'foreign', {}, 'acc_b')
      await keep(results, 'nobody', {}, null)
      assert.deepEqual(await idsOf(other), [idOf('new'), idOf('other'), idOf('old')])
      assert.deepEqual(await idsOf(other, { target: 'shop.example' }), [idOf('new'), idOf('old')])
      assert.deepEqual(await idsOf(other, { target: 'unknown.example' }), [])
      assert.deepEqual(await idsOf(other, { before: NOW - DAY }), [idOf('other'), idOf('old')])
      assert.deepEqual(await idsOf(other, { limit: 1 }), [idOf('new')])
    })

    it('continues a list in the middle of a second', async t => {
      const { results } = await setUp(t)
      for (const one of ['a', 'b', 'c', 'd', 'e']) await keep(results, one)
      await keep(results, 'older', { at: NOW - 2 * DAY })
      const after = (one: string) => ({ before: NOW - DAY, after: idOf(one) })
      for (const target of [null, 'shop.example']) {
        assert.deepEqual(await idsOf(results, { target, limit: 2 }), [idOf('e'), idOf('d')])
        assert.deepEqual(await idsOf(results, { target, limit: 2, ...after('d') }), [idOf('c'), idOf('b')])
        assert.deepEqual(await idsOf(results, { target, limit: 2, ...after('b') }), [idOf('a'), idOf('older')])
      }
    })

    it('lists each with its summary', async t => {
      const { results } = await setUp(t)
      await keep(results, 'one', { complete: false, ip: '192.0.2.1' })
      const { signals: _, facets: __, ...summary } = keptOf(result({ complete: false, ip: '192.0.2.1' }))
      assert.deepEqual(await results.list({ account: 'acc_a', ...all }), [
        { result_id: idOf('one'), ...summary, kept: true },
      ])
    })

    it('writes what an account saw several times, in several processes, once', async t => {
      const { results, other } = await setUp(t)
      const bytes = await keep(results, 'one')
      for (const process of [results, other, other]) {
        process.note('acc_a', bytes)
        process.note('acc_b', bytes)
      }
      await Promise.all([results.written(), other.written()])
      assert.deepEqual(
        [await idsOf(results), await idsOf(results, { account: 'acc_b' })],
        [[idOf('one')], [idOf('one')]],
      )
    })

    it('writes what many processes note at once, without a deadlock', async t => {
      const { results, other, events } = await setUp(t)
      const bodies = await Promise.all(Array.from({ length: 20 }, (_, at) => keep(results, `${at}`, {}, null)))
      const accounts = Array.from({ length: 30 }, (_, at) => `acc_${at}`)
      for (const account of accounts) for (const bytes of bodies) results.note(account, bytes)
      for (const account of accounts.toReversed()) for (const bytes of bodies.toReversed()) other.note(account, bytes)
      await Promise.all([results.written(), other.written()])
      for (const account of accounts) assert.equal((await idsOf(results, { account })).length, 20)
      assert.deepEqual([events, results.dropped, other.dropped], [[], 0, 0])
    })

    it('does not note what is gone', async t => {
      const { clock, results, other, events } = await setUp(t, { life_ms: 10 * DAY })
      const bytes = await keep(results, 'one')
      clock.now += 10 * DAY
      await results.sweep()
      other.note('acc_b', bytes)
      await other.written()
      assert.deepEqual([await idsOf(results, { account: 'acc_b' }), events, other.dropped], [[], [], 0])
    })

    it('forgets what is older than its days at once, and removes it in steps', async t => {
      const { clock, database, results, other } = await setUp(t, { life_ms: 10 * DAY })
      await keep(results, 'old', { at: NOW - 9 * DAY })
      await results.share('acc_a', idOf('old'), 'h'.repeat(43))
      await keep(results, 'new')
      const ids = Array.from({ length: 600 }, (_, at) => `acc_${at}`)
      const old = prepareBody(result(), idOf('old'))
      for (const account of ids) other.note(account, old)
      await other.written()
      clock.now += 5 * DAY
      assert.deepEqual(await idsOf(other), [idOf('new')])
      assert.equal(await other.read('acc_a', idOf('old')), null)
      assert.equal(await other.shared('h'.repeat(43)), null)
      assert.deepEqual(await other.shares({ account: 'acc_a', result_id: idOf('old') }), [])
      assert.equal(await other.share('acc_a', idOf('old'), 'i'.repeat(43)), null)
      await Promise.all([results.sweep(), other.sweep()])
      await results.sweep()
      const left = async (table: 'stored_results' | 'sightings' | 'shares') =>
        (await database.read.selectFrom(table).select(sql`1`.as('one')).execute()).length
      assert.deepEqual([await left('stored_results'), await left('sightings'), await left('shares')], [1, 1, 0])
    })

    it('removes the oldest results beyond its bytes, and keeps their entries', async t => {
      const noise = (seed: number) =>
        Array.from({ length: 10_000 }, (_, at) => ((at * 7_919 * seed) % 65_521).toString(36)).join('')
      const { database, results, other, open } = await setUp(t, { octets: 60_000 })
      for (const [at, one] of ['one', 'two', 'three'].entries())
        await keep(results, one, { at: NOW - (3 - at) * DAY, text: noise(at + 2) })
      const sizes = await database.read.selectFrom('stored_results').select('octets').orderBy('place').execute()
      const [, two = 0, three = 0] = sizes.map(({ octets }) => octets)
      assert.ok(two + three <= 60_000 && two + three > 30_000, `${two} and ${three}`)
      await Promise.all([results.sweep(), other.sweep()])
      const entries = await other.list({ account: 'acc_a', ...all })
      assert.deepEqual(
        entries.map(({ result_id, kept }) => [result_id, kept]),
        [
          [idOf('three'), true],
          [idOf('two'), true],
          [idOf('one'), false],
        ],
      )
      assert.equal(await other.read('acc_a', idOf('one')), null)
      assert.equal(await (await open()).get('one'), null)
      assert.notEqual(await other.read('acc_a', idOf('three')), null)
      assert.equal(await totalOf(database, 'kept_octets'), two + three)
    })

    it('counts what a result is found by, until it leaves with the result', async t => {
      const { database, results, other } = await setUp(t, { octets: 3_000 })
      const facets = Array.from({ length: 40 }, (_, at) => ({ kind: 'technology', value: `technology ${at}` }) as const)
      for (const [id, account] of [
        ['plain', 'acc_a'],
        ['found', 'acc_a'],
        ['unseen', null],
      ] as const)
        await keep(results, id, { at: NOW }, account, { facets: id === 'plain' ? [] : facets })
      const rows = await database.read.selectFrom('stored_results').select('octets').orderBy('place').execute()
      const [plain = 0, found = 0, unseen = 0] = rows.map(({ octets }) => octets)
      const size = JSON.stringify(facets).length
      assert.ok(
        Math.abs(found - plain - 4 * size) < 50 && Math.abs(unseen - plain - size) < 50,
        `${plain}, ${found}, ${unseen}`,
      )
      await Promise.all([results.sweep(), other.sweep()])
      assert.ok((await totalOf(database, 'kept_octets')) <= 3_000)
    })

    it('keeps the pictures of a result for who saw it, as long as the result, and counts their octets', async t => {
      const { clock, database, results, other } = await setUp(t)
      const pictures = ['desktop', 'phone'].map(kind => {
        return { kind, media_type: 'image/webp', body: Buffer.from(`picture for a ${kind}`) }
      })
      await keep(results, 'pictured', { at: NOW }, 'acc_a', { pictures })
      const found = await other.picture('acc_a', idOf('pictured'), 'phone')
      assert.deepEqual([found?.media_type, `${found?.body}`], ['image/webp', 'picture for a phone'])
      assert.deepEqual(
        [
          await other.picture('acc_a', idOf('pictured'), 'watch'),
          await other.picture('acc_b', idOf('pictured'), 'phone'),
        ],
        [null, null],
      )
      const sum = await totalOf(database, 'kept_octets')
      assert.deepEqual([await other.dropPictures('acc_b', idOf('pictured'))], [0])
      assert.deepEqual(
        [await other.dropPictures('acc_a', idOf('pictured')), await other.dropPictures('acc_a', idOf('pictured'))],
        [2, 0],
      )
      assert.equal(sum - (await totalOf(database, 'kept_octets')), 40)
      assert.notEqual(await results.read('acc_a', idOf('pictured')), null)
      await keep(results, 'again', { at: NOW }, 'acc_a', { pictures })
      clock.now = NOW + 31 * DAY
      assert.equal(await results.picture('acc_a', idOf('again'), 'phone'), null)
      await results.sweep()
      assert.deepEqual(await database.read.selectFrom('pictures').select('kind').execute(), [])
    })

    it('removes pictures with the results that make room', async t => {
      const { database, results } = await setUp(t, { octets: 400 })
      const body = Buffer.alloc(300)
      for (const [name, at] of [
        ['older', NOW - DAY],
        ['newer', NOW],
      ] as const) {
        const pictures = [{ kind: 'desktop', media_type: 'image/webp', body }]
        await keep(results, name, { target: `${name}.example`, at }, 'acc_a', { pictures })
      }
      await results.sweep()
      assert.equal(await results.picture('acc_a', idOf('older'), 'desktop'), null)
      assert.ok((await totalOf(database, 'kept_octets')) <= 400, 'there is room')
    })

    it('knows when a target was first checked here', async t => {
      const { results, other } = await setUp(t)
      assert.deepEqual(await other.firstSeen('shop.example'), { at: null, since: NOW })
      await results.meet([
        { target: 'shop.example', at: NOW - DAY },
        { target: '192.0.2.1', at: NOW },
        { target: 'shop.example', at: NOW - 2 * DAY },
      ])
      await other.meet([{ target: 'shop.example', at: NOW }])
      const first = async (target: string) => (await results.firstSeen(target)).at
      assert.deepEqual(
        [await first('shop.example'), await first('192.0.2.1'), await first('bank.example')],
        [NOW - 2 * DAY, NOW, null],
      )
    })

    it('puts the target of each result on record, and that of a link without its result', async t => {
      const { database, results, other } = await setUp(t)
      await keep(results, 'one', { at: NOW - DAY })
      await keep(results, 'two', { at: NOW })
      const met = { target: 'bank.example', at: NOW - MINUTE }
      await results.put('link', Buffer.from('whole'), 'complete', { kept: null, met })
      assert.equal((await other.firstSeen('shop.example')).at, NOW - DAY)
      assert.equal((await other.firstSeen('bank.example')).at, NOW - MINUTE)
      assert.equal(await totalOf(database, 'targets'), 2)
    })

    it('knows a target for longer than its results, from its last check on', async t => {
      const { clock, results } = await setUp(t, { life_ms: DAY, met_ms: 100 * DAY })
      const meet = (...names: string[]) => results.meet(names.map(target => ({ target, at: clock.now })))
      await meet('often.example', 'once.example')
      clock.now = NOW + 60 * DAY
      await meet('often.example')
      await keep(results, 'new', { at: clock.now })
      await results.sweep()
      assert.deepEqual(await results.firstSeen('once.example'), { at: NOW, since: NOW })
      clock.now = NOW + 101 * DAY
      const since = NOW + DAY
      for (const swept of [false, true]) {
        if (swept) await results.sweep()
        assert.deepEqual(await results.firstSeen('often.example'), { at: NOW, since })
        assert.deepEqual(await results.firstSeen('once.example'), { at: null, since })
      }
    })

    it('forgets those that were not checked for longest beyond its number, and says how far back it reaches', async t => {
      const { database, results, other } = await setUp(t, { targets: 2 })
      await results.meet([
        { target: 'often.example', at: NOW - 4 * DAY },
        { target: 'once.example', at: NOW - 3 * DAY },
      ])
      await results.meet([{ target: 'often.example', at: NOW - 2 * DAY }])
      await results.meet([{ target: 'new.example', at: NOW - DAY }])
      await Promise.all([results.sweep(), other.sweep()])
      const known: Record<string, FirstMeeting> = {}
      for (const one of ['often.example', 'once.example', 'new.example']) known[one] = await results.firstSeen(one)
      // The record began with this store, after all of these checks.
      const since = NOW
      assert.deepEqual(known, {
        'often.example': { at: NOW - 4 * DAY, since },
        'once.example': { at: null, since },
        'new.example': { at: NOW - DAY, since },
      })
      assert.equal(await totalOf(database, 'targets'), 2)
    })

    it('reaches back to the last check that it forgot', async t => {
      const { clock, results } = await setUp(t, { targets: 1 })
      for (const target of ['one.example', 'two.example', 'three.example']) {
        await results.meet([{ target, at: clock.now }])
        clock.now += DAY
      }
      await results.sweep()
      assert.deepEqual(await results.firstSeen('one.example'), { at: null, since: NOW + DAY + 1 })
    })

    it('stores results of the same targets from two processes at once, and its sums are exact', async t => {
      const { database, results, other } = await setUp(t, { targets: 8, octets: 20_000 })
      await Promise.all(
        Array.from({ length: 200 }, async (_, at) => {
          const process = at % 2 === 0 ? results : other
          await keep(process, `${at}`, { target: `${at % 16}.example`, at: NOW - at * 1_000 })
          if (at % 20 === 0) await process.sweep()
          if (at % 10 !== 0) return
          const targets = Array.from({ length: 6 }, (_, n) => `${(at + 5 * n) % 16}.example`)
          await process.meet(targets.map(target => ({ target, at: NOW - at })))
        }),
      )
      const sizes = async () => {
        const rows = await database.read.selectFrom('stored_results').select('octets').execute()
        return rows.reduce((sum, { octets }) => sum + octets, 0)
      }
      assert.equal((await idsOf(results, { limit: 500 })).length, 200)
      assert.equal(await totalOf(database, 'kept_octets'), await sizes())
      await results.sweep()
      assert.ok((await sizes()) <= 20_000)
      assert.equal((await database.read.selectFrom('targets').selectAll().execute()).length, 8)
      assert.equal(await totalOf(database, 'targets'), 8)
    })

    it('shares a result by a link until it is revoked', async t => {
      const { results, other } = await setUp(t)
      await keep(results, 'one')
      const hash = 'h'.repeat(43)
      const share = await results.share('acc_a', idOf('one'), hash)
      assert.deepEqual(share, { id: 'share_hhhhhhhhhhhh', result_id: idOf('one'), created: NOW })
      const one = { account: 'acc_a', result_id: idOf('one') }
      assert.deepEqual(await other.shares(one), [{ ...share, ...one, target: 'shop.example' }])
      assert.deepEqual(await other.shared(hash), { account: 'acc_a', result_id: idOf('one') })
      assert.equal(await other.unshare({ account: 'acc_b', id: shareId(hash) }), 0)
      assert.equal(await other.unshare({ account: 'acc_a', id: shareId(hash) }), 1)
      assert.deepEqual([await results.shared(hash), await results.shares(one)], [null, []])
      assert.equal(await results.unshare({ account: 'acc_a', id: shareId(hash) }), 0)
    })

    /** The keys of the account that shared a result, and whether its link works. */
    const endings: readonly (readonly [what: string, keys: readonly object[], works: boolean])[] = [
      ['a key', [{}], true],
      ['a key that expires later', [{ expires: NOW + 1 }], true],
      ['a revoked and a valid key', [{ revoked: NOW - 1 }, {}], true],
      ['an expired and a valid key', [{ expires: NOW - 1 }, {}], true],
      ['a rotated key in its period of grace', [{ expires: NOW + HOUR }, { revoked: NOW }], true],
      ['no key', [], false],
      ['a revoked key', [{ revoked: NOW - 1 }], false],
      ['a key that is revoked at this moment', [{ revoked: NOW }], false],
      ['an expired key', [{ expires: NOW - 1 }], false],
      ['a key that expires at this moment', [{ expires: NOW }], false],
      ['a revoked and an expired key', [{ revoked: NOW - 1 }, { expires: NOW - 1 }], false],
      ['a key that was revoked before it would have expired', [{ revoked: NOW - 1, expires: NOW + DAY }], false],
    ]
    for (const [what, rows, works] of endings)
      it(`${works ? 'shows' : 'ends'} the links of an account with ${what}`, async t => {
        const { database, results, other } = await setUp(t)
        await keep(results, 'one')
        await results.share('acc_a', idOf('one'), 'h'.repeat(43))
        await database.transaction(async change => {
          await change.deleteFrom('keys').where('account', '=', 'acc_a').execute()
          const names = rows.map((times, at) => ({ ...keyRow('acc_a', times), id: `key_${at}`, hash: `${at}` }))
          if (names.length > 0) await change.insertInto('keys').values(names).execute()
        })
        const found = await other.shared('h'.repeat(43))
        const listed = await other.shares({})
        assert.deepEqual([found?.account, listed.length], works ? ['acc_a', 1] : [undefined, 0])
      })

    for (const [what, ended, left] of [
      ['when the account gets another key after its last one', { revoked: NOW }, 0],
      ['not when it gets another key beside a valid one', {}, 1],
    ] as const)
      it(`ends links for good: ${what}`, async t => {
        const { clock, database, results } = await setUp(t)
        const keys = createKeys(database, { prefix: 'assay', grace_ms: 0, now: () => clock.now })
        t.after(() => keys.close())
        await database.transaction(async change => {
          await change.insertInto('accounts').values({ id: 'acc_a', plan: 'startup' }).execute()
          await change
            .updateTable('keys')
            .set({ expires: null, ...ended })
            .where('account', '=', 'acc_a')
            .execute()
        })
        await keep(results, 'one')
        await results.share('acc_a', idOf('one'), 'h'.repeat(43))
        await keys.create({ account: 'acc_a', label: '' })
        assert.equal((await results.shares({})).length, left)
      })

    it('ends all links of one account, and no others', async t => {
      const { results } = await setUp(t)
      await keep(results, 'one')
      await keep(results, 'two', {}, 'acc_b')
      await results.share('acc_a', idOf('one'), 'h'.repeat(43))
      await results.share('acc_a', idOf('one'), 'i'.repeat(43))
      await results.share('acc_b', idOf('two'), 'j'.repeat(43))
      assert.deepEqual(
        [await results.unshare({ account: 'acc_a' }), await results.unshare({ account: 'acc_a' })],
        [2, 0],
      )
      assert.deepEqual(
        (await results.shares({})).map(({ account }) => account),
        ['acc_b'],
      )
    })

    it('has so many links for an account, also when two processes create the last one', async t => {
      const { database, results, other } = await setUp(t)
      await keep(results, 'one')
      await keep(results, 'two', {}, 'acc_b')
      const hashOf = (at: number) => `${at}`.padStart(12, '0').padEnd(43, 'h')
      const shares = Array.from({ length: MOST_SHARES - 1 }, (_, at) => ({
        id: shareId(hashOf(at)),
        token_hash: hashOf(at),
        account: 'acc_a',
        result_id: idOf('one'),
        created: NOW,
      }))
      await database.transaction(change => change.insertInto('shares').values(shares).execute())
      const last = await Promise.all(
        [results, other].map((process, at) => process.share('acc_a', idOf('one'), hashOf(MOST_SHARES + at))),
      )
      assert.equal(last.filter(share => share === 'limit').length, 1)
      assert.equal((await results.shares({ account: 'acc_a' })).length, MOST_SHARES)
      assert.notEqual(await results.share('acc_b', idOf('two'), 'y'.repeat(43)), 'limit')
      await results.unshare({ account: 'acc_a', id: shareId(hashOf(0)) })
      assert.notEqual(await results.share('acc_a', idOf('one'), 'x'.repeat(43)), 'limit')
    })

    it('removes so many rows in a step that none takes long', async t => {
      const { clock, database, results } = await setUp(t)
      for (let at = 0; at < 300; at += 100)
        await Promise.all(Array.from({ length: 100 }, (_, n) => cacheOnly(results, `${at + n}`, 'part', 'incomplete')))
      clock.now += MINUTE
      const left: number[] = []
      const count = async () => (await database.read.selectFrom('stored_results').select('place').execute()).length
      const observed: Database = {
        ...database,
        async transaction(work) {
          const value = await database.transaction(work)
          left.push(await count())
          return value
        },
      }
      const limits = { life_ms: DAY, octets: 1, met_ms: DAY, targets: 1, cache_octets: 2 ** 20, now: () => clock.now }
      await createSweep(observed, limits)()
      assert.deepEqual(left, [172, 44, 0])
    })

    it('does not share what the account did not see', async t => {
      const { results } = await setUp(t)
      await keep(results, 'one', {}, 'acc_b')
      assert.equal(await results.share('acc_a', idOf('one'), 'h'.repeat(43)), null)
    })
  })

  describe(`SQL over results in ${name}`, () => {
    const run = async ({ dialect, read }: Database, query: string): Promise<readonly unknown[]> => {
      if (dialect === 'sqlite') return (await sql.raw<object>(query).execute(read)).rows.map(row => ({ ...row }))
      // As JSON, which has times as text as SQLite has.
      const { rows } = await sql.raw<{ row: object }>(`SELECT to_jsonb(q) AS row FROM (${query}) AS q`).execute(read)
      return rows.map(({ row }) => JSON.parse(JSON.stringify(row).replaceAll('+00:00"', 'Z"')))
    }

    it('shows what is kept, with its signals, and nothing that is cache only', async t => {
      const { database, results } = await setUp(t)
      const at = NOW - DAY + 1_000
      await keep(results, 'one', { at, ip: '192.0.2.1', signals: ['expired_certificate'], complete: false })
      await cacheOnly(results, 'two', 'whole')
      const common = { result_id: idOf('one'), target: 'shop.example', checked_at: '2026-11-14T00:00:01Z' }
      const judged = { risk_score: 12, verdict: 'safe' }
      const [row] = await run(database, 'SELECT * FROM results')
      const { signals, complete, ...rest } = row as Record<string, unknown>
      const more = { domain: 'shop.example', ip: '192.0.2.1', recommendation: 'allow' }
      assert.deepEqual(rest, { ...common, ...judged, ...more })
      assert.equal(Boolean(complete), false)
      const expected = [{ id: 'expired_certificate', group: 'identity', points: 4.5 }]
      assert.deepEqual(typeof signals === 'string' ? JSON.parse(signals) : signals, expected)
      assert.deepEqual(await run(database, 'SELECT * FROM result_signals'), [
        { ...common, ...judged, signal: 'expired_certificate', signal_group: 'identity', points: 4.5 },
      ])
    })

    it('answers the queries of the documentation', async t => {
      const { database, results } = await setUp(t)
      const bad = { risk_score: 90, verdict: 'malicious', ip: '192.0.2.9' }
      await keep(results, 'a', { at: NOW - 3 * DAY, signals: ['missing_mx_records'] })
      await keep(results, 'b', { at: NOW - 2 * DAY, ...bad, signals: ['missing_mx_records', 'listed'] })
      await keep(results, 'c', {
        at: NOW - 2 * DAY,
        target: 'bank.example',
        ...bad,
        risk_score: 95,
        signals: ['listed'],
      })
      await keep(results, 'd', { at: NOW - 1 * DAY, target: 'news.example', ...bad })
      await keep(results, 'e', { at: NOW, target: 'news.example', ip: '192.0.2.9', signals: ['missing_mx_records'] })
      const queries = blocksOf(readDocument('docs/history.md')).filter(({ language }) => language === 'sql')
      const answers = await Promise.all(queries.map(({ code }) => run(database, code)))
      assert.deepEqual(answers, [
        [
          { day: '2026-11-12', verdict: 'safe', results: 1 },
          { day: '2026-11-13', verdict: 'malicious', results: 2 },
          { day: '2026-11-14', verdict: 'malicious', results: 1 },
          { day: '2026-11-15', verdict: 'safe', results: 1 },
        ],
        [
          { target: 'bank.example', risk_score: 95, verdict: 'malicious', checked_at: '2026-11-13T00:00:00Z' },
          { target: 'shop.example', risk_score: 90, verdict: 'malicious', checked_at: '2026-11-13T00:00:00Z' },
        ],
        [
          { target: 'news.example', checked_at: '2026-11-15T00:00:00Z', earlier: 'malicious', verdict: 'safe' },
          { target: 'shop.example', checked_at: '2026-11-13T00:00:00Z', earlier: 'safe', verdict: 'malicious' },
        ],
        [
          { signal: 'listed', targets: 2, points: 4.5 },
          { signal: 'missing_mx_records', targets: 2, points: 4.5 },
        ],
        [{ ip: '192.0.2.9', names: 3, worst: 95 }],
      ])
    })

    it('changes nothing', async t => {
      const { database, results } = await setUp(t)
      await keep(results, 'one')
      for (const statement of ['DELETE FROM results', "UPDATE results SET verdict = 'safe'"])
        await assert.rejects(
          database.transaction(change => sql.raw(statement).execute(change)),
          /view/,
        )
    })
  })
}

describe('results in PostgreSQL', () => {
  const started = async (t: TestContext) => {
    const server = await startPostgres()
    t.after(() => server.stop())
    const database = await openPostgres({ place: { url: await server.createDatabase() }, onLoss: () => {} })
    t.after(() => database.close())
    const events: unknown[] = []
    const history = { life_ms: 30 * DAY, octets: 2 ** 26, met_ms: 365 * DAY, targets: 1_000 }
    const event = (_: string, { store }: Readonly<Record<string, unknown>>) => events.push(store)
    const open = async (on = database) => {
      const local = createResultCache()
      const results = await createResults(on, {
        local,
        stale_ms: DAY,
        history,
        cache_octets: 2 ** 26,
        now: Date.now,
        event,
      })
      t.after(() => results.close())
      return results
    }
    return { server, database, results: await open(), open, events }
  }
  const away = { name: 'StoreError', code: 'store_unavailable' }

  it('that crashed are those that were acknowledged; until it is back, memory answers and nothing else does', async t => {
    const { server, database, results, events } = await started(t)
    const bytes = await keep(results, 'one', { at: Date.now() })
    await server.crash()
    assert.equal(await textOf(results.get('one')), bytes.toString())
    await assert.rejects(async () => results.get('two'), away)
    await assert.rejects(results.getStale('two'), away)
    await assert.rejects(keep(results, 'two', { at: Date.now() }), away)
    assert.equal(results.peek('two'), null)
    await assert.rejects(results.read('acc_a', idOf('one')), away)
    await assert.rejects(results.list({ account: 'acc_a', ...all }), away)
    await assert.rejects(results.firstSeen('shop.example'), away)
    results.note('acc_b', bytes)
    await results.written()
    await results.sweep()
    assert.deepEqual([results.dropped, events], [1, ['history-lost', 'retention-failed']])
    await server.restart()
    assert.deepEqual(await idsOf(results), [idOf('one')])
    assert.equal(await results.get('two'), null)
    await keep(results, 'two', { at: Date.now() })
    results.note('acc_b', bytes)
    await results.written()
    assert.deepEqual(await idsOf(results, { account: 'acc_b' }), [idOf('one')])
    assert.equal(await totalOf(database, 'targets'), 1)
  })

  it('are stored together with the end of their claim, or not at all, in one round trip', async t => {
    const { database, results: first, open } = await started(t)
    await database.transaction(async change => {
      await sql`CREATE TABLE ends (id TEXT PRIMARY KEY)`.execute(change)
      await sql`CREATE FUNCTION ended (id TEXT) RETURNS void LANGUAGE sql AS 'INSERT INTO ends VALUES (id)'`.execute(
        change,
      )
    })
    await first.close()
    let answers = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        answers += 1
        return result
      },
    }
    const read = database.read.withPlugin(counting)
    const results = await open({ ...database, read, transaction: () => assert.fail('it is one statement') })
    answers = 0
    const put = (name: string) =>
      keep(results, name, { at: Date.now() }, 'acc_a', { claim: () => sql`ended('claim_1')` })
    await put('one')
    assert.equal(answers, 1)
    await assert.rejects(put('two'), away)
    assert.deepEqual(await idsOf(results), [idOf('one')])
    assert.equal(results.peek('two'), null)
    const { rows } = await sql`SELECT * FROM ends`.execute(database.read)
    assert.deepEqual(rows, [{ id: 'claim_1' }])
  })
})
