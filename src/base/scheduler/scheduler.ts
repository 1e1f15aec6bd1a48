// Whose turn it is, for everything in this process that waits: a state machine without timers and promises. Clients take turns at
// resources by what they have used; a class of clients comes after the one before it; a request that cannot be served in time is
// refused at once. What holds over processes is in the claims of the store (`src/service/api/turns.ts`).

/** How much of a resource there is. */
export interface Limits {
  /** Requests that hold it at once. */
  readonly at_once: number
  /** How many of these may hold it at present; all by default. */
  readonly at_present?: number
  /** Further ones that may, for clients that hold at least two fewer than another. */
  readonly newcomers?: number
  /** Starts within any `per_ms` milliseconds; no limit by default. */
  readonly starts?: number
  readonly per_ms?: number
}

/** When requests may wait. Without these, all wait as long as they like. */
export interface Patience {
  /** Requests that may wait for each that may run. */
  readonly waiting_per_slot: number
  /** Milliseconds that a queue may last before it counts as overload. Until then, its rate is misjudged and all wait. */
  readonly burst_ms: number
  /** Longest expected wait under overload in milliseconds, whatever the deadline of a request. */
  readonly overloaded_ms: number
}

export interface Rules<Request> {
  readonly limitsOf: (resource: string) => Limits
  readonly patience?: Patience
  /** Which request of a client is next; the oldest by default. */
  readonly choose?: (client: Client<Request>) => Request
  /** Whether old requests may be behind others that take much longer: then a new one replaces the oldest of its client. */
  readonly isHeldUp?: () => boolean
  /** What a start costs its client; 1 by default. 0 where it is charged afterwards. */
  readonly cost?: number
  /** Monotonic, in milliseconds. */
  readonly now: () => number
}

/** Classes in order: background work comes last. */
export const RANK = { request: 0, background: 1 } as const

/** A client has the same class and needs the same resources in all its requests. */
export interface ClientName {
  readonly client: string
  /** 0 comes first. */
  readonly rank: number
  /** All are needed for a start. */
  readonly resources: readonly string[]
}

/** Only the scheduler changes it. */
export interface Client<Request> {
  readonly name: string
  readonly rank: number
  readonly resources: readonly Resource[]
  readonly waiting: Set<Request>
  opened: number
  running: number
  /** Starts so far. */
  picks: number
  /** Cost so far. A client that had nothing to do does not save it up. */
  used: number
  /** Orders clients that have used as much: when they began to wait or had their last turn. */
  turn: number
}

interface Resource {
  readonly name: string
  running: number
  /** Latest starts, oldest first, where they are limited. */
  readonly starts: number[]
  /** Requests that wait, by rank. */
  readonly waiting: number[]
  /** When nothing waited last, when a request last started, and the mean time between two starts. */
  empty_at: number
  started_at: number
  gap_ms: number
}

/** Weight of the latest gap in the mean time between two starts. */
const WEIGHT = 0.1
/** Waiting requests are refused when their expected wait exceeds the limit this many times: the mean fluctuates a little. */
const SHEDDING = 2
/** Clients that leave between two removals of unused resources. */
const SWEEP_EVERY = 1_024

export class Scheduler<Request> {
  readonly #rules: Required<Omit<Rules<Request>, 'patience'>> & Pick<Rules<Request>, 'patience'>
  readonly #clients = new Map<string, Client<Request>>()
  readonly #resources = new Map<string, Resource>()
  readonly #waiting = new Set<Client<Request>>()
  /** What the client that was served last had used, by rank: where one that had nothing to do begins. */
  readonly #served: number[] = []
  #turns = 0
  #closed = 0
  #due = Number.POSITIVE_INFINITY

  constructor(rules: Rules<Request>) {
    this.#rules = { cost: 1, isHeldUp: () => false, choose: oldest, ...rules }
  }

