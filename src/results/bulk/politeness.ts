// How politely many targets are checked in one run: a table of settings for the scheduler.
import { Queue } from '../../base/scheduler/queue.ts'
import { type ClientName, type Limits, RANK } from '../../base/scheduler/scheduler.ts'
import type { Target } from '../../targets/target.ts'

/** Limits of one registrable domain or address. */
export interface Politeness {
  /** Concurrent checks. */
  readonly at_once: number
  /** Milliseconds from the start of one check to the start of the next. */
  readonly pause_ms: number
}

/** The default: two concurrent checks and at most five per second. */
export const POLITE: Politeness = { at_once: 2, pause_ms: 200 }

/** A shared platform (`github.io`) hosts many owners: it gets more checks than one site, but not all at once. */
const PLATFORM_SHARE = 4
const RUN = 'the run'
const PLATFORM = '*.'

/** The checks of one run, which waits as long as it takes. */
export const createRunQueue = ({ at_once, pause_ms }: Politeness, concurrency: number, now: () => number): Queue => {
  const site: Limits = { at_once, starts: 1, per_ms: pause_ms }
  const platform: Limits = { at_once: at_once * PLATFORM_SHARE, starts: 1, per_ms: pause_ms / PLATFORM_SHARE }
  return new Queue({
    limitsOf: name => (name === RUN ? { at_once: concurrency } : name.startsWith(PLATFORM) ? platform : site),
    now,
  })
}

/** Each site is a client, so that sites that must wait let others pass. */
export function runClient(target: Target): ClientName {
  const client = target.registrable ?? target.ip
  const isShared = target.registered !== target.registrable
  const resources = [RUN, client, ...(isShared ? [`${PLATFORM}${target.registered}`] : [])]
  return { client, rank: RANK.request, resources }
}
