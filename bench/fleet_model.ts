// A queueing model of a fleet: requests arrive at random, instances compute, and Redis, resolvers and registries answer one
// question after the other. Simulated event by event, with the service times that were measured.

export interface Station {
  readonly name: string
  /** Requests served at once. */
  readonly servers: number
  /** Milliseconds after which a waiting request gives up; absent: never. */
  readonly patience_ms?: number
}

/**
 * What a request does next: wait for a free server of a station and keep it for some milliseconds; the same, and keep it until
 * it `leaves`; or wait for something without a queue.
 */
export type Step =
  | { readonly at: number; readonly ms: number }
  | { readonly enter: number }
  | { readonly leave: number }
  | { readonly ms: number }

export interface Request {
  readonly steps: readonly Step[]
  /** Simulated beside it, and not waited for. */
  readonly beside?: readonly Step[]
}

export interface Simulation {
  readonly stations: readonly Station[]
  readonly per_second: number
  /** Requests to simulate. */
  readonly requests: number
  /** The next request; `random` gives numbers from 0 to 1. */
  readonly next: (random: () => number) => Request
  /** The seed: the same one gives the same outcome. */
  readonly seed: number
}

export interface StationOutcome {
  readonly name: string
  /** The share of time that its servers are taken: 0 to 1. */
  readonly taken: number
  /** Milliseconds that one in a hundred waits for longer. */
  readonly wait_p99_ms: number
  readonly mean_wait_ms: number
  /** The share of requests that gave up: 0 to 1. */
  readonly gave_up: number
}

interface Job {
  readonly steps: readonly Step[]
  step: number
  /** When it began to wait. */
  since: number
}

interface Place {
  readonly station: Station
  free: number
  /** Waiting jobs; those before `head` have gone. */
  readonly queue: Job[]
  head: number
  readonly waits: number[]
  busy_ms: number
  changed: number
  gave_up: number
}

export function simulate({ stations, per_second, requests, next, seed }: Simulation): readonly StationOutcome[] {
  const random = mulberry32(seed)
  const places = stations.map(
    (station): Place => ({
      ...{ station, free: station.servers, queue: [], head: 0, waits: [] },
      ...{ busy_ms: 0, changed: 0, gave_up: 0 },
    }),
  )
  const events = new EventQueue<() => void>()
  let now = 0
  let arrivals = 0

  const placeAt = (at: number): Place => {
    const place = places[at]
    if (place === undefined) throw new RangeError(`no station ${at}`)
    return place
  }

  const account = (place: Place) => {
    place.busy_ms += (place.station.servers - place.free) * (now - place.changed)
    place.changed = now
  }

  const release = (place: Place): void => {
    account(place)
    place.free += 1
    for (;;) {
      const waiting = place.queue[place.head]
      if (waiting === undefined) return
      place.head += 1
      if (place.head > 10_000) {
        place.queue.splice(0, place.head)
        place.head = 0
      }
      const waited = now - waiting.since
      if (waited > (place.station.patience_ms ?? Number.POSITIVE_INFINITY)) {
        place.gave_up += 1
        continue
      }
      place.waits.push(waited)
      take(place, waiting)
      return
    }
  }

  /** The job has the server: it moves on, or keeps it for its time. */
  const take = (place: Place, job: Job): void => {
    place.free -= 1
    const step = job.steps[job.step++]
    if (step === undefined || !('at' in step)) {
      go(job)
      return
    }
    events.add(now + step.ms, () => {
      release(place)
      go(job)
    })
  }

  const go = (job: Job): void => {
    const step = job.steps[job.step]
    if (step === undefined) return
    if ('leave' in step) {
      job.step += 1
      release(placeAt(step.leave))
      go(job)
      return
    }
    if (!('at' in step || 'enter' in step)) {
      job.step += 1
      events.add(now + step.ms, () => go(job))
      return
    }
    const place = placeAt('at' in step ? step.at : step.enter)
    if (place.free > 0) {
      account(place)
      place.waits.push(0)
      take(place, job)
      return
    }
    job.since = now
    place.queue.push(job)
  }

  const arrive = () => {
    const { steps, beside } = next(random)
    arrivals += 1
    // Exponential times between arrivals: requests do not know of each other.
    if (arrivals < requests) events.add(now - (Math.log(1 - random()) * 1_000) / per_second, arrive)
    go({ steps, step: 0, since: now })
    if (beside !== undefined) go({ steps: beside, step: 0, since: now })
  }

  events.add(0, arrive)
  let end = 0
  for (let event = events.take(); event !== undefined; event = events.take()) {
    now = event.at
    if (arrivals < requests) end = now
    // What is still queued when the last request has arrived would only drain.
    else if (now > end) break
    event.value()
  }
  now = end
  return places.map(place => {
    account(place)
    const waiting = place.queue.slice(place.head).map(({ since }) => now - since)
    const patience = place.station.patience_ms ?? Number.POSITIVE_INFINITY
    const gave_up = place.gave_up + waiting.filter(ms => ms > patience).length
    const waits = Float64Array.from([...place.waits, ...waiting.filter(ms => ms <= patience)]).sort()
    return {
      name: place.station.name,
      taken: place.busy_ms / (place.station.servers * now),
      wait_p99_ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
      mean_wait_ms: waits.reduce((sum, ms) => sum + ms, 0) / Math.max(1, waits.length),
      gave_up: gave_up / Math.max(1, gave_up + waits.length),
    }
  })
}

/** Events in the order of their times: a binary heap, because no Node module has one. */
class EventQueue<Value> {
  readonly #heap: { readonly at: number; readonly value: Value }[] = []

  add(at: number, value: Value): void {
    const heap = this.#heap
    let child = heap.length
    heap.push({ at, value })
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (this.#at(parent) <= at) break
      this.#swap(child, parent)
      child = parent
    }
  }

  take(): { readonly at: number; readonly value: Value } | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    heap[0] = last
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1
      const child = left + 1 < heap.length && this.#at(left + 1) < this.#at(left) ? left + 1 : left
      if (child >= heap.length || this.#at(parent) <= this.#at(child)) return first
      this.#swap(parent, child)
      parent = child
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap
    const [a, b] = [heap[one], heap[other]]
    if (a === undefined || b === undefined) return
    heap[one] = b
    heap[other] = a
  }
}

/** A generator with a seed: Node's own has none. */
function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
