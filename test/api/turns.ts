// Turns of the event loop, for what the pace lets begin.
import { turns_apart } from '../../src/api/pace.ts'

export const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Enough for whoever waits to be let in, if a place is free. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 5 * turns_apart; n++) await turn()
}
