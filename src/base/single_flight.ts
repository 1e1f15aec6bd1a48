// Concurrent calls with one key share one run. A caller may leave; the run continues while another waits.

interface Flight<T> {
  readonly result: Promise<T>
  readonly controller: AbortController
  waiters: number
}

export function singleFlight<T>() {
  const flights = new Map<string, Flight<T>>()

  function launch(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const result = Promise.resolve(controller.signal).then(start)
    const flight = { result, controller, waiters: 0 }
    flights.set(key, flight)
    const land = () => forget(key, flight)
    result.then(land, land)
    return flight
  }

  /** The next caller starts a new run. */
  function forget(key: string, flight: Flight<T>): void {
    if (flights.get(key) === flight) flights.delete(key)
  }

  function leave(key: string, flight: Flight<T>, reason: unknown): void {
    flight.waiters -= 1
    if (flight.waiters > 0) return
    forget(key, flight)
    flight.controller.abort(reason)
  }

  /**
   * Joins the run of `key`, or starts one. A failure reaches all waiting callers and is not cached. When `signal`
   * aborts, only this caller is rejected, with its reason; when no caller is left, the run's own signal aborts.
   */
  function run(key: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const flight = flights.get(key) ?? launch(key, start)
    flight.waiters += 1
    return signal === undefined
      ? flight.result
      : unlessAborted(flight.result, signal, () => leave(key, flight, signal.reason))
  }

  return {
    run,
    /** Whether this process has a run of `key` in progress, which costs nothing to join. */
    has: (key: string) => flights.has(key),
    /** Runs in progress. */
    get size() {
      return flights.size
    },
  }
}

/** Settles like `result`. When `signal` aborts, calls `leave` and rejects at once. */
function unlessAborted<T>(result: Promise<T>, signal: AbortSignal, leave: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => {
      leave()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
