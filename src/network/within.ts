// Waits for a promise, but not for long.

/**
 * The promise's value when it comes within so many milliseconds, else null. The timer ends with the wait: one that ran
 * on would keep the value from the garbage collector until it fires.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, null)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
