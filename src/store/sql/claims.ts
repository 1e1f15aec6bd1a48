// Who runs an uncached check: one table of claims holds for all processes that share a store. A claim leads its flight, waits for a
// slot at its target, follows another claim, or is refused. All that decides is in the statements below, which are the same text
// for SQLite and PostgreSQL; each runs them in one transaction, and PostgreSQL in one round trip. Rows may be lost at any time: a
// lost one costs one more check.
import type { Expression, RawBuilder } from 'kysely'

/** Milliseconds that a claim lasts unless it is renewed, and between renewals: how long others wait for a process that died. */
export const LEASE_MS = 2_000
export const RENEWAL_MS = 500
/** The longest lease that is taken for one: renewals of others may be newer than the clock of a transaction, which is read once. */
const LONGEST_MS = 2 * LEASE_MS
const SECOND_MS = 1_000
/**
 * Milliseconds that a key is remembered at a target: longer than any check takes. During that time the last slot is not given to a
 * key that already holds one: slow checks of one key would keep all others waiting.
 */
export const REMEMBERED_MS = 10_000
/** Highest Retry-After, in seconds: checks take less. */
const RETRY_AFTER_MAX = 30

/** Seconds that a claim may wait for its target. */
const WAITING_S = 3
/** Most claims that may wait at one target, whatever its limits. */
const WAITING_MAX = 1_000

/** Claims that may wait at a target: as many as can start within one wait, because more would wait in vain. */
export const mostWaiting = (perSecond: number): number =>
  Math.min(WAITING_MAX, Math.max(1, Math.floor(perSecond * WAITING_S)))

export interface ClaimLimits {
  /** Concurrent checks of one target, and checks per second. */
  readonly at_once: number
  readonly per_second: number
  /** Claims that may wait at one target. */
  readonly waiting: number
  /** Concurrent checks of one key, including waiting ones; and checks per second, including refused ones. */
  readonly key_at_once: number
  readonly key_per_second: number
}

export interface ClaimRequest {
  /** Random, for this attempt alone. */
  readonly id: string
  /** What is checked: two claims of one flight share a run. Hashed, because targets of links are private. */
  readonly flight: string
  /** The registrable domain or address. All claims of a flight have the same. */
  readonly target: string
  /** What the limits count under. */
  readonly key: string
  /** Nobody waits for it: all others come first. */
  readonly background: boolean
  /** Does not follow a run that has ended. */
  readonly fresh: boolean
  /**
   * A query of the store that is read with the claim, of one row at most. When its column `found` is 1, nothing is claimed: that row is
   * the result.
   */
  readonly beside?: Expression<Beside> | null
  /** Limits that replace the limits of checks. */
  readonly limits?: ClaimLimits
}

export interface Beside {
  readonly found: number | null
}

/** `kept` and `ended` are runs that ended with and without a stored result; `busy` and `overloaded` are refused claims. */
export type ClaimState = 'waiting' | 'running' | 'kept' | 'ended' | 'busy' | 'overloaded'

export interface ClaimAdvance {
  /** The state of the claim that was asked for; null when there is none. */
  readonly state: ClaimState | null
  /** Milliseconds after which a waiting claim should ask again if it gets no notification. */
  readonly wait_ms: number
  /** Estimated seconds until a check of this key could get its turn. */
  readonly retry_after: number
  /** What this process's claims at the target have become. */
  readonly changes: readonly (readonly [id: string, state: ClaimState])[]
}

export interface ClaimAnswer extends ClaimAdvance {
  /** The claim to follow; null when this one was recorded, or was refused because its key exceeds its rate. */
  readonly leader: string | null
  /** The row of the query beside it; null when there is none. */
  readonly beside: Beside | null
}

export interface Step {
  readonly target: string
  /** A claim of this process that ends, with or without a stored result. */
  readonly end?: { readonly id: string; readonly state: 'kept' | 'ended' }
  /** A claim of this process that is refused unless it has its turn by now. */
  readonly withdraw?: { readonly id: string; readonly key: string; readonly background: boolean }
}

