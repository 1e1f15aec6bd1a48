// Calendar periods in UTC. All times are milliseconds since the Unix epoch.
import type { PeriodKind } from './store.ts'

type Boundary = (at: Date, offset: number) => number

const boundaries: Readonly<Record<PeriodKind, Boundary>> = {
  month: (at, offset) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset),
  day: (at, offset) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + offset),
}

/** The first millisecond of the period that holds `at`; NaN when `at` is no date. */
export function periodStart(kind: PeriodKind, at: number): number {
  return boundaries[kind](new Date(at), 0)
}

/** The first millisecond of the period after the one that holds `at`. */
export function periodEnd(kind: PeriodKind, at: number): number {
  return boundaries[kind](new Date(at), 1)
}
