// Who may check: what the claims of a store decide, on a clock of the test.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  type ClaimAnswer,
  type ClaimLimits,
  type ClaimRequest,
  type ClaimState,
  type Claims,
  mostWaiting,
  type ReportRow,
  readReport,
} from '../../src/store/sql/claims.ts'
import { type ClaimsStore, claimsPlaces } from './claim_places.ts'

const polite: ClaimLimits = { at_once: 2, per_second: 1_000, waiting: 100, key_at_once: 100, key_per_second: 1_000 }

let names = 0
const fresh = () => `d${++names}.com`

const answerOf = ({ leader, state }: Pick<ClaimAnswer, 'leader' | 'state'>) =>
  leader === null ? (state ?? 'refused') : `follows ${leader}`

for (const { name, create } of claimsPlaces) {
  describe(`claims in ${name}`, () => {
    let store: ClaimsStore
    before(async () => {
      store = await create()
    })

    const opened: Claims[] = []
    after(() => Promise.all(opened.map(claims => claims.close())))

    /** Processes with the same limits, and what is asked of one target. */
    async function processes(limits: Partial<ClaimLimits> = {}, count = 1) {
      const clock = { now: 1_000_000 }
      const all: Awaited<ReturnType<ClaimsStore['open']>>[] = []
      for (let n = 0; n < count; n++) all.push(await store.open({ ...polite, ...limits }, () => clock.now))
      opened.push(...all)
      const target = fresh()
      const process = (n = 0) => all[n] ?? assert.fail()
      const named = (id: string) => `${target}:${id}`
      const short = (id: string) => id.slice(target.length + 1)
      const ask = (id: string, request: Partial<ClaimRequest> = {}, at = 0) => {
        const whole = { flight: named(id), target, key: 'a', background: false, fresh: false, ...request }
        return process(at).claim({ ...whole, id: named(id), key: named(whole.key) })
      }
      const answered = async (id: string, request: Partial<ClaimRequest> = {}, at = 0) =>
        answerOf(await ask(id, request, at)).replace(`${target}:`, '')
      const end = async (id: string, state: 'kept' | 'ended' = 'kept', at = 0) => {
        const { changes } = await process(at).advance({ target, end: { id: named(id), state } })
        return changes.map(([id, state]) => `${short(id)} ${state}`).toSorted()
      }
      const states = async (...ids: string[]) => {
        const known = await process().renew([], ids.map(named))
        return ids.map(id => known.get(named(id)) ?? null)
      }
      const renew = (at: number, ...ids: string[]) => process(at).renew(ids.map(named), [])
      const advance = async (at = 0) => (await process(at).advance({ target })).wait_ms
      return { clock, target, process, named, ask, answered, end, states, renew, advance }
    }

    it('lead up to the limit of a target, then wait until one ends', async () => {
      const { answered, end, states } = await processes({}, 2)
      assert.equal(await answered('1'), 'running')
      assert.equal(await answered('2', {}, 1), 'running')
      assert.equal(await answered('3'), 'waiting')
      assert.equal(await answered('4', { target: fresh() }), 'running')
      assert.deepEqual(await end('2', 'kept', 1), [])
      assert.deepEqual(await states('1', '2', '3'), ['running', 'kept', 'running'])
    })

    it('follow a claim of the same flight that runs or waits, whoever made it', async () => {
      const { answered, ask, end, named } = await processes({ at_once: 1 }, 2)
      assert.equal(await answered('1', { flight: 'f1' }), 'running')
      assert.equal(await answered('2', { flight: 'f2' }), 'waiting')
      assert.equal(await answered('3', { flight: 'f1', key: 'b' }, 1), 'follows 1')
      assert.equal(await answered('4', { flight: 'f2', key: 'b', fresh: true }, 1), 'follows 2')
      await end('1', 'ended')
      assert.equal((await ask('5', { flight: 'f1' }, 1)).state, 'waiting')
      assert.notEqual(named('5'), named('1'))
    })

    it('follow a run that has just stored its result, unless they want none that ended before', async () => {
      const { answered, end, clock } = await processes()
      const flight = { flight: fresh() }
      await answered('1', flight)
      await end('1')
      assert.equal(await answered('2', flight), 'follows 1')
      assert.equal(await answered('3', { ...flight, fresh: true }), 'running')
      assert.equal(await answered('4', flight), 'follows 3')
      await end('3', 'ended')
      clock.now += 9_999
      assert.equal(await answered('5', flight), 'follows 1')
      clock.now += 1
      assert.equal(await answered('6', flight), 'running')
    })

    it('begin as often per second as a target may be checked, and say when the next may', async () => {
      const { answered, ask, end, advance, clock, states } = await processes({ at_once: 10, per_second: 2 }, 2)
      for (const [id, at] of [
        ['1', 0],
        ['2', 300],
      ] as const) {
        clock.now = 1_000_000 + at
        assert.equal(await answered(id, {}, at === 0 ? 0 : 1), 'running')
        await end(id, 'kept', at === 0 ? 0 : 1)
      }
      clock.now = 1_000_700
      const waiting = await ask('3')
      assert.deepEqual([waiting.state, waiting.wait_ms], ['waiting', 300])
      clock.now = 1_000_999
      assert.equal(await advance(), 1)
      assert.deepEqual(await states('3'), ['waiting'])
      clock.now = 1_001_000
      await advance()
      assert.deepEqual(await states('3'), ['running'])
    })

    it('are refused when the key has too many, including waiting ones, and when it asks too often', async () => {
      const { answered, end, clock } = await processes({ at_once: 1, key_at_once: 2, key_per_second: 4 }, 2)
      const key = { key: fresh() }
      const elsewhere = () => ({ ...key, target: fresh() })
      assert.equal(await answered('1', key), 'running')
      assert.equal(await answered('2', key, 1), 'waiting')
      assert.equal(await answered('3', elsewhere()), 'overloaded')
      assert.equal(await answered('4', { key: fresh() }), 'waiting')
      await end('1')
      assert.equal(await answered('5', elsewhere(), 1), 'running')
      assert.equal(await answered('6', elsewhere()), 'refused')
      clock.now += 999
      assert.equal(await answered('7', elsewhere()), 'refused')
      clock.now += 1
      assert.equal(await answered('8', elsewhere()), 'overloaded')
    })

    it('may have limits of their own', async () => {
      const { answered, ask } = await processes({ at_once: 5 })
      const limits = { ...polite, at_once: 1, per_second: 1, waiting: 1 }
      assert.equal(await answered('1'), 'running')
      assert.equal(await answered('2', { limits }), 'waiting')
      const { state, retry_after } = await ask('3', { limits })
      assert.deepEqual([state, retry_after], ['busy', 2])
      assert.equal(await answered('4'), 'running')
    })

    it('that fail change nothing', async () => {
      const { ask, answered, states } = await processes({ at_once: 1 })
      await answered('1')
      await answered('2', { flight: 'f', background: true })
      await assert.rejects(ask('1', { flight: 'other' }), { code: 'store_unavailable' })
      assert.deepEqual(await states('1', '2'), ['running', 'waiting'])
      assert.equal(await answered('3'), 'waiting')
    })

    it('cost nothing when they follow', async () => {
      const { answered } = await processes({ key_at_once: 1, key_per_second: 1 })
      const [flight, key] = [fresh(), fresh()]
      await answered('1', { flight })
      for (const id of ['2', '3']) assert.equal(await answered(id, { flight, key }), 'follows 1')
      assert.equal(await answered('4', { key }), 'running')
    })

    it('take turns by key, whatever one key asks for', async () => {
      const { answered, end, states } = await processes({ at_once: 2 }, 3)
      const greedy = Array.from({ length: 30 }, (_, n) => `a${n + 1}`)
      for (const id of greedy) await answered(id, { key: 'a' }, 0)
      for (const n of [1, 2, 3]) {
        await answered(`b${n}`, { key: 'b' }, 1)
        await answered(`c${n}`, { key: 'c' }, 2)
      }
      const all = [...greedy, 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']
      const runningNow = async () => {
        const known = await states(...all)
        return all.filter((_, n) => known[n] === 'running')
      }
      let running = await runningNow()
      assert.deepEqual(running, ['a1', 'a2'])
      const order: string[] = []
      const began = [...running]
      for (let n = 0; n < 10; n++) {
        await end(began.shift() ?? assert.fail(), 'kept', n % 3)
        const now = await runningNow()
        const granted = now.filter(id => !running.includes(id))
        order.push(...granted)
        began.push(...granted)
        running = now
      }
      assert.deepEqual(order, ['b1', 'a3', 'c1', 'b2', 'a4', 'c2', 'b3', 'a5', 'c3', 'a6'])
      assert.deepEqual(running.toSorted(), ['a6', 'c3'])
    })

    it('rotate between keys at a target that may have one', async () => {
      const { answered, end, states } = await processes({ at_once: 1 })
      const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
      for (const id of all) await answered(id, { key: id[0] ?? '' })
      const order: string[] = []
      for (let n = 0; n < all.length; n++) {
        const known = await states(...all)
        const runs = all[known.indexOf('running')] ?? assert.fail()
        order.push(runs)
        await end(runs)
      }
      assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
    })

    it('of people come before those in the background, which someone may follow', async () => {
      const { answered, end, states } = await processes({ at_once: 1 })
      await answered('1')
      await answered('b1', { key: 'a background', background: true })
      await answered('b2', { key: 'a background', background: true, flight: 'asked later' })
      await answered('p1')
      await answered('p2')
      await end('1')
      assert.deepEqual(await states('b1', 'b2', 'p1', 'p2'), ['waiting', 'waiting', 'running', 'waiting'])
      assert.equal(await answered('3', { key: 'b', flight: 'asked later' }), 'follows b2')
      await end('p1')
      assert.deepEqual(await states('b1', 'b2', 'p2'), ['waiting', 'running', 'waiting'])
      await end('b2')
      await end('p2')
      assert.deepEqual(await states('b1'), ['running'])
    })

    it('are all given to one key only if no other asked within ten seconds', async () => {
      const { answered, end, states, advance, renew, clock } = await processes()
      await answered('b1', { key: 'b' })
      await end('b1')
      await answered('a1')
      assert.equal(await answered('a2'), 'waiting')
      for (let passed = 0; passed < 9_000; passed += 1_000) {
        clock.now += 1_000
        await renew(0, 'a1', 'a2')
      }
      clock.now += 999
      await advance()
      assert.deepEqual(await states('a2'), ['waiting'])
      clock.now += 1
      await advance()
      assert.deepEqual(await states('a2'), ['running'])
    })

    it('leave the last slot free while two keys that hold others wait for it', async () => {
      const { answered, end, states, advance, renew, clock } = await processes({ at_once: 3 })
      const all = ['a1', 'b1', 'a2', 'b2']
      for (const id of all) await answered(id, { key: id.charAt(0) })
      const afterTenSeconds = async () => {
        for (let passed = 0; passed < 10_000; passed += 1_000) {
          clock.now += 1_000
          await renew(0, ...all)
        }
        await advance()
        return states('a2', 'b2')
      }
      assert.deepEqual(await afterTenSeconds(), ['waiting', 'waiting'])
      await end('b2')
      assert.deepEqual(await states('a2'), ['waiting'])
      assert.deepEqual(await afterTenSeconds(), ['running', 'kept'])
    })

    it('of the key that holds fewest slots come first, whatever its turn', async () => {
      const { answered, states, advance, clock } = await processes({ at_once: 5, per_second: 3 })
      for (const id of ['a1', 'a2', 'b1', 'a3', 'b2']) await answered(id, { key: id.charAt(0) })
      clock.now += 1_000
      await advance()
      assert.deepEqual(await states('a3', 'b2'), ['waiting', 'running'])
    })

    it('ask again when the first of the leases at the target may end', async () => {
      const { ask, clock } = await processes()
      await ask('1')
      clock.now += 300
      await ask('2')
      clock.now += 1_300
      assert.equal((await ask('3')).wait_ms, 400)
    })

    it('estimate their turn by the last one of the target, and by those that get theirs before', async () => {
      const { ask, end, clock, process, target, named } = await processes({ at_once: 1, per_second: 5 })
      const seconds = async (id: string, background = false) =>
        (await ask(id, { key: id.charAt(0), background })).retry_after
      await ask('1')
      await end('1')
      clock.now += 3_000
      assert.equal(await seconds('r1'), 1)
      clock.now += 1_000
      for (const id of ['a1', 'a2', 'a3', 'a4', 'b1', 'x1']) await seconds(id, id === 'x1')
      // Three of a, and its own two.
      assert.equal(await seconds('b2'), 6)
      // Two of a, two of b, and its own.
      assert.equal(await seconds('c1'), 6)
      // All nine.
      assert.equal(await seconds('x2', true), 10)
      const withdrawn = async (id: string, key: string, background: boolean) =>
        (await process().advance({ target, withdraw: { id: named(id), key: named(key), background } })).retry_after
      assert.equal(await withdrawn('b2', 'b', false), 5)
      assert.equal(await withdrawn('x1', 'x', true), 8)
    })

    it('in the background reserve no slot against people', async () => {
      const { answered } = await processes()
      await answered('b1', { key: 'b background', background: true })
      assert.equal(await answered('b2', { key: 'b background', background: true }), 'running')
      const other = await processes()
      await other.answered('b1', { key: 'b background', background: true })
      await other.end('b1')
      await other.answered('a1')
      assert.equal(await other.answered('a2'), 'running')
    })

    it('make room where as many wait as may: the newest of the key with most, in the background first', async () => {
      const { ask, answered, states, target, clock } = await processes({ at_once: 1, waiting: 3 })
      for (const id of ['a1', 'a2', 'a3', 'a4']) await answered(id)
      const refused = await ask('a5')
      assert.deepEqual([refused.state, refused.retry_after], ['busy', 1])
      clock.now += 1
      const { state, changes } = await ask('b1', { key: 'b' })
      assert.equal(state, 'waiting')
      assert.deepEqual(changes.map(([id, state]) => [id.slice(target.length + 1), state]).toSorted(), [
        ['a1', 'running'],
        ['a4', 'busy'],
      ])
      assert.equal(await answered('b2', { key: 'b' }), 'busy')
      assert.equal(await answered('c1', { key: 'c' }), 'waiting')
      assert.equal(await answered('d1', { key: 'd' }), 'busy')
      assert.equal(await answered('x1', { key: 'x', background: true }), 'busy')
      assert.deepEqual(await states('a1', 'a2', 'a3', 'b1', 'c1'), ['running', 'waiting', 'busy', 'waiting', 'waiting'])
      const other = await processes({ at_once: 1, waiting: 1 })
      await other.answered('1')
      await other.answered('x1', { key: 'x', background: true })
      assert.equal(await other.answered('2'), 'waiting')
      assert.deepEqual(await other.states('x1'), ['busy'])
    })

    for (const [title, queue, displaced] of [
      ['one in the background', ['x1', 'a1', 'a2', 'a3'], 'x1'],
      ['one of the key with most', ['a1', 'a2', 'a3', 'b1', 'b2'], 'a3'],
      ['one of the key whose turn comes last', ['a1', 'b1', 'b2', 'a2'], 'b2'],
    ] as const)
      it(`make room by refusing ${title}, and none for a key that has too many`, async () => {
        const { answered, states } = await processes({ at_once: 1, waiting: queue.length, key_at_once: 4 })
        await answered('r1', { key: 'r' })
        for (const id of queue) await answered(id, { key: id.charAt(0), background: id === 'x1' })
        for (let n = 0; n < 4; n++) await answered(`m${n}`, { key: 'm', target: fresh() })
        assert.equal(await answered('m4', { key: 'm' }), 'overloaded')
        assert.deepEqual(await states(displaced), ['waiting'])
        assert.equal(await answered('c1', { key: 'c' }), 'waiting')
        const known = await states(...queue)
        assert.deepEqual(
          queue.filter((_, at) => known[at] === 'busy'),
          [displaced],
        )
      })

    it('that were refused earlier do not come sooner', async () => {
      const { answered, end, states } = await processes({ at_once: 1, waiting: 2 })
      for (const id of ['a1', 'c1', 'd1']) await answered(id, { key: id })
      assert.equal(await answered('b1', { key: 'b' }), 'busy')
      await end('a1')
      await answered('e1', { key: 'e' })
      await end('c1')
      assert.equal(await answered('b2', { key: 'b' }), 'waiting')
      await end('d1')
      assert.deepEqual(await states('e1', 'b2'), ['running', 'waiting'])
    })

    it('that are withdrawn are refused with the time of their next turn, or have their turn', async () => {
      const { answered, process, target, named, clock, end } = await processes({ at_once: 1, per_second: 5 })
      for (const id of ['1', '2', '3']) await answered(id)
      clock.now += 1_900
      await process().renew([named('1'), named('2'), named('3')], [])
      clock.now += 1_100
      const withdraw = (id: string) =>
        process().advance({ target, withdraw: { id: named(id), key: named('a'), background: false } })
      const { state, retry_after } = await withdraw('2')
      // No turn for three seconds, and another waits: it takes twice as long.
      assert.deepEqual([state, retry_after], ['busy', 6])
      await end('1')
      assert.equal((await withdraw('3')).state, 'running')
    })

    it('of a process that died end after two seconds: another leads, and the slots are free', async () => {
      const { answered, ask, clock, renew, states, advance } = await processes({ at_once: 1 }, 2)
      const flight = { flight: fresh() }
      await answered('1', flight)
      await answered('2')
      assert.equal(await answered('3', { key: 'b' }, 1), 'waiting')
      assert.equal(await answered('4', { ...flight, key: 'b' }, 1), 'follows 1')
      clock.now += 1_500
      await renew(1, '3')
      assert.equal(await advance(1), 500)
      clock.now += 500
      await advance(1)
      assert.deepEqual(await states('1', '2', '3'), [null, null, 'running'])
      assert.equal((await ask('5', { ...flight, key: 'b' }, 1)).leader, null)
    })

    it('are renewed late, too, unless another claim leads by now', async () => {
      const { answered, renew, states, clock, end } = await processes()
      const flight = { flight: fresh() }
      await answered('1')
      await answered('2', flight)
      assert.equal(await answered('3'), 'waiting')
      clock.now += 3_000
      assert.deepEqual(await states('1', '2', '3'), [null, null, null])
      assert.equal(await answered('4', flight), 'running')
      await renew(0, '1', '2', '3', '5')
      assert.deepEqual(await states('1', '2', '3', '5'), ['running', null, 'waiting', null])
      await end('1')
      await renew(0, '1')
      assert.deepEqual(await states('1', '3'), ['kept', 'running'])
    })

    it('leave nothing when they have ended or expired', async () => {
      const { answered, renew, end, clock } = await processes()
      await store.empty()
      await answered('1')
      await end('1')
      for (const id of ['2', '3', '4', '5']) await answered(id)
      for (let n = 0; n < 30; n++) {
        clock.now += 1_000
        await renew(0, '5')
      }
      assert.equal(await store.count(), 1)
    })

    it('that were lost cost a check, and nothing else', async () => {
      const { answered, states, renew, end, advance } = await processes({ at_once: 1 })
      const flight = { flight: fresh() }
      await answered('1', flight)
      await answered('2')
      await store.empty()
      await renew(0, '1', '2')
      assert.deepEqual(await states('1', '2'), [null, null])
      assert.equal(await answered('3', flight), 'running')
      assert.deepEqual(await end('1'), ['3 running'])
      assert.equal(await answered('4'), 'waiting')
      await end('3')
      await advance()
      assert.deepEqual(await states('4'), ['running'])
    })

    it('count for nothing when they date from before the clock was set back', async () => {
      const { answered, clock, advance, states } = await processes({ at_once: 1, per_second: 1, key_per_second: 2 })
      const key = { key: fresh() }
      await answered('1', key)
      clock.now -= 3_600_000
      assert.equal(await answered('2', key), 'running')
      assert.equal(await answered('3', key), 'waiting')
      await advance()
      assert.deepEqual(await states('3'), ['waiting'])
    })

    it('hold for a transaction whose clock was read just before others renewed them', async () => {
      const { answered, clock, renew, states } = await processes({ at_once: 1 }, 2)
      await answered('1')
      assert.equal(await answered('2'), 'waiting')
      clock.now += 1
      await renew(0, '1', '2')
      clock.now -= 1
      assert.equal(await answered('3', { key: 'b' }, 1), 'waiting')
      await renew(1, '3')
      assert.deepEqual(await states('1', '2', '3'), ['running', 'waiting', 'waiting'])
    })

    it('come with a row of the store, and are not made where that is the result', async () => {
      const { ask, process, states } = await processes()
      const { database } = process()
      const id = fresh()
      await database.transaction(change => change.insertInto('accounts').values({ id, plan: 'free' }).execute())
      const query = (found: number) =>
        database.read
          .selectFrom('accounts')
          .select(['plan', sql<number | null>`${sql.lit(found)}`.as('found')])
          .where('id', '=', id)
      const kept = await ask('1', { beside: query(1) })
      assert.deepEqual([kept.leader, kept.state, kept.changes, { ...kept.beside }.found], [null, null, [], 1])
      const { state, beside } = await ask('3', { beside: query(0) })
      assert.deepEqual([state, (beside as { plan?: string } | null)?.plan, beside?.found], ['running', 'free', 0])
      const none = await ask('4', { beside: query(1).where('plan', '=', 'none') })
      assert.deepEqual([none.state, none.beside?.found ?? null], ['running', null])
      assert.deepEqual(await states('1', '3', '4'), [null, 'running', 'running'])
    })

    // SQLite has its claims in another file than its results.
    if (name === 'PostgreSQL')
      it('may end with the statement that stores the result', async () => {
        const { ask, process, target, named, states } = await processes()
        const { database } = process()
        await ask('1')
        const ending = process().ending(target, named('1')) ?? assert.fail()
        const failing = database.transaction(async change => {
          await sql`SELECT ${ending}`.execute(change)
          throw new Error('no')
        })
        await assert.rejects(failing, /no/)
        assert.deepEqual(await states('1'), ['running'])
        await sql`WITH stored AS (INSERT INTO accounts VALUES (${fresh()}, 'free') RETURNING id) SELECT ${ending} FROM stored`.execute(
          database.read,
        )
        assert.deepEqual(await states('1'), ['kept'])
      })

    it('never exceed a limit, and starve no key', async () => {
      const keys = ['a', 'a', 'a', 'b', 'c'] as const
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ asks: fc.constantFrom(...keys), flight: fc.nat(30), at: fc.nat(2) }) },
        { weight: 4, arbitrary: fc.record({ ends: fc.nat(3), at: fc.nat(2) }) },
        { weight: 1, arbitrary: fc.record({ withdraws: fc.nat(9), at: fc.nat(2) }) },
        { weight: 1, arbitrary: fc.record({ dies: fc.nat(30) }) },
        { weight: 3, arbitrary: fc.record({ passes: fc.integer({ min: 1, max: 700 }) }) },
      )
      const limits = fc.record({
        at_once: fc.integer({ min: 1, max: 3 }),
        per_second: fc.integer({ min: 1, max: 6 }),
        waiting: fc.integer({ min: 2, max: 8 }),
        key_at_once: fc.integer({ min: 2, max: 8 }),
        key_per_second: fc.integer({ min: 3, max: 20 }),
      })
      const steps = fc.array(step, { minLength: 10, maxLength: 50 })
      const clock = { now: 0 }
      const claimsFor = async (limits: ClaimLimits) => {
        const all: Claims[] = []
        for (let n = 0; n < 3; n++) all.push(await store.open(limits, () => clock.now))
        return all
      }
      await fc.assert(
        fc.asyncProperty(limits, steps, async (limits, steps) => {
          const all = await claimsFor(limits)
          await store.empty()
          await play(all, limits, steps, clock)
          await Promise.all(all.map(claims => claims.close()))
        }),
        { numRuns: name === 'SQLite' ? 60 : 15 },
      )
    })
  })
}

