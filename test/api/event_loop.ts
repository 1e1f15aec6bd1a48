// Turns of the event loop, in which the throttle lets work begin.
import { turns_apart } from '../../src/api/admission.ts'

export const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Enough for a waiter to be let in, if a place is free. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 5 * turns_apart; n++) await turn()
}
