// How long a store is waited for.
import { patientTimer } from '../patient_timer.ts'

/** Rejects with what `giveUp` makes when `work` takes longer; what it does later is not waited for. */
export function inTime<T>(work: Promise<T>, ms: number, giveUp: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = patientTimer(ms, () => reject(giveUp()))
    work.finally(stop).then(resolve, reject)
  })
}
