// What a search over kept results promises on both databases.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { conditionsOf, type FacetKind, networkCondition } from '../../src/store/facets.ts'
import { EVERYONE, type SearchScope } from '../../src/store/history.ts'
import { prepareBody } from '../../src/store/result_body.ts'
import { createResultCache } from '../../src/store/result_cache.ts'
import type { Database } from '../../src/store/sql/database.ts'
import { MOST_OTHERS, type SearchPlace } from '../../src/store/sql/facets.ts'
import { createResults, keptOf, type Results } from '../../src/store/sql/results.ts'
import { places } from './databases.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-15T00:00:00Z')

interface Given {
  readonly target: string
  readonly at?: number
  readonly ip?: string
  readonly title?: string
  readonly technologies?: readonly string[]
}

function result({ target, at = NOW, ip = '192.0.2.1', title = '', technologies = [] }: Given) {
  return {
    domain: target,
    ip,
    risk_score: 12,
    verdict: 'safe',
    recommendation: 'allow',
    signals: [],
    signal_details: [],
    content_analysis: { title },
    tech_stack: { technologies: technologies.map(name => ({ name })) },
    coverage: { complete: true },
    checked_at: `${new Date(at).toISOString().slice(0, 19)}Z`,
  }
}

let ids = 0
async function keep(results: Results, given: Given, account: string | null = 'acc_a'): Promise<Buffer> {
  ids += 1
  const made = result(given)
  const bytes = prepareBody(made, `${ids}`.padStart(22, '0'))
  await results.put(`${ids}`, bytes, 'complete', { kept: keptOf(made), account })
  return bytes
}

/** One page of a search. */
const pageOf = (results: Results, asked: Asked, after: SearchPlace | null = null, limit = 9, account = 'acc_a') =>
  results.search({ account, conditions: conditions(asked), after, limit })

type Asked = Partial<Record<FacetKind, string>> & { readonly network?: string }

const conditions = ({ network, ...asked }: Asked) => [
  ...Object.entries(asked).flatMap(([kind, text]) => conditionsOf(kind as FacetKind, text)),
  ...(network === undefined ? [] : [networkCondition(network) ?? assert.fail('no network')]),
]

async function targets(results: Results, asked: Asked, account = 'acc_a', limit = 100): Promise<readonly string[]> {
  const found: string[] = []
  let after: SearchPlace | null = null
  do {
    const page = await results.search({ account, conditions: conditions(asked), after, limit })
    assert.ok(page.results.length <= limit)
    found.push(...page.results.map(({ target }) => target))
    after = page.next
  } while (after !== null)
  return found
}

