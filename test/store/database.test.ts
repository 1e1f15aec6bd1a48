// What both databases of the store promise: the same tables, transactions that are whole and durable, and the same answers.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/store/sql/database.ts'
import { asciiJson } from '../../src/store/sql/schema.ts'
import { places } from './databases.ts'

const values = (row: object) =>
  `(${Object.keys(row).join(', ')}) VALUES (${Object.values(row)
    .map(one => `'${one}'`)
    .join(', ')})`

for (const { name, create } of places) {
  describe(`the store in ${name}`, () => {
    let open: () => Promise<Database>
    let database: Database
    before(async () => {
      open = await create()
      database = await open()
    })
    after(() => database.close())

    it('keeps what a transaction wrote', async () => {
      await database.transaction(change =>
        change.insertInto('accounts').values({ id: 'acc_a', plan: 'free' }).execute(),
      )
      const other = await open()
      const rows = await other.read.selectFrom('accounts').selectAll().execute()
      await other.close()
      assert.deepEqual(rows, [{ id: 'acc_a', plan: 'free' }])
    })

    it('keeps nothing of a transaction that failed', async () => {
      const failing = database.transaction(async change => {
        await change.insertInto('accounts').values({ id: 'acc_b', plan: 'free' }).execute()
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      const row = await database.read.selectFrom('accounts').selectAll().where('id', '=', 'acc_b').executeTakeFirst()
      assert.equal(row, undefined)
    })

    it('returns numbers beyond 32 bits, octets and absent values as they were written', async () => {
      const created = 1_800_000_000_000
      const targets = Buffer.from([0, 255, 128])
      const job = { id: 'job_1', account: 'acc_a', created, terms: asciiJson({ name: 'ä€😀' }), status: 'queued' }
      const rest = { reason: null, next_at: created, ended: null, stalls: 0, octets: 3, targets }
      await database.transaction(change =>
        change
          .insertInto('jobs')
          .values({ ...job, ...rest })
          .execute(),
      )
      const row = await database.read.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()
      assert.deepEqual({ ...row }, { ...job, ...rest, safe: 0, suspicious: 0, malicious: 0, error: 0 })
      assert.deepEqual(JSON.parse(row.terms), { name: 'ä€😀' })
    })

    it('opens many times at once', async () => {
      const all = await Promise.all(Array.from({ length: 4 }, open))
      const counts = await Promise.all(all.map(({ read }) => read.selectFrom('accounts').selectAll().execute()))
      await Promise.all(all.map(one => one.close()))
      assert.deepEqual(
        counts.map(({ length }) => length),
        [1, 1, 1, 1],
      )
    })

    it('is made once when many open a new one', async () => {
      const open = await create()
      const all = await Promise.all(Array.from({ length: 4 }, open))
      await Promise.all(all.map(one => one.close()))
    })

    it('runs transactions that meet one after the other, also from several connections', async () => {
      const [one, other] = await Promise.all([open(), open()])
      const count = (database: Database) =>
        database.transaction(async change => {
          const row = await change
            .insertInto('leases')
            .values({ name: 'turns', holder: '', until: 1 })
            .onConflict(oc => oc.column('name').doUpdateSet(eb => ({ until: eb('leases.until', '+', 1) })))
            .returning('until')
            .executeTakeFirstOrThrow()
          return row.until
        })
      const taken = await Promise.all(Array.from({ length: 40 }, (_, at) => count(at % 2 === 0 ? one : other)))
      await Promise.all([one.close(), other.close()])
      assert.deepEqual(
        taken.toSorted((a, b) => a - b),
        Array.from({ length: 40 }, (_, at) => at + 1),
      )
    })

    it('is new to the one that made it alone', async () => {
      const make = await create()
      const opened = [await make(), await make()]
      await Promise.all(opened.map(one => one.close()))
      assert.deepEqual(
        opened.map(({ is_new }) => is_new),
        [true, false],
      )
    })

    it('opens after a later release added to it, and not after one that took away what this one reads', async () => {
      const make = await create()
      const made = await make()
      const later = { name: '9999', timestamp: new Date().toISOString() }
      await made.transaction(change => sql`INSERT INTO kysely_migration ${sql.raw(values(later))}`.execute(change))
      await (await make()).close()
      const usable = { name: 'usable_from', value: '9999' }
      await made.transaction(change => change.insertInto('settings').values(usable).execute())
      await made.close()
      await assert.rejects(make(), { code: 'store_too_new' })
    })
  })
}
