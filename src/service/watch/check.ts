// One check of a watch: an answer like any other, compared with what was last known, and the event that follows from it.
import type { Clock } from '../../base/clock.ts'
import type { Result } from '../../results/diff/known.ts'
import type { Candidate } from '../../results/lookalikes/candidates.ts'
import type { Watches } from '../../store/sql/watches.ts'
import {
  type CheckedWatch,
  type Delivery,
  type EventType,
  newDeliveryId,
  type Watch,
  type WatchState,
} from '../../store/watches.ts'
import { checkedOf, type WatchEvent } from './event.ts'
import { observe, type WatchChange } from './matters.ts'
import { nextCheck } from './schedule.ts'

/** `code` is a slug; `retry_ms` when another attempt makes sense before the next regular check. */
export type WatchAnswer =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly code: string; readonly retry_ms: number | null }

/** Gets the answer for a watch, counted against the quota of its account. Never rejects. */
export type AskFor = (watch: Watch, signal: AbortSignal) => Promise<WatchAnswer>

/** The existing look-alikes of a name, the likeliest first; null if the search failed. Never rejects. */
export type LookFor = (watch: Watch, signal: AbortSignal) => Promise<readonly Candidate[] | null>

export type CheckEnd = 'same' | 'changed' | 'failed'

export interface CheckWatchOptions {
  readonly store: Pick<Watches, 'checked'>
  readonly ask: AskFor
  /** Absent if look-alikes are not searched. */
  readonly lookFor?: { readonly find: LookFor; readonly every_ms: number } | undefined
  readonly clock: Clock
  /** Where clients reach this installation; events have no link when null. */
  readonly public_url: string | null
  /** Uniform in [0, 1). */
  readonly random?: () => number
}

/** Resolves with null when the watch was removed or was checked by another process meanwhile, or at the end of the process. */
export async function checkWatch(
  options: CheckWatchOptions,
  watch: Watch,
  signal: AbortSignal,
): Promise<CheckEnd | null> {
  const { store, ask, clock, public_url, random = Math.random } = options
  const due = watch.next_at
  if (due === null) return null
  const answer = await ask(watch, signal)
  if (signal.aborted) return null
  const now = clock.now()
  const regular = nextCheck(due, watch.every_ms, now, random())
  if (!answer.ok) {
    const state: WatchState = { ...watch.state, failure: { code: answer.code, at: now } }
    const nextAt = answer.retry_ms === null ? regular : Math.min(regular, now + answer.retry_ms)
    return (await store.checked(watch.id, due, { state, next_at: nextAt, delivery: null })) ? 'failed' : null
  }
  const searchOutcome = await searchOf(options, watch, signal)
  if (signal.aborted) return null
  const outcome = outcomeOf(watch, answer.result, { now, next_at: regular, public_url, searchOutcome })
  if (!(await store.checked(watch.id, due, outcome))) return null
  return outcome.delivery === null ? 'same' : 'changed'
}

/** Look-alikes of one search that are judged: each counts against the quota. The others are reported without a judgement. */
const MAX_JUDGEMENTS = 5
/** Look-alikes that are remembered. A name with more is an ordinary word, so another look-alike is not reported. */
const MAX_REMEMBERED = 2_000
/** Changes of one event: the first matter most. */
const CHANGES = 50

interface SearchOutcome {
  readonly state: NonNullable<WatchState['lookalikes']>
  readonly changes: readonly WatchChange[]
}

