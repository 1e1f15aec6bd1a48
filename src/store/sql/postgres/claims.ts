// Claims of all processes that share a PostgreSQL database. NOTIFY wakes waiting processes, on a connection of its own.
import { setTimeout as pause } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { connectionOptions, type PostgresPlace } from '../../../config/postgres_place.ts'
import {
  type Beside,
  type ClaimLimits,
  type ClaimRequest,
  type ClaimState,
  type Claims,
  noClaim,
  RENEWALS_PER_SWEEP,
  type ReportRow,
  readReport,
  type Step,
} from '../claims.ts'
import type { Database } from '../database.ts'
import { orStoreError } from '../faults.ts'
import { CHANNEL } from './claim_functions.ts'

/** Milliseconds between polls while notifications do not arrive, and between attempts to connect again. */
const POLL_MS = 50
const RECONNECT_MS = 250
/** Claims that ask at once: they wait for the locks of others, and must leave connections of the pool for answers. */
const AT_ONCE = 2

export interface PostgresClaimsOptions {
  readonly database: Pick<Database, 'read'>
  /** For notifications: a direct connection, or one of a pooler in session mode. */
  readonly place: PostgresPlace
  /** Of this process; random. */
  readonly owner: string
  readonly limits: ClaimLimits
  /** Replaces the clock of the server, in milliseconds. */
  readonly now?: () => number
}

export function createPostgresClaims({ database, place, owner, limits, now }: PostgresClaimsOptions): Claims {
  const { read } = database
  const { at_once, per_second } = limits
  const time = () => sql`${now?.() ?? null}::bigint`
  let renewals = 0
  let hear: (id: string, state: ClaimState) => void = () => {}
  const listener = createListener(place, payload => hear(...(payload.split(' ') as [string, ClaimState])))

  const inLine = createLine(AT_ONCE)
  const ask = async <Row>(statement: RawBuilder<Row>) => (await inLine(() => statement.execute(read))).rows[0] as Row
  const flag = (is: boolean | undefined) => (is ? 1 : 0)
  const advancing = (by: string, target: string, end?: { id: string; state: string }, id = '', key = '', lane = 0) =>
    sql`advance_turns(${by}, ${at_once}, ${per_second}, ${target}, ${end?.id ?? ''}, ${end?.state ?? ''}, ${id}, ${key}, ${lane}, ${time()})`

  const methods = orStoreError({
    async claim({ id, flight, target, key, background, fresh, beside, limits: own = limits }: ClaimRequest) {
      const call = (isFound: RawBuilder<unknown>) =>
        sql`claim_turn(${owner}, ${own.at_once}, ${own.per_second}, ${own.waiting}, ${own.key_at_once}, ${own.key_per_second},
          ${id}, ${flight}, ${target}, ${key}, ${flag(background)}, ${flag(fresh)}, ${isFound}, ${time()})`
      if (!beside) return readReport(await ask(sql<ReportRow>`SELECT * FROM ${call(sql`0`)}`), own)
      const row = await ask(sql<ReportRow & Beside>`SELECT b.*, c.* FROM (SELECT 1) AS one
        LEFT JOIN ${beside} AS b ON true LEFT JOIN LATERAL ${call(sql`b.found`)} AS c ON true`)
      return row.found === 1 ? noClaim(row) : readReport(row, own, row)
    },
    advance: async ({ target, end, withdraw }: Step) => {
      const call = advancing(owner, target, end, withdraw?.id, withdraw?.key, flag(withdraw?.background))
      return readReport(await ask(sql<ReportRow>`SELECT * FROM ${call}`), limits)
    },
    async renew(own: readonly string[], ids: readonly string[]) {
      const sweep = own.length > 0 && renewals++ % RENEWALS_PER_SWEEP === 0
      const { rows } = await sql<{ out_id: string; out_state: ClaimState }>`
        SELECT * FROM renew_claims(${own}::text[], ${ids}::text[], ${flag(sweep)}, ${time()})`.execute(read)
      return new Map(rows.map(row => [row.out_id, row.out_state]))
    },
  })

  return {
    ...methods,
    poll_ms: POLL_MS,
    get hears() {
      return listener.connected
    },
    listen(listener) {
      hear = listener
    },
    // The empty process name makes the statement notify this process too, which does not read the report.
    ending: (target, id) => sql`(SELECT count(*) FROM ${advancing('', target, { id, state: 'kept' })})`,
    close: () => listener.close(),
  }
}

/** Runs at most `most` at once, and the others in the order of their calls. */
function createLine(most: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < most) running += 1
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

/** A connection that listens, and reconnects whenever it ends. */
function createListener(place: PostgresPlace, onPayload: (payload: string) => void) {
  let client: pg.Client | null = null
  let isConnected = false
  const closing = new AbortController()

  async function connect(): Promise<void> {
    const own = new pg.Client(connectionOptions(place))
    client = own
    const connectionEnd = new Promise<void>(resolve => {
      own.once('end', resolve)
      own.on('error', () => resolve())
    })
    own.on('notification', ({ payload = '' }) => onPayload(payload))
    try {
      await own.connect()
      await own.query(`LISTEN ${CHANNEL}`)
      isConnected = true
      await connectionEnd
    } finally {
      isConnected = false
      await own.end().catch(() => {})
    }
  }

  async function keepConnected(): Promise<void> {
    while (!closing.signal.aborted) {
      await connect().catch(() => {})
      await pause(RECONNECT_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }
  const over = keepConnected()

  return {
    get connected() {
      return isConnected
    },
    async close() {
      closing.abort()
      await client?.end().catch(() => {})
      await over
    },
  }
}