for (const { name, create } of places) {
  let openDatabase: (() => Promise<Database>) | undefined
  const setUp = async (t: TestContext, given: { searched?: SearchScope; octets?: number } = {}) => {
    const clock = { now: NOW }
    openDatabase ??= await create()
    const databases = [await openDatabase(), await openDatabase()] as const
    await databases[0].transaction(async change => {
      for (const table of ['stored_results', 'totals'] as const) await change.deleteFrom(table).execute()
    })
    const history = { life_ms: 30 * DAY, octets: 2 ** 26, met_ms: 365 * DAY, targets: 1_000, ...given }
    const events: unknown[] = []
    const open = (database: Database) =>
      createResults(database, {
        local: createResultCache({ now: () => clock.now }),
        stale_ms: DAY,
        history,
        cache_octets: 2 ** 26,
        now: () => clock.now,
        event: (_, event) => events.push(event),
      })
    const [results, other] = await Promise.all(databases.map(open))
    t.after(async () => {
      for (const one of [results, other]) await one?.close()
      for (const database of databases) await database.close()
    })
    if (results === undefined || other === undefined) throw new Error('not opened')
    return { clock, results, other, events, database: databases[0] }
  }
  const rows = async ({ read }: Database) => (await read.selectFrom('facets').select('target').execute()).length

  describe(`a search in ${name}`, () => {
    it('finds each target once, the latest first, with its latest result', async t => {
      const { results } = await setUp(t)
      await keep(results, { target: 'one.example', at: NOW - 3 * DAY })
      await keep(results, { target: 'two.example', at: NOW - 2 * DAY })
      await keep(results, { target: 'three.example', at: NOW - 2 * DAY, ip: '192.0.2.2' })
      await keep(results, { target: 'one.example', at: NOW - DAY })
      const { results: found } = await pageOf(results, { address: '192.0.2.1' }, null, 10)
      assert.deepEqual(
        found.map(({ target, checked_at }) => [target, checked_at]),
        [
          ['one.example', '2026-11-14T00:00:00Z'],
          ['two.example', '2026-11-13T00:00:00Z'],
        ],
      )
      assert.deepEqual(found[0], {
        result_id: `${ids}`.padStart(22, '0'),
        target: 'one.example',
        domain: 'one.example',
        ip: '192.0.2.1',
        checked_at: '2026-11-14T00:00:00Z',
        risk_score: 12,
        verdict: 'safe',
        recommendation: 'allow',
        complete: true,
        kept: true,
      })
    })

    it('keeps the latest result of what was written out of order, and what a target no longer shows', async t => {
      const { results } = await setUp(t)
      await keep(results, { target: 'one.example', at: NOW - DAY, title: 'Old' })
      await keep(results, { target: 'one.example', at: NOW, title: 'New' })
      await keep(results, { target: 'one.example', at: NOW - 2 * DAY, title: 'Older' })
      const found = async (asked: Asked) => {
        const page = await pageOf(results, asked)
        return page.results.map(({ checked_at }) => checked_at.slice(8, 10))
      }
      assert.deepEqual(await found({ address: '192.0.2.1' }), ['15'])
      assert.deepEqual([await found({ title: 'old' }), await found({ title: 'older' })], [['14'], ['13']])
    })

    const several: readonly [string, Asked, readonly string[]][] = [
      ['all words of a title, in any order', { title: 'in sign' }, ['b.example', 'a.example']],
      ['all conditions', { title: 'sign', technology: 'nginx' }, ['b.example']],
      ['an address inside a network', { network: '192.0.2.0/24' }, ['b.example', 'a.example']],
      ['a network and more', { network: '198.51.0.0/16', technology: 'NGINX' }, ['c.example']],
      ['nothing that is alike', { title: 'si' }, []],
      ['no other alphabet', { title: 'аccount' }, []],
      ['letters beyond ASCII', { title: 'KÜNDIGEN' }, ['c.example']],
    ]
    it('finds what meets all conditions', async t => {
      const { results } = await setUp(t)
      await keep(results, { target: 'a.example', ip: '192.0.2.7', title: 'Sign in', at: NOW - DAY })
      await keep(results, { target: 'b.example', ip: '192.0.2.200', title: 'Sign in – Bank', technologies: ['nginx'] })
      await keep(results, { target: 'c.example', ip: '198.51.100.1', title: 'Konto kündigen', technologies: ['nginx'] })
      for (const [what, asked, expected] of several) assert.deepEqual(await targets(results, asked), expected, what)
    })

    it('continues where a page ended, also within a second', async t => {
      const { results } = await setUp(t)
      const names = Array.from({ length: 7 }, (_, at) => `${at}.example`)
      for (const target of names)
        await keep(results, { target, ip: target < '4' ? '192.0.2.1' : '192.0.2.2', title: 'x' })
      const [, ...rest] = names.toReversed()
      assert.deepEqual(await targets(results, { title: 'x' }, 'acc_a', 2), names.toReversed())
      assert.deepEqual(await targets(results, { network: '192.0.2.0/24' }, 'acc_a', 3), names.toReversed())
      const { next } = await pageOf(results, { title: 'x' }, null, 1)
      const page = await pageOf(results, { title: 'x' }, next, 9)
      assert.deepEqual(
        page.results.map(({ target }) => target),
        rest,
      )
    })

    it('looks beyond many that meet one condition only', async t => {
      const { results } = await setUp(t)
      await keep(results, { target: 'rare.example', at: NOW - DAY, title: 'one two' })
      for (let at = 0; at < 600; at += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, n) => keep(results, { target: `${at + n}.example`, title: 'one' })),
        )
      assert.deepEqual(await targets(results, { title: 'one two' }), ['rare.example'])
    })

    it('shows an account what it saw, from a check or from the cache, and no other', async t => {
      const { results, other, events } = await setUp(t)
      const seen = await keep(results, { target: 'a.example' }, 'acc_a')
      await keep(results, { target: 'b.example' }, 'acc_b')
      const found = (account: string) => targets(results, { address: '192.0.2.1' }, account)
      assert.deepEqual(await found('acc_b'), ['b.example'])
      other.note('acc_b', seen)
      await other.written()
      assert.deepEqual([await found('acc_a'), await found('acc_b')], [['a.example'], ['b.example', 'a.example']])
      assert.deepEqual([await found('acc_c'), await found(EVERYONE), events], [[], [], []])
    })

    it('shows everyone all that was kept, where the operator allows it', async t => {
      const { results } = await setUp(t, { searched: 'installation' })
      const seen = await keep(results, { target: 'a.example' }, 'acc_a')
      await keep(results, { target: 'b.example' }, null)
      assert.deepEqual(await targets(results, { address: '192.0.2.1' }, EVERYONE), ['b.example', 'a.example'])
      assert.deepEqual(await targets(results, { address: '192.0.2.1' }, 'acc_b'), [])
      const id = JSON.parse(`{${seen.toString()}}`).result_id
      assert.equal(JSON.parse(`${await results.read('acc_b', id)}`).domain, 'a.example')
      assert.equal(await results.share('acc_b', id, 'h'.repeat(43)), null)
    })

    it('counts other targets, as far as matters', async t => {
      const { results } = await setUp(t)
      for (let at = 0; at <= MOST_OTHERS; at += 1) await keep(results, { target: `${at}.example`, title: 'Many' })
      await keep(results, { target: 'own.example', title: 'Many words', ip: '192.0.2.2' })
      const of = [{ title: 'many' }, { title: 'many words' }, { address: '192.0.2.1' }, { address: '192.0.2.2' }, {}]
      const others = (account: string) => results.others(account, 'own.example', of.map(conditions))
      const [none, most] = [
        { count: 0, more: false },
        { count: MOST_OTHERS, more: true },
      ]
      assert.deepEqual(await others('acc_a'), [most, none, most, none, none])
      assert.deepEqual(await others('acc_b'), [none, none, none, none, none])
      const counted = await results.others('acc_a', '0.example', [conditions({ title: 'words many' })])
      assert.deepEqual(counted, [{ count: 1, more: false }])
    })

    it('says that there may be more where not all targets with a word were looked at', async t => {
      const { results } = await setUp(t)
      for (let at = 0; at < 300; at += 1) await keep(results, { target: `${at}.example`, title: 'Welcome' })
      const of = [conditions({ title: 'welcome home' })]
      assert.deepEqual(await results.others('acc_a', 'own.example', of), [{ count: 0, more: true }])
      assert.deepEqual(await results.others('acc_a', '7.example', of), [{ count: 0, more: false }])
    })

    it('forgets a fact with the last result that shows it', async t => {
      const { results, clock, database } = await setUp(t)
      await keep(results, { target: 'a.example', at: NOW - 20 * DAY, title: 'gone' })
      const seen = await keep(results, { target: 'a.example', title: 'here' })
      results.note('acc_b', seen)
      await results.written()
      clock.now += 11 * DAY
      assert.deepEqual(await targets(results, { title: 'gone' }), [])
      await results.sweep()
      assert.equal(await rows(database), 2 * 2)
      assert.deepEqual(await targets(results, { title: 'here' }), ['a.example'])
      clock.now += 30 * DAY
      await results.sweep()
      assert.equal(await rows(database), 0)
    })

    it('finds nothing whose result made room for others', async t => {
      const { results, database } = await setUp(t, { octets: 1 })
      await keep(results, { target: 'a.example', title: 'gone' })
      await results.sweep()
      assert.equal(await rows(database), 0)
      assert.deepEqual(await database.read.selectFrom('stored_results').select(['body', 'facets']).execute(), [
        { body: null, facets: null },
      ])
    })

    it('finds a target of a network once, at its latest address there', async t => {
      const { results } = await setUp(t)
      await keep(results, { target: 'moves.example', at: NOW - 3 * DAY, ip: '192.0.2.3' })
      await keep(results, { target: 'moves.example', at: NOW - 2 * DAY, ip: '192.0.2.1' })
      await keep(results, { target: 'moves.example', at: NOW - DAY, ip: '198.51.100.7' })
      const after = null
      const page = await results.search({
        account: 'acc_a',
        conditions: conditions({ network: '192.0.2.0/24' }),
        after,
        limit: 10,
      })
      assert.deepEqual(
        page.results.map(({ target, ip }) => [target, ip]),
        [['moves.example', '192.0.2.1']],
      )
    })

    it('writes facts of the same targets from two processes at once', async t => {
      const { results, other, events } = await setUp(t)
      const names = Array.from({ length: 20 }, (_, at) => `${at}.example`)
      const technologies = ['nginx', 'PHP', 'WordPress', 'Debian', 'MariaDB', 'Varnish']
      const facts = { title: 'Same words', technologies }
      const bodies = await Promise.all(names.map(target => keep(results, { target, ...facts }, null)))
      for (const account of ['acc_a', 'acc_b']) for (const body of bodies) results.note(account, body)
      for (const account of ['acc_b', 'acc_a']) for (const body of bodies.toReversed()) other.note(account, body)
      await Promise.all([
        results.written(),
        other.written(),
        ...names.map((target, at) => keep(at % 2 ? results : other, { target, ...facts })),
      ])
      assert.equal((await targets(results, { title: 'same words' })).length, names.length)
      assert.deepEqual([events, results.dropped, other.dropped], [[], 0, 0])
    })
  })
}
