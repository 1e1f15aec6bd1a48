// Slots at targets: how many checks of one domain or address may run, and which key gets the next slot. Neither the load on a
// target nor fairness between keys depends on the number of instances.
import { createTable } from '../cache/cache.ts'
import type { MaybeAsync } from './store.ts'

export interface TargetLimits {
  /** Concurrent checks, and checks per second. */
  readonly at_once: number
  readonly per_second: number
  /** False when the last slot may go to a key that already holds one while others ask; true by default. */
  readonly reserves_last?: boolean
}

/** A slot for a check of this key until it leaves, or how long to wait before the next claim. */
export type Claim =
  | { readonly key: string; leave(): void }
  /** `wait_ms` is null when nothing changes before one of this instance's own checks of the target ends. */
  | { readonly key: null; readonly wait_ms: number | null }

export interface TargetShare {
  /**
   * Gives a free slot to the key that is next. `waiting` has the keys that wait here, in the order of their turns, with
   * the number of checks that each waits for. Never rejects.
   */
  claim(target: string, waiting: ReadonlyMap<string, number>, limits: TargetLimits): MaybeAsync<Claim>
  /** No check of this key waits here any more. */
  withdraw(target: string, key: string): void
}

/**
 * Milliseconds that a key is remembered at a target: longer than any check takes. During that time the last slot is not given
 * to a key that already holds one: slow checks of one key would keep all others waiting.
 */
export const remembered_ms = 10_000
export const SECOND_MS = 1_000

/** Keys remembered at a target. What matters is only whether there are others. */
const keys_max = 16

export interface LocalTargetShare extends TargetShare {
  claim(target: string, waiting: ReadonlyMap<string, number>, limits: TargetLimits): Claim
  /** How long this instance's own checks leave no slot, as in a claim; 0 when there is one. */
  fullFor(target: string, limits: TargetLimits): number | null
  /** Counts a check of `key` until the returned function is called. */
  enter(target: string, key: string): () => void
}

interface Place {
  /** Running checks, by key. */
  readonly running: Map<string, number>
  total: number
  /** When the checks of the last second started, oldest first. */
  readonly begun: number[]
  /** When each key last requested this target. */
  readonly asked: Map<string, number>
}

/** Knows only the checks of this process. `monotonic` is in milliseconds. */
export function createLocalTargetShare(monotonic: () => number): LocalTargetShare {
  const places = createTable<Place>('targets', place => isForgettable(place, monotonic()))

  const placeOf = (target: string): Place =>
    places.get(target) ?? places.add(target, () => ({ running: new Map(), total: 0, begun: [], asked: new Map() }))

  function fullFor(target: string, { at_once, per_second }: TargetLimits): number | null {
    const { total, begun } = placeOf(target)
    if (total >= at_once) return null
    const now = monotonic()
    while (now - (begun[0] ?? now) >= SECOND_MS) begun.shift()
    return begun.length < per_second ? 0 : Math.max(1, (begun[0] ?? now) + SECOND_MS - now)
  }

  function enter(target: string, key: string): () => void {
    const place = placeOf(target)
    place.total += 1
    place.running.set(key, (place.running.get(key) ?? 0) + 1)
    place.begun.push(monotonic())
    let left = false
    return () => {
      if (left) return
      left = true
      place.total -= 1
      const more = (place.running.get(key) ?? 1) - 1
      if (more > 0) place.running.set(key, more)
      else place.running.delete(key)
    }
  }

  return {
    fullFor,
    enter,
    claim(target, waiting, limits) {
      const place = placeOf(target)
      note(place.asked, waiting.keys(), monotonic())
      const full = fullFor(target, limits)
      if (full !== 0) return { key: null, wait_ms: full }
      const isLast = limits.reserves_last !== false && limits.at_once > 1 && place.total === limits.at_once - 1
      let soonest = remembered_ms
      for (const key of waiting.keys()) {
        const reserved_ms = isLast && place.running.has(key) ? reservedFor(place, key, monotonic()) : 0
        if (reserved_ms === 0) return { key, leave: enter(target, key) }
        soonest = Math.min(soonest, reserved_ms)
      }
      return { key: null, wait_ms: soonest }
    },
    withdraw() {},
  }
}

/** Nothing runs there, and the last start and requests are too long ago to matter. */
function isForgettable({ total, begun, asked }: Place, now: number): boolean {
  if (total > 0 || now - (begun.at(-1) ?? Number.NEGATIVE_INFINITY) < SECOND_MS) return false
  for (const at of asked.values()) if (now - at < remembered_ms) return false
  return true
}

/** Notes a request of these keys. The key with the oldest request is first, and is forgotten first. */
function note(asked: Place['asked'], keys: Iterable<string>, now: number): void {
  for (const key of keys) {
    asked.delete(key)
    asked.set(key, now)
  }
  for (const [key, at] of asked) {
    if (asked.size <= keys_max && now - at < remembered_ms) break
    asked.delete(key)
  }
}

/** Milliseconds until no other key is remembered; 0 when there is none. */
function reservedFor({ asked }: Place, key: string, now: number): number {
  let latest = Number.NEGATIVE_INFINITY
  for (const [other, at] of asked) if (other !== key) latest = Math.max(latest, at)
  return Math.max(0, latest + remembered_ms - now)
}
