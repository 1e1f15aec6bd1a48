// Slots at targets over all workers: keys take turns, and so do the workers that wait for one key. A claim waits at the owner
// until it gets a slot, because a worker does not see that a check of another one ends.
import { createLocalTargetShare, type TargetLimits, type TargetShare } from '../store/target_share.ts'
import type { Link } from './link.ts'

const SERVICE = 'targets'

/** Milliseconds after which a claim is asked for again, with the keys that have come since. */
const REPEAT_MS = 100

/** A key with the number of its slot, or when to claim again. */
type Answer = readonly [key: string, slot: number] | readonly [key: null, wait_ms: number]

interface Claimed {
  readonly worker: symbol
  readonly waiting: ReadonlyMap<string, number>
  readonly limits: TargetLimits
  readonly answer: (answer: Answer) => void
  readonly timer: NodeJS.Timeout
}

/** A target with waiting claims. `turns` has the number of the last turn of each key and worker. */
interface Contested {
  readonly claims: Set<Claimed>
  readonly turns: Map<string | symbol, number>
  timer: NodeJS.Timeout | undefined
}

interface Slot {
  readonly worker: symbol
  readonly target: string
  leave(): void
}

/** For the owner: serves every worker that is opened. */
export function createTargetDesk(monotonic: () => number) {
  const share = createLocalTargetShare(monotonic)
  const contested = new Map<string, Contested>()
  const slots = new Map<number, Slot>()
  let turn = 0
  let last = 0

  function serve(target: string): void {
    const place = contested.get(target)
    if (place === undefined) return
    clearTimeout(place.timer)
    while (place.claims.size > 0) {
      const byTurn = (one: string | symbol, other: string | symbol) =>
        (place.turns.get(one) ?? 0) - (place.turns.get(other) ?? 0)
      const claims = [...place.claims].sort((a, b) => byTurn(a.worker, b.worker))
      const keys = claims.flatMap(({ waiting }) => [...waiting]).sort(([one], [other]) => byTurn(one, other))
      const [{ limits } = { limits: NO_SLOTS }] = claims
      const claim = share.claim(target, new Map(keys), limits)
      if (claim.key === null) {
        if (claim.wait_ms !== null) place.timer = setTimeout(serve, Math.ceil(claim.wait_ms), target).unref()
        return
      }
      const next = claims.find(({ waiting }) => waiting.has(claim.key))
      turn += 1
      place.turns.set(claim.key, turn)
      if (next === undefined) claim.leave()
      else {
        place.turns.set(next.worker, turn)
        last += 1
        slots.set(last, { worker: next.worker, target, leave: claim.leave })
        settle(place, next, [claim.key, last])
      }
    }
    sweep(target, place)
  }

  /** Turns are forgotten with the last claim. */
  function sweep(target: string, place: Contested): void {
    if (place.claims.size > 0) return
    clearTimeout(place.timer)
    contested.delete(target)
  }

  function settle(place: Contested, claimed: Claimed, answer: Answer): void {
    clearTimeout(claimed.timer)
    place.claims.delete(claimed)
    claimed.answer(answer)
  }

  function leave(slot: number): void {
    const held = slots.get(slot)
    slots.delete(slot)
    held?.leave()
    if (held !== undefined) serve(held.target)
  }

  return {
    open() {
      const worker = Symbol('worker')
      const methods = {
        claim: (target: string, waiting: ReadonlyMap<string, number>, limits: TargetLimits) =>
          new Promise<Answer>(answer => {
            const place = contested.get(target) ?? { claims: new Set(), turns: new Map(), timer: undefined }
            contested.set(target, place)
            const timer = setTimeout(() => {
              settle(place, claimed, [null, 0])
              sweep(target, place)
            }, REPEAT_MS).unref()
            const claimed: Claimed = { worker, waiting, limits, answer, timer }
            place.claims.add(claimed)
            serve(target)
          }),
        leave,
      }
      return {
        methods: { [SERVICE]: methods },
        drop() {
          for (const [target, place] of contested) {
            for (const claimed of place.claims) if (claimed.worker === worker) settle(place, claimed, [null, 0])
            sweep(target, place)
          }
          for (const [slot, held] of slots) if (held.worker === worker) leave(slot)
        },
      }
    },
  }
}

const NO_SLOTS: TargetLimits = { at_once: 0, per_second: 0 }

/** For a worker. */
export function createLinkedTargets(link: Link): TargetShare {
  return {
    async claim(target, waiting, limits) {
      const answer = (await link
        .call(SERVICE, 'claim', target, waiting, limits)
        .catch(() => [null, REPEAT_MS])) as Answer
      const [key, value] = answer
      if (key === null) return { key, wait_ms: value }
      return { key, leave: () => link.tell(SERVICE, 'leave', value) }
    },
    withdraw() {},
  }
}