/** All methods reject with a StoreError `store_unavailable` when the database is unavailable. */
export interface Claims {
  /** Milliseconds between polls of claims that wait while `hears` is false. */
  readonly poll_ms: number
  /** Whether changes of this process's claims, and the ends of those that it follows, reach `listen` by themselves. */
  readonly hears: boolean
  listen(hear: (id: string, state: ClaimState) => void): void
  claim(request: ClaimRequest): Promise<ClaimAnswer>
  /** Ends or withdraws a claim, and gives the free slots of the target to the next claims in the queue. */
  advance(step: Step): Promise<ClaimAdvance>
  /** Renews these claims of this process, and resolves with the states of all ids that are known and have not expired. */
  renew(own: readonly string[], ids: readonly string[]): Promise<ReadonlyMap<string, ClaimState>>
  /** An expression that ends the claim when its statement on the same database commits; null if the claims are in another database. */
  ending(target: string, id: string): RawBuilder<unknown> | null
  close(): Promise<void>
}

export const claimsTable = (text: string, whole: string, table: string, unloggedKeyword: string): readonly string[] => [
  `CREATE ${unloggedKeyword} TABLE claims (
  id ${text} PRIMARY KEY, owner ${text} NOT NULL, flight ${text} NOT NULL, target ${text} NOT NULL, key ${text} NOT NULL,
  background ${whole} NOT NULL, state ${text} NOT NULL, followed ${whole} NOT NULL, ordinal ${whole} NOT NULL,
  asked ${whole} NOT NULL, began ${whole}, ended ${whole}, expires_at ${whole} NOT NULL
) ${table}`,
  'CREATE INDEX claims_target ON claims (target)',
  'CREATE INDEX claims_flight ON claims (flight)',
  'CREATE INDEX claims_key ON claims (key, asked)',
]

// A lease that is too long, or a start in the future, dates from before the clock was set back.
const isLive = (row: string) =>
  `${row}.ended IS NULL AND ${row}.expires_at > :in_now AND ${row}.expires_at <= :in_now + ${LONGEST_MS}`
const withinSecond = (column: string) => `${column} > :in_now - ${SECOND_MS} AND ${column} <= :in_now`

/** `here`: the claims at the target, with the state they count as. `keys`: the keys with claims at the target. */
const HERE = `WITH here AS (
  SELECT id, owner, key, background, ordinal, asked, began, ended, expires_at,
    CASE WHEN ${isLive('claims')} THEN state WHEN ended = :in_now THEN state ELSE 'ended' END AS state
  FROM claims WHERE target = :in_target
)`
/**
 * \`turn\` orders keys that hold equally many slots: when the key had its last turn, or else when it began to wait. Claims and turns
 * at a target are numbered together, because clocks are too coarse.
 */
const KEYS = `keys AS (
  SELECT key, count(*) FILTER (WHERE state = 'running') AS held, count(*) FILTER (WHERE state = 'waiting') AS waiting,
    coalesce(max(CASE WHEN began IS NOT NULL THEN ordinal END), min(CASE WHEN state = 'waiting' THEN ordinal END)) AS turn
  FROM here GROUP BY key
)`
const RUNNING = "(SELECT count(*) FROM here r WHERE r.state = 'running')"
const WAITING = "(SELECT count(*) FROM here w WHERE w.state = 'waiting')"
const BEGUN_COUNT = `(SELECT count(*) FROM here b WHERE ${withinSecond('b.began')})`
const NEXT = '(SELECT coalesce(max(o.ordinal), 0) + 1 FROM here o)'

/** Another claim that leads the flight or waits to, or a run that ended after the caller looked for its result. */
const LEADER = `(SELECT l.id FROM claims l
  WHERE l.flight = :in_flight AND l.id <> :in_id
    AND (${isLive('l')} OR (:in_fresh = 0 AND l.state = 'kept' AND l.ended > :in_now - ${REMEMBERED_MS} AND l.ended <= :in_now))
  ORDER BY l.ordinal DESC LIMIT 1)`
