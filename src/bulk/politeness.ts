// How often one owner's servers may be visited: pure bookkeeping, the time comes from the caller.
import type { Target } from '../target/target.ts'

/** Limits of one lane. */
export interface Pace {
  /** Checks at once. */
  readonly at_once: number
  /** Milliseconds from the start of one check to the start of the next. */
  readonly pause_ms: number
}

/** A shared platform (`github.io`) has many owners on its machines: it takes more than one site, but not all at once. */
const PLATFORM_SHARE = 4

/** A registrable domain by default: two checks at once and at most five a second. */
export const POLITE: Pace = { at_once: 2, pause_ms: 200 }

export interface Politeness {
  /** Milliseconds of the caller's clock from when a check of the target may start; Infinity while one must end first. */
  freeAt(target: Target): number
  start(target: Target, now: number): void
  end(target: Target, now: number): void
  /** Lanes that are remembered. */
  readonly size: number
}

interface Lane {
  running: number
  free_at: number
}

interface Visit {
  readonly lane: string
  readonly pace: Pace
}

/** Idle lanes are swept out each time that many checks have ended. */
const SWEEP_EVERY = 1_024

export function createPoliteness(site: Pace): Politeness {
  const lanes = new Map<string, Lane>()
  const platform = { at_once: site.at_once * PLATFORM_SHARE, pause_ms: site.pause_ms / PLATFORM_SHARE }
  let ended = 0
  const visits = (target: Target): readonly Visit[] => {
    if (target.kind === 'ip') return [{ lane: target.ip, pace: site }]
    const own = { lane: target.registrable, pace: site }
    return target.registered === target.registrable ? [own] : [own, { lane: `*.${target.registered}`, pace: platform }]
  }
  return {
    freeAt(target) {
      let free = 0
      for (const { lane, pace } of visits(target)) {
        const known = lanes.get(lane)
        if (known === undefined) continue
        if (known.running >= pace.at_once) return Number.POSITIVE_INFINITY
        free = Math.max(free, known.free_at)
      }
      return free
    },
    start(target, now) {
      for (const { lane, pace } of visits(target)) {
        const running = (lanes.get(lane)?.running ?? 0) + 1
        lanes.set(lane, { running, free_at: now + pace.pause_ms })
      }
    },
    end(target, now) {
      for (const { lane } of visits(target)) {
        const known = lanes.get(lane)
        if (known) known.running--
      }
      if (++ended % SWEEP_EVERY === 0) sweep(lanes, now)
    },
    get size() {
      return lanes.size
    },
  }
}

function sweep(lanes: Map<string, Lane>, now: number): void {
  for (const [name, { running, free_at }] of lanes) if (running === 0 && free_at <= now) lanes.delete(name)
}
