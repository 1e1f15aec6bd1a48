// One run for a key over all workers: the first that asks leads, and the others get its outcome.
import { type SingleFlight, singleFlight } from '../single_flight.ts'
import type { Link } from './link.ts'

const SERVICE = 'flights'

/**
 * Milliseconds that an outcome is kept for a worker that looked into the cache just before it was stored: much longer than a
 * message takes.
 */
const LANDED_MS = 250

/** The worker is to run it itself. */
const LEAD = 'lead'

/** `null` when the leader failed or is gone: failures are not shared, and the next that asks leads. */
type Outcome = Uint8Array | null

interface Flight {
  readonly leader: symbol
  readonly followers: ((outcome: Outcome) => void)[]
  landed: Outcome
}

/** For the owner: serves every worker that is opened. */
export function createFlightTower() {
  const flights = new Map<string, Flight>()

  function land(key: string, flight: Flight, outcome: Outcome): void {
    flight.landed = outcome
    for (const follower of flight.followers.splice(0)) follower(outcome)
    const forget = () => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    if (outcome === null) forget()
    else setTimeout(forget, LANDED_MS).unref()
  }

  return {
    open() {
      const worker = Symbol('worker')
      const methods = {
        join(key: string): Outcome | typeof LEAD | Promise<Outcome> {
          const flight = flights.get(key)
          if (flight === undefined) {
            flights.set(key, { leader: worker, followers: [], landed: null })
            return LEAD
          }
          if (flight.landed !== null) return flight.landed
          return new Promise(resolve => flight.followers.push(resolve))
        },
        land(key: string, outcome: Outcome): void {
          const flight = flights.get(key)
          if (flight?.leader === worker && flight.landed === null) land(key, flight, outcome)
        },
      }
      return {
        methods: { [SERVICE]: methods },
        drop() {
          for (const [key, flight] of [...flights])
            if (flight.leader === worker && flight.landed === null) land(key, flight, null)
        },
      }
    },
  }
}

/** For a worker: its own requests share a run first. */
export function createLinkedFlights(link: Link): SingleFlight<Buffer> {
  const local = singleFlight<Buffer>()

  async function fly(
    key: string,
    start: (signal: AbortSignal) => Promise<Buffer>,
    signal: AbortSignal,
  ): Promise<Buffer> {
    for (;;) {
      signal.throwIfAborted()
      const joined = link.call(SERVICE, 'join', key) as Promise<Outcome | typeof LEAD>
      const outcome = await unlessAborted(joined, signal, late => {
        if (late === LEAD) link.tell(SERVICE, 'land', key, null)
      })
      if (outcome === LEAD) return lead(key, start, signal)
      if (outcome !== null) return bufferOf(outcome)
    }
  }

  async function lead(
    key: string,
    start: (signal: AbortSignal) => Promise<Buffer>,
    signal: AbortSignal,
  ): Promise<Buffer> {
    let bytes: Buffer | null = null
    try {
      bytes = await start(signal)
      return bytes
    } finally {
      link.tell(SERVICE, 'land', key, bytes)
    }
  }

  return {
    run: (key, start, signal) => local.run(key, flight => fly(key, start, flight), signal),
    has: local.has,
    get size() {
      return local.size
    },
  }
}

export const bufferOf = (octets: Uint8Array): Buffer =>
  Buffer.isBuffer(octets) ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)

/** Settles like `work`. When `signal` aborts first, rejects with its reason, and `late` gets the value that comes then. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, late: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      work.then(late, () => {})
    }
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
