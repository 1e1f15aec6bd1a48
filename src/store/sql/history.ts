// The history as it is read: the results that accounts saw, the links that show them to others, and when targets were first checked.
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { sql } from 'kysely'
import {
  type Entry,
  EVERYONE,
  type FirstMeeting,
  type HistoryLimits,
  historyTarget,
  type KeptPicture,
  type ListQuery,
  MOST_SHARES,
  type OwnedShare,
  type Share,
  shareId,
} from '../history.ts'
import { finishBody } from '../result_body.ts'
import type { Database } from './database.ts'
import { createSearch, type Search } from './facets.ts'
import { validAt } from './keys.ts'
import { addTo, since } from './retention.ts'
import { meetingIn, metQuery } from './targets.ts'

/** All methods reject when the store fails: a history that cannot be read must not look empty. */
export interface KeptHistory extends Search {
  /** The result as JSON if this account may read it and it is still kept. */
  read(account: string, id: string): Promise<Buffer | null>
  /** A picture of that result; null when there is none. */
  picture(account: string, id: string, kind: string): Promise<KeptPicture | null>
  /** Removes all pictures of a result that this account saw. How many there were. */
  dropPictures(account: string, id: string): Promise<number>
  /** Latest first. */
  list(query: ListQuery): Promise<readonly Entry[]>
  /** Null when this account has no such result, `limit` when it has `MOST_SHARES` already. */
  share(account: string, resultId: string, tokenHash: string): Promise<Share | 'limit' | null>
  /** Links that work, of all accounts and results unless named, the oldest first. */
  shares(of: { readonly account?: string; readonly result_id?: string }): Promise<readonly OwnedShare[]>
  /** Ends one link, or all of an account. How many there were. */
  unshare(of: ShareSelector): Promise<number>
  /** The account and the result behind a link, which works as long as its account has a valid key. */
  shared(tokenHash: string): Promise<{ readonly account: string; readonly result_id: string } | null>
  /** When a name or address was first checked here, by any account. */
  firstSeen(target: string): Promise<FirstMeeting>
}

/** Never every link: one of the two is named. */
type ShareSelector =
  | { readonly account: string; readonly id?: string | undefined }
  | { readonly account?: string | undefined; readonly id: string }

/** How long results and targets are kept: older ones may not be removed yet. */
export interface KeptHistoryOptions extends Pick<HistoryLimits, 'life_ms' | 'met_ms' | 'searched'> {
  readonly now: () => number
}

/** Largest decompressed result: far above any real one, so that a damaged row costs no memory. */
const RESULT_OCTETS = 4 * 1024 * 1024

const unpack = promisify(inflate)

/** Bodies of releases before the members of a result were stored began with it. */
const BRACE = '{'.charCodeAt(0)

/** The prepared body in a row. Rejects when it is damaged. */
export async function preparedBody(body: Buffer): Promise<Buffer> {
  const bytes = await unpack(body, { maxOutputLength: RESULT_OCTETS })
  if (bytes[0] === BRACE) throw new Error('the stored result is of another version')
  return bytes
}

export const createKeptHistory = (database: Database, options: KeptHistoryOptions): KeptHistory => ({
  ...createSearch(database, options),
  ...resultMethods(database, options),
  ...pictureMethods(database, options),
  ...linkMethods(database, options),
})

/** The check time from which on results are shown. */
const oldest = ({ life_ms, now }: KeptHistoryOptions): number => since(now(), life_ms)

/** The accounts that an account may read results of. */
const readers = (account: string, { searched }: KeptHistoryOptions): readonly string[] =>
  searched === 'installation' ? [account, EVERYONE] : [account]

/** A result that one of these accounts saw. */
const sightingOf = ({ read }: Database, accounts: readonly string[], id: string, options: KeptHistoryOptions) =>
  read
    .selectFrom('sightings as s')
    .innerJoin('stored_results as r', 'r.id', 's.id')
    .select('r.body')
    .where('s.id', '=', id)
    .where('s.account', 'in', accounts)
    .where('r.checked_at', '>=', oldest(options))

function resultMethods(
  database: Database,
  options: KeptHistoryOptions,
): Pick<KeptHistory, 'read' | 'list' | 'firstSeen'> {
  const { read } = database
  const { met_ms, now } = options
  return {
    async read(account, id) {
      const row = await sightingOf(database, readers(account, options), id, options).executeTakeFirst()
      return row?.body == null ? null : Buffer.from(finishBody(await preparedBody(row.body), 0, true), 'latin1')
    },
    async list({ account, target, before, after, limit }) {
      const rows = await read
        .selectFrom('sightings as s')
        .innerJoin('stored_results as r', 'r.id', 's.id')
        .select(['s.id as result_id', 's.target', 'r.domain', 'r.ip', 's.checked_at', 'r.risk_score', 'r.verdict'])
        .select(['r.recommendation', 'r.complete', sql<number>`CASE WHEN r.body IS NULL THEN 0 ELSE 1 END`.as('kept')])
        .where('s.account', '=', account)
        .where(sql<boolean>`(s.checked_at, s.id) < (${before}, ${after ?? ''})`)
        .where('s.checked_at', '>=', oldest(options))
        .$if(target !== null, query => query.where('s.target', '=', target))
        .orderBy('s.checked_at', 'desc')
        .orderBy('s.id', 'desc')
        .limit(limit)
        .$narrowType<{ risk_score: number; verdict: string; recommendation: string }>()
        .execute()
      return rows.map(
        ({ checked_at, complete, kept, ...row }): Entry => ({
          ...row,
          checked_at: `${new Date(checked_at).toISOString().slice(0, 19)}Z`,
          complete: complete === 1,
          kept: kept === 1,
        }),
      )
    },
    async firstSeen(target) {
      const at = now()
      return meetingIn(await metQuery(database, target, at, met_ms).executeTakeFirstOrThrow(), at, met_ms)
    },
  }
}

