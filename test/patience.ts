// Limits that no test of something else reaches, however busy the machine is.
import { type Limits, limits } from '../src/network/limits.ts'

/** Milliseconds: nothing in a test takes so long. */
export const LONG_MS = 600_000

/** The network's limits of time. */
export const PATIENT: Partial<Limits> = Object.fromEntries(
  Object.keys(limits)
    .filter(name => name.endsWith('_ms'))
    .map(name => [name, LONG_MS]),
)

/** When a check that began now has to end. */
export const farDeadline = (): number => performance.now() + LONG_MS
