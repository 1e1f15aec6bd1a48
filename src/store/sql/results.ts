// Kept results. The cache that all processes share and the history of answers are the same rows. Each process also has recent
// results in memory. A row is written once, with everything that belongs to it, before its result is answered.
import { createHash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import type { ResultClass } from '../../engine/completeness.ts'
import { type Facet, facetsOf } from '../facets.ts'
import {
  EVERYONE,
  type FirstMeeting,
  type HistoryLimits,
  type KeptPicture,
  type Meeting,
  type SearchScope,
  type Summary,
} from '../history.ts'
import { resultIdOf } from '../result_body.ts'
import { type CachedResult, classRanks, type LocalResultCache } from '../result_cache.ts'
import type { MaybeAsync, StoreEvent } from '../store.ts'
import type { Beside } from './claims.ts'
import type { Database } from './database.ts'
import { addFacets, rowsOf, type SightingRow } from './facets.ts'
import { orStoreError, storeErrorOf } from './faults.ts'
import { createKeptHistory, type KeptHistory, preparedBody } from './history.ts'
import { addTo, createSweep, TARGETS_SINCE, writersSlot } from './retention.ts'
import { asciiJson, type Schema } from './schema.ts'
import { createSightings, type Sightings } from './sightings.ts'
import { type MetRow, meetingIn, metQuery, recording, type Statement } from './targets.ts'

export interface ResultsOptions {
  /** The results in the memory of this process. */
  readonly local: LocalResultCache
  /** How long a complete result may stand in while the service cannot check targets, in milliseconds. */
  readonly stale_ms: number
  /** Null when this installation keeps no results: then all are cache only, and no target is put on record. */
  readonly history: HistoryLimits | null
  /** Most bytes of compressed results that are cache only, in the store. */
  readonly cache_octets: number
  /** Wall clock, in milliseconds. */
  readonly now: () => number
  readonly event: StoreEvent
}

/** What a signal added to the score. */
export interface StoredSignal {
  readonly id: string
  readonly group: string
  readonly points: number
}

/** What is kept of a result besides its bytes, which begin with its id. */
export interface KeptResult extends Summary {
  readonly signals: readonly StoredSignal[]
  /** What it can be found by. */
  readonly facets: readonly Facet[]
}

export interface Put {
  /** By default the lifetime of the class. */
  readonly life_ms?: number
  /** Null when the result is cache only: its bytes then begin with the id `null`. */
  readonly kept: KeptResult | null
  /** Pictures of its page. */
  readonly pictures?: readonly KeptPicture[]
  /** The check to put on record: by default the check of `kept`. */
  readonly met?: Meeting | null
  /** Who sees it first. */
  readonly account?: string | null
  /** Makes an expression that ends the claim of the check when the result is stored, where PostgreSQL stores it; called once then. */
  readonly claim?: () => RawBuilder<unknown> | null
}

/** A row that is read with a claim, in the same round trip. */
interface ResultRow extends Beside, MetRow {
  readonly class: string | null
  readonly checked_at: number | null
  readonly expires_at: number | null
  readonly body: Buffer | null
}

/** What the store knows of a check before it starts. */
export interface Lookup {
  readonly query: Expression<Beside>
  /** The result to serve without a check; null when there is none, or it is damaged. */
  result(row: Beside): Promise<CachedResult | null>
  /** When the target was first checked here; null when this installation keeps no record. */
  met(row: Beside): FirstMeeting | null
}

/** Methods that read the database reject with a StoreError, `store_unavailable` when it is unavailable. Memory still answers. */
export interface Results extends KeptHistory, Omit<Sightings, 'wrote'> {
  /** The result to serve now, or null: from memory at once, else from the store. */
  get(key: string): MaybeAsync<CachedResult | null>
  /** The same from the memory of this process alone. */
  peek(key: string): CachedResult | null
  /** For `Claims.claim`: the result to serve for this key, unless `fresh`, and when `target` was first checked. */
  lookup(key: string, target: string, fresh: boolean): Lookup
  /** The last complete result, even after its lifetime. Null when the name was not found since. */
  getStale(key: string): Promise<CachedResult | null>
  /**
   * Writes the row, its first sighting and its target in one transaction, on PostgreSQL in one round trip. When it rejects, the
   * result is nowhere, unless the reply of the commit was lost.
   */
  put(key: string, bytes: Buffer, resultClass: ResultClass, put: Put): Promise<void>
  /** As `LocalResultCache`. */
  lifetime(resultClass: ResultClass): number
  /** Bytes held in memory. */
  readonly size: number
  /** Whose results accounts may search. */
  readonly searched: SearchScope
  /** Puts checks without stored results on record. */
  meet(meetings: readonly Meeting[]): Promise<void>
  /** Hides the URLs of links; the same in all processes. */
  urlSecret(): Buffer
  /** Removes results that are too old or too many, in steps. Runs every minute by itself. */
  sweep(): Promise<void>
  /** Writes all queued rows. The database stays open. */
  close(): Promise<void>
}

/** The result of a check as `put` takes it. Text of the target is in the result's own ASCII form. */
export function keptOf(result: Readonly<Record<string, unknown>>): KeptResult {
  const { domain, ip, checked_at, risk_score, verdict, recommendation, coverage, signal_details } =
    result as unknown as Omit<Summary, 'target' | 'complete'> & {
      readonly coverage: { readonly complete: boolean }
      readonly signal_details: readonly StoredSignal[]
    }
  return {
    target: domain ?? ip ?? '',
    domain,
    ip,
    checked_at,
    risk_score,
    verdict,
    recommendation,
    complete: coverage.complete,
    signals: signal_details.map(({ id, group, points }) => ({ id, group, points })),
    facets: facetsOf(result),
  }
}

const SECRET_OCTETS = 32
/** Milliseconds between two sweeps. */
const SWEEP_MS = 60_000

const compress = promisify(deflate)

const nameOf = (key: string): string => createHash('sha256').update(key).digest('base64url')
const rank = sql<number>`CASE class ${sql.join(
  Object.entries(classRanks).map(([name, rank]) => sql`WHEN ${sql.lit(name)} THEN ${sql.lit(rank)}`),
  sql` `,
)} END`
/** Those that decide whether an earlier complete result may stand in. */
const LASTING: readonly string[] = ['complete', 'not_found'] satisfies ResultClass[]

/** Rejects with a StoreError. */
export async function createResults(database: Database, options: ResultsOptions): Promise<Results> {
  const { local, history, cache_octets, now, event } = options
  const limits = history ?? { life_ms: 0, octets: 0, met_ms: 0, targets: 0 }
  const [secret] = await Promise.all([
    settingOf(database, 'url_secret', randomBytes(SECRET_OCTETS).toString('base64url')),
    settingOf(database, TARGETS_SINCE, `${now()}`),
  ]).catch(error => Promise.reject(storeErrorOf(error)))
  const urlSecret = Buffer.from(secret, 'base64url')

  const sightings = createSightings(database, event)
  const rows = new ResultRows(database, options, limits.met_ms, sightings)
  const clean = createSweep(database, { ...limits, cache_octets, now })
  let cleaning: Promise<void> | undefined
  const sweep = (): Promise<void> => {
    cleaning ??= clean()
      .catch(error => event('warn', { store: 'retention-failed', detail: detailOf(error) }))
      .finally(() => {
        cleaning = undefined
      })
    return cleaning
  }
  const sweeping = setInterval(sweep, SWEEP_MS).unref()

  return {
    ...orStoreError({
      ...createKeptHistory(database, { ...limits, now }),
      getStale: (key: string) => rows.getStale(key),
      put: (...all: Parameters<Results['put']>) => rows.put(...all),
    }),
    ...orStoreError({
      async meet(meetings: readonly Meeting[]) {
        if (history === null || meetings.length === 0) return
        await together(database, recording(database, meetings, writersSlot()))
      },
    }),
    get: key => local.get(key) ?? rows.fetch(key).catch(error => Promise.reject(storeErrorOf(error))),
    searched: history?.searched ?? 'account',
    peek: local.get,
    lookup: (key, target, fresh) => rows.lookup(key, target, fresh),
    lifetime: local.lifetime,
    get size() {
      return local.size
    },
    note: sightings.note,
    get dropped() {
      return sightings.dropped
    },
    written: sightings.written,
    urlSecret: () => urlSecret,
    sweep,
    async close() {
      clearInterval(sweeping)
      await sightings.written()
      await cleaning
    },
  }
}

/** The rows of results: read, and written with all that belongs to them. */
class ResultRows {
  readonly #database: Database
  readonly #options: ResultsOptions
  readonly #metMs: number
  readonly #sightings: ReturnType<typeof createSightings>

  constructor(
    database: Database,
    options: ResultsOptions,
    metMs: number,
    sightings: ReturnType<typeof createSightings>,
  ) {
    this.#database = database
    this.#options = options
    this.#metMs = metMs
    this.#sightings = sightings
  }

  /** Rows that decide what is served now. One that would outlive all others was written by a wrong clock. */
  #useful(key: string, until: 'expires_at' | 'useful_until', longestMs: number) {
    return this.#database.read
      .selectFrom('stored_results')
      .select(['class', 'checked_at', 'expires_at', 'body'])
      .where('cache_key', '=', nameOf(key))
      .where('useful_until', '>', this.#options.now())
      .where(until, '>', this.#options.now())
      .where(until, '<=', this.#options.now() + Math.ceil(longestMs))
  }

  #servable(key: string) {
    return this.#useful(key, 'expires_at', this.#options.local.longest_ms)
      .where('class', 'in', Object.keys(classRanks))
      .where('body', 'is not', null)
      .orderBy(rank, 'desc')
      .orderBy('place', 'desc')
      .limit(1)
  }

  async #remembered(key: string, row: Partial<ResultRow> | undefined): Promise<CachedResult | null> {
    const { expires_at, checked_at } = row ?? {}
    const result = await this.#unpacked(row)
    if (result === null || expires_at == null || checked_at == null) return null
    this.#options.local.put(
      key,
      result.bytes,
      result.class,
      expires_at - this.#options.now(),
      Math.max(0, this.#options.now() - checked_at),
    )
    return result
  }

  async fetch(key: string) {
    return this.#remembered(key, await this.#servable(key).executeTakeFirst())
  }

  lookup(key: string, target: string, fresh: boolean): Lookup {
    const at = this.#options.now()
    const servableRows = fresh ? this.#servable(key).where(sql<boolean>`1 = 0`) : this.#servable(key)
    // One row, whatever is kept.
    const query = sql<ResultRow>`(SELECT CASE WHEN kept.body IS NULL THEN 0 ELSE 1 END AS found, kept.*, met.*
FROM ${metQuery(this.#database, target, at, this.#metMs)} AS met LEFT JOIN ${servableRows} AS kept ON 1 = 1)`
    return {
      query,
      result: row => this.#remembered(key, row as ResultRow),
      met: row => (this.#options.history === null ? null : meetingIn(row as ResultRow, at, this.#metMs)),
    }
  }

  async #unpacked(row: Partial<Pick<ResultRow, 'class' | 'body'>> | undefined): Promise<CachedResult | null> {
    if (row?.body == null) return null
    try {
      return { bytes: await preparedBody(row.body), class: row.class as ResultClass }
    } catch {
      this.#options.event('warn', { store: 'result-damaged' })
      return null
    }
  }

  async getStale(key: string): Promise<CachedResult | null> {
    const standing = this.#options.local.getStale(key)
    if (standing !== null) return standing
    const row = await this.#useful(
      key,
      'useful_until',
      Math.max(this.#options.local.longest_ms, this.#options.stale_ms),
    )
      .where('class', 'in', LASTING)
      .orderBy('place', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.class === 'complete' ? this.#unpacked(row) : null
  }

  async put(key: string, bytes: Buffer, resultClass: ResultClass, details: Put): Promise<void> {
    const { account = null, claim, life_ms = this.#options.local.lifetime(resultClass) } = details
    const keptResult = this.#options.history === null ? null : details.kept
    const meeting = details.met === undefined && keptResult !== null ? meetingOf(keptResult) : (details.met ?? null)
    const body = await compress(bytes)
    const expiresAt = Math.round(this.#options.now() + life_ms)
    const usefulUntil = LASTING.includes(resultClass)
      ? Math.round(this.#options.now() + Math.max(life_ms, this.#options.stale_ms))
      : expiresAt
    const pictures = keptResult === null ? [] : (details.pictures ?? [])
    const everyone = this.#options.history?.searched === 'installation' ? [EVERYONE] : []
    const accounts = account === null ? everyone : [account, ...everyone]
    const columns = keptResult === null ? { ...NOTHING, checked_at: this.#options.now() } : columnsOf(keptResult, bytes)
    const pictureOctets = pictures.reduce((sum, picture) => sum + picture.body.length, 0)
    const octets = body.length + pictureOctets + factsOctets(columns.facets, accounts.length)
    const cacheRow = {
      cache_key: nameOf(key),
      class: resultClass,
      expires_at: expiresAt,
      useful_until: usefulUntil,
      octets,
      body,
    }
    const row = { ...cacheRow, ...columns }
    const slot = writersSlot()
    const sum = keptResult === null ? 'cache_octets' : 'kept_octets'
    const parts: Record<string, Statement> = {
      stored: this.#database.read.insertInto('stored_results').values(row),
      weighed: addTo(this.#database.read, sum, octets, slot),
    }
    if (keptResult !== null && row.id !== null && row.target !== null) {
      const { id, target, checked_at } = row
      const sightings = accounts.map(one => ({ account: one, target, checked_at, id }))
      Object.assign(parts, belonging(this.#database.read, id, { sightings, facets: keptResult.facets, pictures }))
    }
    if (this.#options.history !== null && meeting !== null)
      Object.assign(parts, recording(this.#database, [meeting], slot))
    await together(this.#database, parts, claim?.() ?? null)
    if (account !== null && row.id !== null) this.#sightings.wrote(account, row.id)
    this.#options.local.put(key, bytes, resultClass, life_ms)
  }
}

const detailOf = (error: unknown): string => storeErrorOf(error).message.slice(0, 200)

const meetingOf = ({ target, checked_at }: KeptResult): Meeting => ({ target, at: Date.parse(checked_at) })

/** What a row that is cache only tells. */
const NOTHING = {
  id: null,
  target: null,
  domain: null,
  ip: null,
  risk_score: null,
  verdict: null,
  recommendation: null,
  complete: null,
  signals: null,
  facets: null,
}

function columnsOf({ checked_at, complete, signals, facets, ...row }: KeptResult, bytes: Buffer) {
  const id = resultIdOf(bytes)
  if (id === null) throw new TypeError('a result that is kept begins with its id')
  const columns = { checked_at: Date.parse(checked_at), complete: Number(complete), signals: asciiJson(signals) }
  const foundBy = facets.length === 0 ? null : asciiJson(facets)
  return { ...row, ...columns, facets: foundBy, id }
}

/**
 * Of the facts that a result is found by: beside it, and in rows for each account that sees it first. Rows are a key and an index with
 * the names of account and target. A later result of the target takes them over, and accounts that see a result later add theirs.
 */
const factsOctets = (facets: string | null, accounts: number): number =>
  (facets?.length ?? 0) * (1 + ROW_SHARE * accounts)

/** Bytes of the rows for each byte of the facts as JSON. */
const ROW_SHARE = 3

/** Statements that write what belongs to a kept result: one for each table. */
function belonging(
  read: Database['read'],
  resultId: string,
  of: {
    readonly sightings: readonly SightingRow[]
    readonly facets: readonly Facet[]
    readonly pictures: readonly KeptPicture[]
  },
): Record<string, Statement> {
  const { sightings, pictures } = of
  const rows = rowsOf(sightings, of.facets)
  const pictureRows = pictures.map(picture => ({ result_id: resultId, ...picture }))
  return {
    ...(pictureRows.length > 0 && { pictured: read.insertInto('pictures').values(pictureRows) }),
    ...(sightings.length > 0 && { sighted: read.insertInto('sightings').values([...sightings]) }),
    ...(rows.length > 0 && { found_by: addFacets(read, rows) }),
  }
}

/**
 * Runs statements in one transaction; on PostgreSQL they are one statement, which evaluates `ending`, too. There they see each
 * other's results by name alone.
 */
async function together(
  { dialect, read, transaction }: Database,
  parts: Readonly<Record<string, Statement>>,
  ending: RawBuilder<unknown> | null = null,
): Promise<void> {
  if (dialect === 'sqlite') {
    await transaction(async change => {
      for (const part of Object.values(parts)) await change.executeQuery(part.compile(change))
    })
    return
  }
  const namedParts = Object.entries(parts).map(([name, part]) => sql`${sql.ref(name)} AS (${part})`)
  await sql`WITH ${sql.join(namedParts)} SELECT ${ending ?? sql`1`}`.execute(read)
}

/** The value that the first process has stored. */
async function settingOf({ read, transaction }: Database, name: string, value: string): Promise<string> {
  const settingIn = (db: Kysely<Schema>) => db.selectFrom('settings').select('value').where('name', '=', name)
  const row = await settingIn(read).executeTakeFirst()
  if (row !== undefined) return row.value
  return transaction(async change => {
    await change
      .insertInto('settings')
      .values({ name, value })
      .onConflict(oc => oc.doNothing())
      .execute()
    return (await settingIn(change).executeTakeFirstOrThrow()).value
  })
}