const rows: readonly (readonly [title: string, row: Partial<ReportRow>, wait_ms: number, retry_after: number])[] = [
  ['nothing is known', {}, 500, 1],
  ['a slot may be free soon', { out_slot_ms: 300, out_rate_ms: 400 }, 300, 1],
  ['the rate allows another soon', { out_slot_ms: 400, out_rate_ms: 300 }, 300, 1],
  ['a lease ends now', { out_slot_ms: 0 }, 1, 1],
  ['a lease is longer than a renewal', { out_slot_ms: 900, out_rate_ms: 800 }, 500, 1],
  ['two have turns before', { out_ahead: 2 }, 500, 2],
  ['the target had no turn for three seconds', { out_ahead: 2, out_served_ms: 3_000 }, 500, 9],
  ['the target had no turn for a long time', { out_ahead: 2, out_served_ms: 20_000 }, 500, 30],
]

describe('a claim that is not given its turn', () => {
  for (const [title, row, wait_ms, retry_after] of rows) {
    it(`asks again in time when ${title}`, () => {
      const none = { out_slot_ms: null, out_rate_ms: null, out_served_ms: null, out_ahead: 0, out_changes: null }
      const report = readReport({ out_leader: null, out_state: 'busy', ...none, ...row }, { ...polite, per_second: 2 })
      assert.deepEqual([report.wait_ms, report.retry_after, report.changes], [wait_ms, retry_after, []])
    })
  }

  it('waits with as many others as can start within three seconds', () => {
    assert.deepEqual([0.1, 1, 2.5, 1e6].map(mostWaiting), [1, 3, 7, 1_000])
  })
})

