// Splits long work into slices and lets the event loop run between them, so that no request waits for a dataset.

/** Milliseconds of a slice: a fraction of the time that a cached answer takes. */
const SLICE_MS = 5

export type Yield = () => Promise<void> | null

/** The function to call often: it returns null during a slice, then a promise for the next turn of the event loop. */
export function yieldToEventLoop(slice_ms: number = SLICE_MS): Yield {
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