/** Null when the watch looks for none, or not yet again. */
async function searchOf(
  { lookFor, ask, clock }: CheckWatchOptions,
  watch: Watch,
  signal: AbortSignal,
): Promise<SearchOutcome | null> {
  const { lookalikes: before } = watch.state
  if (watch.lookalikes !== true || lookFor === undefined) return null
  if (before !== undefined && clock.now() - before.at < lookFor.every_ms) return null
  const candidates = await lookFor.find(watch, signal)
  if (candidates === null) return null
  const knownNames = new Set(before?.known)
  const fresh = before === undefined ? [] : candidates.filter(({ name }) => !knownNames.has(name))
  const changes: WatchChange[] = []
  for (const [at, { name, kind }] of fresh.slice(0, CHANGES).entries()) {
    const answer = at < MAX_JUDGEMENTS ? await ask({ ...watch, target: name }, signal) : null
    const { recommendation, risk_score } = answer?.ok ? checkedOf(answer.result) : {}
    const judgement = recommendation === undefined ? '' : `: ${recommendation}, risk score ${risk_score} of 100`
    const message = `New look-alike ${name} (${kind})${judgement}`
    changes.push({ matter: 'lookalike', severity: 'weakened', path: 'lookalikes', message, before: null, after: name })
  }
  const names = new Set([...candidates.map(({ name }) => name), ...knownNames])
  return { state: { known: [...names].slice(0, MAX_REMEMBERED), at: clock.now() }, changes }
}

interface Circumstances {
  readonly now: number
  readonly next_at: number
  readonly public_url: string | null
  readonly searchOutcome?: SearchOutcome | null
}

/** Milliseconds between two digests, and changes of one. */
const DIGEST = { every_ms: 86_400_000, changes: 200 } as const

/** Splits changes into those to report now and those to keep for the daily digest. */
function toldNow(watch: Watch, changes: readonly WatchChange[], now: number) {
  if (watch.digest !== true) return { told: changes, digest: watch.state.digest }
  const { changes: before, at } = watch.state.digest ?? { changes: [], at: watch.created }
  const all = [...(before as readonly WatchChange[]), ...changes].slice(0, DIGEST.changes)
  if (now - at < DIGEST.every_ms) return { told: [], digest: { changes: all, at } }
  return { told: all, digest: { changes: [], at: now } }
}

/** Pure but for the ID of a new delivery. */
export function outcomeOf(
  watch: Watch,
  result: Result,
  { now, next_at, public_url, searchOutcome = null }: Circumstances,
): CheckedWatch {
  const { last: previous, facts: before } = watch.state
  const { facts, changes: observedChanges } = observe(before, result, now)
  const last = checkedOf(result)
  const { silenced = {} } = watch.state
  const loud = [...observedChanges, ...(searchOutcome?.changes ?? [])].filter(
    ({ matter }) => (silenced[matter] ?? 0) <= now,
  )
  const { told: changes, digest } = toldNow(watch, loud, now)
  const state: WatchState = {
    ...watch.state,
    last,
    facts,
    failure: null,
    ...(searchOutcome !== null && { lookalikes: searchOutcome.state }),
    ...(digest !== undefined && { digest }),
  }
  if (changes.length === 0) return { state, next_at, delivery: null }
  const url =
    public_url === null || last.result_id === null
      ? null
      : `${public_url.replace(/\/+$/, '')}/#result=${last.result_id}`
  const data = { watch_id: watch.id, target: watch.target, changes, result: last, previous, url }
  return { state, next_at, delivery: newDelivery(watch, 'watch.changed', data, now) }
}

/** A delivery that is due now. */
export function newDelivery(
  { id, account }: Pick<Watch, 'id' | 'account'>,
  type: EventType,
  data: WatchEvent['data'],
  now: number,
): Delivery {
  const event: WatchEvent = { type, timestamp: `${new Date(now).toISOString().slice(0, 19)}Z`, data }
  return {
    id: newDeliveryId(),
    watch: id,
    account,
    type,
    event: JSON.stringify(event),
    created: now,
    state: 'pending',
    attempt: 0,
    failed: 0,
    next_at: now,
    last: null,
  }
}

/** The event that a person asks for, to see that it arrives. */
export const testDelivery = ({ id, account, target, state }: Watch, now: number): Delivery =>
  newDelivery(
    { id, account },
    'watch.test',
    { watch_id: id, target, changes: [], result: state.last, previous: null, url: null },
    now,
  )
