// Long work in slices: the event loop turns between them, so that nobody's request waits for a dataset.

/** Milliseconds of a slice: a fraction of what a cached answer may take. */
const SLICE_MS = 5

export type Breathe = () => Promise<void> | null

/** Call it often: null while the slice lasts, else a promise for the next turn of the event loop. */
export function createBreath(slice_ms: number = SLICE_MS): Breathe {
  let began = performance.now()
  return () => {
    if (performance.now() - began < slice_ms) return null
    return new Promise(resolve =>
      setImmediate(() => {
        began = performance.now()
        resolve()
      }),
    )
  }
}
