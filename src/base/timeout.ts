// Timeouts that do not count time in which this process was blocked.

/** Milliseconds: a timer that fires later than this was delayed by this process's event loop. */
const LATE_MS = 20

/**
 * Calls `expire` after `ms` milliseconds. If the event loop was blocked, waits once more for as long, because the reply
 * may have arrived unread or the request may not have been sent. Returns a function that cancels.
 */
export function loopAwareTimeout(ms: number, expire: () => void): () => void {
  const began = performance.now()
  let over = false
  let isExtended = false
  const check = () => {
    if (over) return
    const late = performance.now() - began - ms
    if (isExtended || late <= LATE_MS) return expire()
    isExtended = true
    timer = setTimeout(check, Math.min(late, ms))
  }
  // Timers run before pending socket and thread events, which must be processed first.
  let timer = setTimeout(() => setImmediate(check), ms)
  return () => {
    over = true
    clearTimeout(timer)
  }
}

/**
 * Settles like `work`. After `ms` milliseconds settles with what `onTimeout` returns or throws (null by default);
 * `work` itself continues. No timer outlives the wait, because it would keep the value in memory.
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
