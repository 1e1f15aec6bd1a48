// How long a store is waited for: its time, and none that this process itself did not run.

/** Milliseconds that a timer is late when it is this process that is slow, and not the store. */
const late_ms = 20

/**
 * Rejects with what `giveUp` makes when `work` takes longer; what it does later is not waited for. Time in which this
 * process itself did not run is given back once: the answer may be there unread.
 */
export function inTime<T>(work: Promise<T>, ms: number, giveUp: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    let settled = false
    let extended = false
    const expire = () => {
      if (settled) return
      const late = performance.now() - began - ms
      if (extended || late <= late_ms) return reject(giveUp())
      extended = true
      timer = setTimeout(expire, Math.min(late, ms))
    }
    // Timers come before what sockets and threads hold: one look at those first.
    let timer = setTimeout(() => setImmediate(expire), ms)
    const settle = () => {
      settled = true
      clearTimeout(timer)
    }
    work.finally(settle).then(resolve, reject)
  })
}