  /** The client of that name, which is remembered until it was closed as often as opened. */
  open({ client: name, rank, resources }: ClientName): Client<Request> {
    const state = { waiting: new Set<Request>(), opened: 0, running: 0, picks: 0, used: 0, turn: 0 }
    const existing = this.#clients.get(name)
    const client = existing ?? { name, rank, resources: resources.map(one => this.#resourceOf(one)), ...state }
    this.#clients.set(name, client)
    client.opened += 1
    return client
  }

  close(client: Client<Request>): void {
    client.opened -= 1
    if (client.opened > 0) return
    this.#clients.delete(client.name)
    this.#closed += 1
    if (this.#closed % SWEEP_EVERY === 0) this.#sweep()
  }

  /** Whether a request of the client that waits at most `wait_ms` would be refused at once. */
  refuses(client: Client<Request>, waitMs: number): boolean {
    return client.resources.some(
      one => !this.#canWait(one, client.rank, waitMs) && this.#displaced(one, client) === null,
    )
  }

  /** Lets a request wait. Returns those that are refused for it, which may be itself. */
  ask(client: Client<Request>, request: Request, waitMs = Number.POSITIVE_INFINITY): readonly Request[] {
    const evictions: Request[] = []
    const drop = (of: Client<Request>, one: Request) => {
      this.#remove(of, one)
      evictions.push(one)
    }
    for (const resource of client.resources) {
      if (waits(resource) === 0) {
        resource.empty_at = this.#rules.now()
        resource.started_at = resource.empty_at
        if (resource.running === 0) resource.gap_ms = 0
      }
      this.#shed(resource, drop)
      if (this.#canWait(resource, client.rank, waitMs)) continue
      const displacement = this.#displaced(resource, client)
      if (displacement === null) return [...evictions, request]
      drop(...displacement)
    }
    if (client.waiting.size === 0) {
      // It has no claim to what it did not want before.
      client.used = Math.max(client.used, this.#served[client.rank] ?? 0)
      client.turn = this.#turns++
    }
    client.waiting.add(request)
    this.#waiting.add(client)
    count(client, 1)
    return evictions
  }

  /** Starts the next request; null if no request can start. */
  next(): Request | null {
    let first: Client<Request> | null = null
    this.#due = Number.POSITIVE_INFINITY
    for (const client of this.#waiting) {
      if (first !== null && !isBefore(client, first)) continue
      const free = this.freeAt(client)
      if (free <= this.#rules.now()) first = client
      else this.#due = Math.min(this.#due, free)
    }
    if (first === null) return null
    const request = this.#rules.choose(first)
    this.#start(first)
    this.#remove(first, request)
    return request
  }

  /** What a start has cost. */
  charge(client: Client<Request>, cost: number): void {
    client.used += cost
  }

  end(client: Client<Request>): void {
    client.running -= 1
    for (const resource of client.resources) resource.running -= 1
  }

  /** A waiting request goes away; `late` when it has waited as long as it may. */
  leave(client: Client<Request>, request: Request, late = false): void {
    this.#remove(client, request)
    if (late) for (const resource of client.resources) this.#learn(resource)
  }

  /** Expected wait of a new request, in milliseconds. */
  expected({ resources, rank }: Client<Request>): number {
    return Math.max(...resources.map(one => (waits(one) === 0 ? 0 : this.#expectedOf(one, waits(one, rank) + 1))))
  }

  /** When a request of the client may start by time alone; Infinity when another must end first. */
  freeAt(client: Client<Request>): number {
    let free = 0
    for (const resource of client.resources) {
      if (!this.#hasRoom(resource, client)) return Number.POSITIVE_INFINITY
      free = Math.max(free, this.#rateFreeAt(resource))
    }
    return free
  }

  /** The same of all clients that wait, as `next` found when none could start. */
  due(): number {
    return this.#due
  }

  /** Resources that are remembered. */
  get size(): number {
    return this.#resources.size
  }

  #resourceOf(name: string): Resource {
    const state = { running: 0, starts: [], waiting: [], empty_at: 0, started_at: 0, gap_ms: 0 }
    const resource = this.#resources.get(name) ?? { name, ...state }
    this.#resources.set(name, resource)
    return resource
  }

  #sweep(): void {
    const usedResources = new Set([...this.#clients.values()].flatMap(({ resources }) => resources))
    for (const [name, resource] of this.#resources) {
      const isIdle = !usedResources.has(resource) && this.#rateFreeAt(resource) === 0 && resource.starts.length === 0
      if (isIdle) this.#resources.delete(name)
    }
  }

  /** Forgets starts that do not count any more. Returns when the next start may be. */
  #rateFreeAt({ name, starts }: Resource): number {
    const { starts: most = Number.POSITIVE_INFINITY, per_ms = 0 } = this.#rules.limitsOf(name)
    while ((starts[0] ?? Number.POSITIVE_INFINITY) + per_ms <= this.#rules.now()) starts.shift()
    return starts.length < most ? 0 : (starts[starts.length - most] ?? 0) + per_ms
  }

  #hasRoom({ name, running }: Resource, client: Client<Request>): boolean {
    const { at_once, at_present = at_once, newcomers = 0 } = this.#rules.limitsOf(name)
    if (running < at_present) return true
    if (running >= at_present + newcomers) return false
    for (const other of this.#clients.values()) if (other.running >= client.running + 2) return true
    return false
  }

  #learn(resource: Resource): void {
    resource.gap_ms += WEIGHT * (this.#rules.now() - resource.started_at - resource.gap_ms)
  }

  #start(client: Client<Request>): void {
    this.#served[client.rank] = Math.max(this.#served[client.rank] ?? 0, client.used)
    client.used += this.#rules.cost
    client.turn = this.#turns++
    client.picks += 1
    client.running += 1
    for (const resource of client.resources) {
      resource.running += 1
      this.#learn(resource)
      resource.started_at = this.#rules.now()
      if (this.#rules.limitsOf(resource.name).starts !== undefined) resource.starts.push(resource.started_at)
    }
  }

  #remove(client: Client<Request>, request: Request): void {
    if (!client.waiting.delete(request)) return
    count(client, -1)
    if (client.waiting.size === 0) this.#waiting.delete(client)
  }

  #isOverloaded(resource: Resource, { burst_ms }: Patience): boolean {
    return waits(resource) > 0 && this.#rules.now() - resource.empty_at > burst_ms
  }

  /** Expected wait of the last of so many. */
  #expectedOf({ gap_ms, started_at }: Resource, waiters: number): number {
    return Math.max(waiters * gap_ms, this.#rules.now() - started_at)
  }

  #canWait(resource: Resource, rank: number, waitMs: number): boolean {
    const { patience, limitsOf } = this.#rules
    if (patience === undefined) return true
    const { at_once } = limitsOf(resource.name)
    const all = waits(resource)
    // With room the first one always waits for it; otherwise the mean would never be updated.
    if (all === 0 && resource.running < at_once) return true
    if (all >= at_once - resource.running + patience.waiting_per_slot * at_once) return false
    const mostMs = Math.min(waitMs, patience.overloaded_ms)
    return !this.#isOverloaded(resource, patience) || this.#expectedOf(resource, waits(resource, rank) + 1) <= mostMs
  }

  /** The client that makes room: the client with the most waiting requests, in the last class with any. */
  #longest(resource: Resource): Client<Request> | null {
    let longest: Client<Request> | null = null
    for (const client of this.#waiting) {
      if (!client.resources.includes(resource)) continue
      const by = longest === null ? 1 : client.rank - longest.rank || client.waiting.size - longest.waiting.size
      if (by > 0) longest = client
    }
    return longest
  }

  /** Whose request makes room for one of `client`: of a later class, or with two more that wait, or its own; null when none does. */
  #displaced(resource: Resource, client: Client<Request>): [of: Client<Request>, request: Request] | null {
    const other = this.#longest(resource)
    if (other === null) return null
    if (other.rank > client.rank || other.waiting.size >= client.waiting.size + 2) return [other, newest(other)]
    return this.#rules.isHeldUp() && client.waiting.size > 0 ? [client, oldest(client)] : null
  }

  /** Drops the newest requests of a burst that turned out to be overload: more wait than can be served in time. */
  #shed(resource: Resource, drop: (of: Client<Request>, request: Request) => void): void {
    const { patience } = this.#rules
    if (patience === undefined || !this.#isOverloaded(resource, patience)) return
    const most = patience.overloaded_ms / resource.gap_ms
    if (waits(resource) <= SHEDDING * most) return
    for (let from = this.#longest(resource); from !== null && waits(resource) > most; from = this.#longest(resource))
      drop(from, newest(from))
  }
}

/** Counts a request that begins or ceases to wait. */
function count({ rank, resources }: Client<unknown>, more: 1 | -1): void {
  for (const { waiting } of resources) waiting[rank] = (waiting[rank] ?? 0) + more
}

/** Requests that wait, of classes up to this one. */
const waits = ({ waiting }: Resource, rank = waiting.length): number =>
  waiting.reduce((sum, count, at) => (at <= rank ? sum + count : sum), 0)

const isBefore = <Request>(one: Client<Request>, other: Client<Request>): boolean =>
  (one.rank - other.rank || one.used - other.used || one.turn - other.turn) < 0

export const oldest = <Request>({ waiting }: Client<Request>): Request => present(waiting.values().next().value)
export const newest = <Request>({ waiting }: Client<Request>): Request => present([...waiting].at(-1))

function present<Request>(request: Request | undefined): Request {
  if (request === undefined) throw new Error('a client that waits for nothing has no turn')
  return request
}