const KEY_LIVE = `(SELECT count(*) FROM claims k WHERE k.key = :in_key AND k.asked <= :in_now AND ${isLive('k')})`
const KEY_ASKED = `(SELECT count(*) FROM claims k WHERE k.key = :in_key AND ${withinSecond('k.asked')})`
const MAY_ASK = `${LEADER} IS NULL AND ${KEY_ASKED} < :in_key_per_second`

/** Whoever follows someone that waits in the background takes that out of the background. */
export const FOLLOW = `UPDATE claims SET followed = 1, background = CASE WHEN :in_background = 0 THEN 0 ELSE background END
WHERE id = ${LEADER} AND ended IS NULL`

/** Makes room for a claim where as many wait as may: refuses the newest of the key that has most, in the background if any. */
export const DISPLACE = `${HERE}, ${KEYS}
UPDATE claims SET state = 'busy', ended = :in_now WHERE id = (
  SELECT w.id FROM here w JOIN keys k ON k.key = w.key
  WHERE w.state = 'waiting' AND ${MAY_ASK} AND ${KEY_LIVE} < :in_key_at_once AND ${WAITING} >= :in_waiting
    AND (w.background > :in_background OR (w.background = :in_background
      AND k.waiting >= 2 + (SELECT count(*) FROM here o WHERE o.key = :in_key AND o.state = 'waiting')))
  ORDER BY w.background DESC, k.waiting DESC, k.turn DESC, w.ordinal DESC LIMIT 1)
RETURNING id, owner, followed`

/** Refused claims are recorded, too: they count in the rate of their key. */
export const RECORD = `${HERE}
INSERT INTO claims (id, owner, flight, target, key, background, state, followed, ordinal, asked, ended, expires_at)
SELECT :in_id, :in_owner, :in_flight, :in_target, :in_key, :in_background, a.state, 0, ${NEXT}, :in_now,
  CASE WHEN a.state = 'waiting' THEN NULL ELSE :in_now END, :in_now + ${LEASE_MS}
FROM (SELECT CASE WHEN ${KEY_LIVE} >= :in_key_at_once THEN 'overloaded' WHEN ${WAITING} >= :in_waiting THEN 'busy' ELSE 'waiting' END
  AS state) a
WHERE ${MAY_ASK}`

/**
 * Gives one free slot: to people before the background, then to the key that holds fewest there, then in turn. Not the last slot to
 * a key that holds another while a third asked lately. Repeated until it changes nothing.
 */
export const GRANT = `${HERE}, ${KEYS}
UPDATE claims SET state = 'running', began = :in_now, ordinal = ${NEXT} WHERE id = (
  SELECT w.id FROM here w JOIN keys k ON k.key = w.key
  WHERE w.state = 'waiting' AND ${RUNNING} < :in_at_once AND ${BEGUN_COUNT} < :in_per_second
    AND NOT (k.held > 0 AND ${RUNNING} = :in_at_once - 1 AND EXISTS (
      SELECT 1 FROM here o WHERE o.key <> w.key AND o.background <= w.background
        AND (o.state = 'waiting' OR coalesce(o.began, o.ended, o.asked) > :in_now - ${REMEMBERED_MS})))
  ORDER BY w.background, k.held, k.turn, w.ordinal LIMIT 1)
RETURNING id, owner`

export const END = `UPDATE claims SET state = :in_end_state, ended = :in_now WHERE id = :in_end AND ended IS NULL
RETURNING id, owner, followed`

export const WITHDRAW = `UPDATE claims SET state = 'busy', ended = :in_now WHERE id = :in_id AND state = 'waiting'
RETURNING id, owner, followed`

