// The facts by which accounts find the results that they saw: a row for each fact of a target, with the latest result that shows it. Rows
// leave with the sighting of that result.
import { setImmediate as otherRequests } from 'node:timers/promises'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Condition, Facet } from '../facets.ts'
import type { Entry } from '../history.ts'
import type { Change, Database } from './database.ts'
import { since } from './retention.ts'
import { asciiJson, type Schema } from './schema.ts'

/** Where a list goes on: behind this row. */
export interface SearchPlace {
  readonly value: string
  readonly checked_at: number
  readonly target: string
}

export interface SearchQuery {
  readonly account: string
  /** Of one target all of them, though not of the same result. At least one. */
  readonly conditions: readonly Condition[]
  readonly after: SearchPlace | null
  readonly limit: number
}

export interface SearchPage {
  /** One of each target: the latest result that meets the first condition. Latest first; of a network, by address. */
  readonly results: readonly Entry[]
  /** Null at the end. A page that is not full may not be the last: few of many may meet all conditions. */
  readonly next: SearchPlace | null
}

export type Search = ReturnType<typeof createSearch>

export interface OthersCount {
  /** At most `MOST_OTHERS`. */
  readonly count: number
  /** Not all targets were looked at. */
  readonly more: boolean
}

export const MOST_OTHERS = 100

/**
 * Rows that are read at once, and for one page: few of them may meet the other conditions. SQLite reads in this process, for some 10 ms
 * a chunk, and other requests come in between.
 */
const CHUNK = 200
const SCAN = 4_000
/** Rows that are looked at for one count. */
const COUNT_ROWS = 300
/** Rows of one statement. */
const ROWS = 1_000

/** Which account saw which result. */
export interface SightingRow {
  readonly account: string
  readonly target: string
  readonly checked_at: number
  readonly id: string
}

/** As text is stored. */
const jsonText = (value: string): string => asciiJson(value).slice(1, -1)

type Row = SightingRow & Facet

const keyOf = ({ account, target, kind, value }: Row): string => `${account} ${target} ${kind} ${value}`

