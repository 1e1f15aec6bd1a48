// Iterations of the event loop, in which the throttle starts work.
import { turns_apart } from '../../src/api/admission.ts'

export const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Enough for a waiting check to be admitted if a slot is free. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 5 * turns_apart; n++) await turn()
}
