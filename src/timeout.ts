// Timeouts that do not count the time in which this process itself did not run.

/** A timer that fires later than this was delayed by our own event loop. */
const LATE_MS = 20

/**
 * Calls `expire` after `ms` milliseconds; when the event loop was blocked, waits once more for as long as it was, because
 * the reply may have arrived unread or the request may not have been sent yet. Returns a function that cancels.
 */
export function loopAwareTimeout(ms: number, expire: () => void): () => void {
  const began = performance.now()
  let over = false
  let extended = false
  const check = () => {
    if (over) return
    const late = performance.now() - began - ms
    if (extended || late <= LATE_MS) return expire()
    extended = true
    timer = setTimeout(check, Math.min(late, ms))
  }
  // Timers run before pending socket and thread events: process those first.
  let timer = setTimeout(() => setImmediate(check), ms)
  return () => {
    over = true
    clearTimeout(timer)
  }
}

/**
 * Settles as `work` does. After `ms` milliseconds settles with what `onTimeout` returns or throws, null by default; `work`
 * itself goes on. No timer outlives the wait: it would keep the value from the garbage collector.
 */
export function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | null>
export function withTimeout<T, Late>(work: Promise<T>, ms: number, onTimeout: () => Late): Promise<T | Late>
export function withTimeout<T>(work: Promise<T>, ms: number, onTimeout: () => unknown = () => null): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = loopAwareTimeout(ms, () => {
      try {
        resolve(onTimeout())
      } catch (error) {
        reject(error)
      }
    })
    work.finally(cancel).then(resolve, reject)
  })
}
