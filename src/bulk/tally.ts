// What a run has done so far.
import type { Verdict } from '../scoring/verdict.ts'

export interface Tally {
  /** Lines of the input that name something, read so far. */
  lines: number
  /** Of these, said before in the same input. */
  duplicates: number
  /** Of these, settled by an earlier run. */
  settled: number
  /** Records written by this run. */
  written: number
  /** Of the written ones: lines that name no target. */
  invalid: number
  /** Of the written ones: nothing could be looked at. */
  unavailable: number
  /** Of the written ones: a defect of ours. */
  broken: number
  readonly verdicts: Record<Verdict, number>
}

export const newTally = (): Tally => ({
  lines: 0,
  duplicates: 0,
  settled: 0,
  written: 0,
  invalid: 0,
  unavailable: 0,
  broken: 0,
  verdicts: { safe: 0, suspicious: 0, malicious: 0 },
})

/** Lines that need nothing more. */
export const done = ({ duplicates, settled, written }: Tally): number => duplicates + settled + written
