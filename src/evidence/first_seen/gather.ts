// Asks the history of this installation when the target was first checked. The check itself is put on record afterwards.
import { withTimeout } from '../../base/timeout.ts'
import { NOT_CONFIGURED, Unavailable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import type { FirstSeen } from './facts.ts'

/** The targets that were checked before, whoever asked. Times in milliseconds. */
export interface MetTargets {
  firstSeen(target: GatherContext['target']): Promise<{ readonly at: number | null; readonly since: number }>
}

/** Milliseconds that the store may take: a check takes longer than that anyway. */
const PATIENCE_MS = 250

/**
 * Rejects with `Unavailable`: `not_configured` when the installation has no history, `store_silent` when its store fails or does
 * not answer in time.
 */
export default function createFirstSeenGatherer({
  met_targets: metTargets,
}: {
  readonly met_targets: MetTargets | null
}): (context: Pick<GatherContext, 'target'>) => Promise<FirstSeen> {
  return async ({ target }) => {
    if (metTargets === null) throw new Unavailable(NOT_CONFIGURED)
    const meeting = await withTimeout(metTargets.firstSeen(target), PATIENCE_MS).catch(() => null)
    if (meeting === null) throw new Unavailable('store_silent')
    return { at: meeting.at === null ? null : timeOf(meeting.at), since: timeOf(meeting.since) }
  }
}

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