/** `ahead`: turns that others get before a new claim of the key. */
const report = (leader: string) => `${HERE}
SELECT ${leader} AS out_leader, (SELECT c.state FROM here c WHERE c.id = :in_id) AS out_state,
  (SELECT min(r.expires_at) - :in_now FROM here r WHERE r.state = 'running') AS out_slot_ms,
  (SELECT b.began + ${SECOND_MS} - :in_now FROM here b WHERE ${withinSecond('b.began')}
    ORDER BY b.began DESC LIMIT 1 OFFSET :in_per_second - 1) AS out_rate_ms,
  (SELECT :in_now - max(b.began) FROM here b WHERE b.began <= :in_now) AS out_served_ms,
  (SELECT CAST(coalesce(sum(CASE WHEN :in_background = 1 OR q.waiting <= q.own THEN q.waiting ELSE q.own + 1 END), 0) AS BIGINT)
    FROM (SELECT count(*) AS waiting,
        (SELECT count(*) FROM here o WHERE o.key = :in_key AND o.state = 'waiting') AS own
      FROM here w WHERE w.state = 'waiting' AND w.background <= :in_background GROUP BY w.key) q) AS out_ahead,
  (SELECT string_agg(m.id || ' ' || m.state, ',') FROM here m WHERE m.owner = :in_owner
    AND (m.state = 'running' OR (m.state = 'busy' AND m.ended = :in_now))) AS out_changes`

export const ANSWER = report(LEADER)
export const REPORT = report('CAST(NULL AS TEXT)')

/** Renewals between two removals of abandoned claims. */
export const RENEWALS_PER_SWEEP = 10

/**
 * Renews claims, removes those that are forgotten, and reads states. One that has expired, because its process or the database was
 * held up, is renewed unless another claim leads its flight by now. `list` makes a table of a parameter; `skip` passes over rows that
 * another transaction is changing, which the next renewal finds.
 */
export const renewal = (list: (name: string) => string, skip: string) => ({
  renew: `UPDATE claims SET expires_at = :in_now + ${LEASE_MS} WHERE id IN (
  SELECT c.id FROM claims c WHERE c.id IN (${list(':in_own')}) AND c.ended IS NULL
    AND (c.expires_at > :in_now OR NOT EXISTS (SELECT 1 FROM claims l WHERE l.flight = c.flight AND ${isLive('l')})) ${skip})`,
  sweep: `DELETE FROM claims WHERE id IN (
  SELECT id FROM claims WHERE expires_at < :in_now - ${REMEMBERED_MS} OR expires_at > :in_now + ${LONGEST_MS} ${skip})`,
  states: `SELECT id AS out_id, state AS out_state FROM claims
WHERE id IN (${list(':in_ids')}) AND (ended IS NOT NULL OR expires_at > :in_now)`,
})

/** The row of `ANSWER` or `REPORT`. */
export interface ReportRow {
  readonly out_leader: string | null
  readonly out_state: ClaimState | null
  readonly out_slot_ms: number | null
  readonly out_rate_ms: number | null
  readonly out_served_ms: number | null
  readonly out_ahead: number
  readonly out_changes: string | null
}

/** What is answered when the row beside a claim made it unnecessary. */
export const noClaim = (beside: Beside): ClaimAnswer => ({
  leader: null,
  state: null,
  wait_ms: RENEWAL_MS,
  retry_after: 1,
  changes: [],
  beside,
})

export function readReport(row: ReportRow, { per_second }: ClaimLimits, beside: Beside | null = null): ClaimAnswer {
  const gapMs = Math.max(SECOND_MS / per_second, row.out_served_ms ?? 0)
  const seconds = Math.ceil(((row.out_ahead + 1) * gapMs) / SECOND_MS)
  return {
    beside,
    leader: row.out_state === null ? row.out_leader : null,
    state: row.out_state,
    wait_ms: Math.max(1, Math.min(RENEWAL_MS, row.out_slot_ms ?? RENEWAL_MS, row.out_rate_ms ?? RENEWAL_MS)),
    retry_after: Math.min(RETRY_AFTER_MAX, seconds),
    changes: (row.out_changes?.split(',') ?? []).map(change => change.split(' ') as [string, ClaimState]),
  }
}