function pictureMethods(
  { dialect, read, transaction }: Database,
  options: KeptHistoryOptions,
): Pick<KeptHistory, 'picture' | 'dropPictures'> {
  return {
    async picture(account, id, kind) {
      const row = await read
        .selectFrom('pictures as p')
        .innerJoin('sightings as s', 's.id', 'p.result_id')
        .innerJoin('stored_results as r', 'r.id', 'p.result_id')
        .select(['p.kind', 'p.media_type', 'p.body'])
        .where('p.result_id', '=', id)
        .where('p.kind', '=', kind)
        .where('s.account', 'in', readers(account, options))
        .where('r.checked_at', '>=', oldest(options))
        .executeTakeFirst()
      return row ?? null
    },
    async dropPictures(account, id) {
      return transaction(async change => {
        // The sweep locks results before their pictures, too: in the other order, the two could deadlock.
        if (dialect === 'postgres')
          await change.selectFrom('stored_results').select('id').where('id', '=', id).forUpdate().execute()
        const seenBy = change.selectFrom('sightings').select('id').where('account', '=', account).where('id', '=', id)
        const removedPictures = await change
          .deleteFrom('pictures')
          .where('result_id', '=', id)
          .where(eb => eb.exists(seenBy))
          .returning('body')
          .execute()
        const octets = removedPictures.reduce((sum, { body }) => sum + body.length, 0)
        if (octets === 0) return 0
        const less = { octets: sql<number>`octets - ${octets}` }
        await change.updateTable('stored_results').set(less).where('id', '=', id).execute()
        await addTo(change, 'kept_octets', -octets).execute()
        return removedPictures.length
      })
    },
  }
}

/** The links that show results to others. */
function linkMethods(
  database: Database,
  options: KeptHistoryOptions,
): Pick<KeptHistory, 'share' | 'shares' | 'unshare' | 'shared'> {
  const { dialect, read, transaction } = database
  const { now } = options
  const links = () =>
    read
      .selectFrom('shares')
      .innerJoin('stored_results as r', 'r.id', 'shares.result_id')
      .where('r.checked_at', '>=', oldest(options))
      .where(eb =>
        eb.exists(
          eb.selectFrom('keys').select('keys.id').whereRef('keys.account', '=', 'shares.account').where(validAt(now())),
        ),
      )

  return {
    async share(account, resultId, tokenHash) {
      return transaction(async change => {
        // Two at once would both find room for the last one.
        if (dialect === 'postgres')
          await sql`SELECT pg_advisory_xact_lock(hashtextextended(${account}, 0))`.execute(change)
        if ((await sightingOf(database, [account], resultId, options).executeTakeFirst()) === undefined) return null
        const of = change.selectFrom('shares').where('account', '=', account)
        const { count } = await of.select(eb => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
        if (count >= MOST_SHARES) return 'limit'
        const share = { id: shareId(tokenHash), result_id: resultId, created: now() }
        await change
          .insertInto('shares')
          .values({ ...share, token_hash: tokenHash, account })
          .execute()
        return share
      })
    },
    async shares({ account, result_id }) {
      const rows = await links()
        .select(['shares.id', 'shares.account', 'shares.result_id', 'shares.created', 'r.domain', 'r.ip'])
        .$if(account !== undefined, query => query.where('shares.account', '=', account ?? ''))
        .$if(result_id !== undefined, query => query.where('shares.result_id', '=', result_id ?? ''))
        .orderBy('shares.created')
        .orderBy('shares.id')
        .execute()
      return rows.map(({ domain, ip, ...row }) => ({ ...row, target: historyTarget({ domain, ip }) }))
    },
    async unshare({ account, id }) {
      const { numDeletedRows } = await transaction(change =>
        change
          .deleteFrom('shares')
          .$if(account !== undefined, query => query.where('account', '=', account ?? ''))
          .$if(id !== undefined, query => query.where('id', '=', id ?? ''))
          .executeTakeFirstOrThrow(),
      )
      return Number(numDeletedRows)
    },
    async shared(tokenHash) {
      const row = await links()
        .select(['shares.account', 'shares.result_id'])
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      return row ?? null
    },
  }
}
