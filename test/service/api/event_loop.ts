// Iterations of the event loop, in which the throttle starts work.
import { TURNS_APART } from '../../../src/service/api/limits.ts'

export const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Enough for a waiting check to be admitted if a slot is free. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 5 * TURNS_APART; n++) await turn()
}
