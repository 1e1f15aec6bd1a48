// One check of a watch: an answer like any other, compared with what was last known, and the event that follows from it.
import type { Clock } from '../../base/clock.ts'
import type { Result } from '../../results/diff/known.ts'
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
import { observe } from './matters.ts'
import { nextCheck } from './schedule.ts'

/** `code` is a slug; `retry_ms` when another attempt makes sense before the next regular check. */
export type Asked =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly code: string; readonly retry_ms: number | null }

/** Gets the answer for a watch, counted against the quota of its account. Never rejects. */
export type AskFor = (watch: Watch, signal: AbortSignal) => Promise<Asked>

export type CheckEnd = 'same' | 'changed' | 'failed'

export interface CheckWatchOptions {
  readonly store: Pick<Watches, 'checked'>
  readonly ask: AskFor
  readonly clock: Clock
  /** Where clients reach this installation; events have no link when null. */
  readonly public_url: string | null
  /** Uniform in [0, 1). */
  readonly random?: () => number
}

/** Resolves with null when the watch is gone or was checked by another process meanwhile, or at the end of the process. */
export async function checkWatch(
  options: CheckWatchOptions,
  watch: Watch,
  signal: AbortSignal,
): Promise<CheckEnd | null> {
  const { store, ask, clock, public_url, random = Math.random } = options
  const due = watch.next_at
  if (due === null) return null
  const asked = await ask(watch, signal)
  if (signal.aborted) return null
  const now = clock.now()
  const regular = nextCheck(due, watch.every_ms, now, random())
  if (!asked.ok) {
    const state: WatchState = { ...watch.state, failure: { code: asked.code, at: now } }
    const next_at = asked.retry_ms === null ? regular : Math.min(regular, now + asked.retry_ms)
    return (await store.checked(watch.id, due, { state, next_at, delivery: null })) ? 'failed' : null
  }
  const outcome = outcomeOf(watch, asked.result, { now, next_at: regular, public_url })
  if (!(await store.checked(watch.id, due, outcome))) return null
  return outcome.delivery === null ? 'same' : 'changed'
}

interface Circumstances {
  readonly now: number
  readonly next_at: number
  readonly public_url: string | null
}

/** Pure but for the ID of a new delivery. */
export function outcomeOf(watch: Watch, result: Result, { now, next_at, public_url }: Circumstances): CheckedWatch {
  const { last: previous, facts: before } = watch.state
  const { facts, changes } = observe(before, result, now)
  const last = checkedOf(result)
  const state: WatchState = { ...watch.state, last, facts, failure: null }
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
    ...{ id: newDeliveryId(), watch: id, account, type, event: JSON.stringify(event), created: now },
    ...{ state: 'pending', attempt: 0, failed: 0, next_at: now, last: null },
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