type Step = {
  readonly asks?: string
  readonly flight?: number
  readonly at?: number
  readonly ends?: number
  readonly withdraws?: number
  readonly dies?: number
  readonly passes?: number
}

interface Made {
  readonly id: string
  readonly key: string
  readonly flight: string
  state: ClaimState | null
  began: number | null
}

/** Plays the steps and compares what the store says with the limits after each. */
async function play(all: readonly Claims[], limits: ClaimLimits, steps: readonly Step[], clock: { now: number }) {
  const target = 'victim.com'
  const one = (at = 0) => all[at] ?? assert.fail()
  const alive: Made[] = []
  const begun: number[] = []
  const askedAt: [string, number][] = []
  /** Turns that others got while a claim waited whose key had no slot. */
  const others = new Map<string, string[]>()
  const running = () => alive.filter(({ state }) => state === 'running')
  const waiting = () => alive.filter(({ state }) => state === 'waiting')

  async function look(): Promise<void> {
    const own = alive.map(({ id }) => id)
    const known = await one().renew(own, own)
    const granted: string[] = []
    for (const claim of alive) {
      const before = claim.state
      claim.state = known.get(claim.id) ?? null
      assert.notEqual(claim.state, null, `${claim.id} was ${before}`)
      if (claim.state !== 'running' || claim.began !== null) continue
      claim.began = clock.now
      begun.push(clock.now)
      granted.push(claim.key)
    }
    alive.splice(0, alive.length, ...alive.filter(({ state }) => state === 'running' || state === 'waiting'))
    assert.ok(running().length <= limits.at_once)
    assert.ok(begun.filter(at => at > clock.now - 1_000).length <= limits.per_second)
    assert.ok(waiting().length <= limits.waiting)
    assert.equal(new Set(alive.map(({ flight }) => flight)).size, alive.length)
    for (const key of ['a', 'b', 'c']) {
      const ofKey = alive.filter(claim => claim.key === key)
      assert.ok(ofKey.length <= limits.key_at_once)
      assert.ok(askedAt.filter(([by, at]) => by === key && at > clock.now - 1_000).length <= limits.key_per_second)
      const waitsWithout =
        ofKey.some(({ state }) => state === 'waiting') && !ofKey.some(({ state }) => state === 'running')
      for (const { id } of ofKey)
        if (!waitsWithout) others.delete(id)
        else if (others.has(id)) others.get(id)?.push(...granted)
        else others.set(id, [])
      const oldest = ofKey.find(({ state }) => state === 'waiting')
      const had = others.get(oldest?.id ?? '') ?? []
      assert.equal(new Set(had).size, had.length, `${key} waited for turns of ${had}`)
    }
    // A slot stays free only for the rate, or because the last one is reserved against those that wait.
    const isLimited = begun.filter(at => at > clock.now - 1_000).length >= limits.per_second
    const holders = new Set(running().map(({ key }) => key))
    const free = limits.at_once - running().length
    if (free > 0 && !isLimited)
      assert.ok(waiting().every(({ key }) => holders.has(key)) && (waiting().length === 0 || free === 1))
  }

  let made = 0
  for (const { asks, flight, at, ends, withdraws, dies, passes } of steps) {
    if (asks !== undefined) {
      const claim = { id: `${++made}`, key: asks, flight: `f${flight}` }
      const answer = await one(at).claim({ ...claim, target, background: false, fresh: true })
      const leader = alive.find(other => other.flight === claim.flight)
      assert.equal(answer.leader, leader?.id ?? null)
      if (answer.state !== null) askedAt.push([asks, clock.now])
      if (answer.state === 'waiting' || answer.state === 'running') alive.push({ ...claim, state: null, began: null })
    } else if (ends !== undefined) {
      const ended = running()[ends % Math.max(1, running().length)]
      if (ended === undefined) continue
      alive.splice(alive.indexOf(ended), 1)
      await one(at).advance({ target, end: { id: ended.id, state: 'ended' } })
    } else if (withdraws !== undefined) {
      const claim = waiting()[withdraws]
      if (claim === undefined) continue
      const { state } = await one(at).advance({ target, withdraw: { ...claim, background: false } })
      if (state === 'busy') alive.splice(alive.indexOf(claim), 1)
    } else if (dies !== undefined) {
      const claim = alive[dies % Math.max(1, alive.length)]
      if (claim === undefined) continue
      alive.splice(alive.indexOf(claim), 1)
      // Nobody renews it, and the others wait until it has expired.
      for (let passed = 0; passed < 2_000; passed += 500) {
        clock.now += 500
        const own = alive.map(({ id }) => id)
        await one().renew(own, [])
      }
      await one().advance({ target })
    } else {
      clock.now += passes ?? 0
      const own = alive.map(({ id }) => id)
      await one().renew(own, [])
      await one().advance({ target })
    }
    await look()
  }
}
