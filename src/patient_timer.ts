// How long another is waited for: its time, and none that this process itself did not run.

/** Milliseconds that a timer is late when it is this process that is slow, and not who is waited for. */
const late_ms = 20

/**
 * Calls `expire` after `ms` milliseconds. Time in which this process itself did not run is given back once: the answer may
 * be there unread, or not have been asked for yet. Returns what calls it off.
 */
export function patientTimer(ms: number, expire: () => void): () => void {
  const began = performance.now()
  let over = false
  let extended = false
  const look = () => {
    if (over) return
    const late = performance.now() - began - ms
    if (extended || late <= late_ms) return expire()
    extended = true
    timer = setTimeout(look, Math.min(late, ms))
  }
  // Timers come before what sockets and threads hold: one look at those first.
  let timer = setTimeout(() => setImmediate(look), ms)
  return () => {
    over = true
    clearTimeout(timer)
  }
}