/** The latest row of each fact, in one order everywhere: two processes wait for each other and never deadlock. */
function latestInOrder(rows: readonly Row[]): readonly Row[] {
  const byTime = rows.toSorted((one, other) => one.checked_at - other.checked_at)
  const latest = new Map(byTime.map(row => [keyOf(row), row] as const))
  return [...latest].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

/** The rows of results that the accounts saw. */
export const rowsOf = (sightings: readonly SightingRow[], facets: readonly Facet[]): readonly Row[] =>
  sightings.flatMap(one => facets.map(({ kind, value }) => ({ ...one, kind, value: jsonText(value) })))

/** Writes rows of one result, at least one. Later results replace earlier ones. */
export const addFacets = (db: Kysely<Schema>, rows: readonly Row[]) => insert(db, latestInOrder(rows))

const insert = (db: Kysely<Schema>, orderedRows: readonly Row[]) =>
  db
    .insertInto('facets')
    .values([...orderedRows])
    .onConflict(oc =>
      oc
        .columns(['account', 'target', 'kind', 'value'])
        .doUpdateSet({ checked_at: sql`excluded.checked_at`, id: sql`excluded.id` })
        .where(sql<SqlBool>`excluded.checked_at >= facets.checked_at`),
    )

/** Writes the facts of many sightings. */
export async function addAllFacets(change: Change, rows: readonly Row[]): Promise<void> {
  const orderedRows = latestInOrder(rows)
  for (let at = 0; at < orderedRows.length; at += ROWS) await insert(change, orderedRows.slice(at, at + ROWS)).execute()
}

const meets = (row: 'f' | 'g', { kind, first, last }: Condition) => {
  const value = sql.ref(`${row}.value`)
  const isMet =
    first === last ? sql`${value} = ${jsonText(first)}` : sql`${value} BETWEEN ${jsonText(first)} AND ${jsonText(last)}`
  return sql<SqlBool>`${sql.ref(`${row}.kind`)} = ${kind} AND ${isMet}`
}

/** Whether the target of a row `f` meets these, too. */
const meetsAll = (conditions: readonly Condition[]) =>
  sql<SqlBool>`${sql.join(
    conditions.map(
      condition =>
        sql`EXISTS (SELECT 1 FROM facets AS g WHERE g.account = f.account AND g.target = f.target AND ${meets('g', condition)})`,
    ),
    sql` AND `,
  )}`

/** Of a network: whether no later row of the target is in it. */
const isLatest = ({ kind, first, last }: Condition) =>
  sql<SqlBool>`NOT EXISTS (SELECT 1 FROM facets AS g WHERE g.account = f.account AND g.target = f.target AND ${meets('g', { kind, first, last })}
    AND (g.checked_at, g.value) > (f.checked_at, f.value))`

/** The next targets that meet the first condition, each with whether it meets the rest. */
function chunkOf(
  read: Database['read'],
  oldest: number,
  account: string,
  [condition, ...rest]: readonly [Condition, ...Condition[]],
  after: SearchPlace | null,
  limit: number,
) {
  const isRange = condition.first !== condition.last
  return read
    .selectFrom('facets as f')
    .innerJoin('stored_results as r', 'r.id', 'f.id')
    .select(['f.value', 'f.target', 'f.checked_at', 'f.id as result_id', 'r.domain', 'r.ip', 'r.risk_score'])
    .select(['r.verdict', 'r.recommendation', 'r.complete'])
    .select(
      (rest.length === 0 ? sql<number>`1` : sql<number>`CASE WHEN ${meetsAll(rest)} THEN 1 ELSE 0 END`).as('meets'),
    )
    .where('f.account', '=', account)
    .where(meets('f', condition))
    .$if(after !== null, query =>
      query
        .where(
          sql<SqlBool>`(f.value, f.checked_at, f.target) < (${after?.value}, ${after?.checked_at}, ${after?.target})`,
        )
        // Where the index is entered.
        .where(isRange ? 'f.value' : 'f.checked_at', '<=', (isRange ? after?.value : after?.checked_at) ?? ''),
    )
    .where('f.checked_at', '>=', oldest)
    .$if(isRange, query => query.where(isLatest(condition)))
    .orderBy('f.value', 'desc')
    .orderBy('f.checked_at', 'desc')
    .orderBy('f.target', 'desc')
    .limit(limit)
    .$narrowType<{ risk_score: number; verdict: string; recommendation: string }>()
    .execute()
}

/** How many other targets meet all conditions, and whether there are targets that were not looked at. */
function countOf(
  read: Database['read'],
  oldest: number,
  account: string,
  target: string,
  [condition, ...rest]: readonly Condition[],
) {
  if (condition === undefined) return { count: sql<number>`0`, more: sql<number>`0` }
  const rowLimit = rest.length === 0 ? MOST_OTHERS : COUNT_ROWS
  const rows = read
    .selectFrom('facets as f')
    .select(['f.account', 'f.target'])
    .where('f.account', '=', account)
    .where(meets('f', condition))
    .where('f.target', '<>', target)
    .where('f.checked_at', '>=', oldest)
    .limit(rowLimit)
  const predicate = rest.length === 0 ? sql`1 = 1` : meetsAll(rest)
  const matchCount = sql`(SELECT count(*) FROM (SELECT 1 AS one FROM ${rows} AS f WHERE ${predicate} LIMIT ${sql.lit(MOST_OTHERS)}) AS met)`
  const rowCount = sql`(SELECT count(*) FROM ${rows} AS seen)`
  return {
    count: sql<number>`${matchCount}`,
    more: sql<number>`CASE WHEN ${rowCount} >= ${sql.lit(rowLimit)} THEN 1 ELSE 0 END`,
  }
}

export function createSearch({ read }: Database, options: { readonly life_ms: number; readonly now: () => number }) {
  const oldest = () => since(options.now(), options.life_ms)

  return {
    async search({ account, conditions, after, limit }: SearchQuery): Promise<SearchPage> {
      const [first, ...rest] = conditions
      if (first === undefined) throw new TypeError('a search has a condition')
      const results: Entry[] = []
      const size = rest.length === 0 ? limit + 1 : CHUNK
      let place = after
      for (let scannedRows = 0; scannedRows < SCAN; scannedRows += size) {
        const rows = await chunkOf(read, oldest(), account, [first, ...rest], place, size)
        for (const { value, meets: isMet, checked_at, complete, ...row } of rows) {
          if (isMet === 1 && results.length === limit) return { results, next: place }
          place = { value, checked_at, target: row.target }
          if (isMet !== 1) continue
          const time = `${new Date(checked_at).toISOString().slice(0, 19)}Z`
          results.push({ ...row, checked_at: time, complete: complete === 1, kept: true })
        }
        if (rows.length < size) return { results, next: null }
        await otherRequests()
      }
      return { results, next: place }
    },
    /** For each list of conditions, how many other targets meet it. */
    async others(
      account: string,
      target: string,
      of: readonly (readonly Condition[])[],
    ): Promise<readonly OthersCount[]> {
      if (of.length === 0) return []
      const columns = of.flatMap((conditions, at) => {
        const { count, more } = countOf(read, oldest(), account, target, conditions)
        return [count.as(`count${at}`), more.as(`more${at}`)]
      })
      const row: Readonly<Record<string, number>> = await read.selectNoFrom(columns).executeTakeFirstOrThrow()
      return of.map((_, at) => {
        const count = Number(row[`count${at}`])
        return { count, more: count === MOST_OTHERS || Number(row[`more${at}`]) === 1 }
      })
    },
  }
}
