// Whose turn it is, for everything in this process that waits: a state machine without timers and promises. Clients take turns at
// resources by what they have used; a class of clients comes after the one before it; a request that cannot be served in time is
// refused at once. What holds over processes is in the claims of the store (`src/api/turns.ts`).

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

/** A client has the same class and needs the same resources in all its requests. */
export interface ClientName {
  readonly client: string
  /** 0 comes first. */
  readonly rank: number
  /** All are needed for a start. */
  readonly resources: readonly string[]
}

export interface Client<Request> {
  readonly rank: number
  readonly waiting: ReadonlySet<Request>
  /** Starts so far. */
  readonly picks: number
}

export interface Scheduler<Request> {
  /** The client of that name, which is remembered until it was closed as often as opened. */
  open(name: ClientName): Client<Request>
  close(client: Client<Request>): void
  /** Whether a request of the client that waits at most `wait_ms` would be refused at once. */
  refuses(client: Client<Request>, wait_ms: number): boolean
  /** Lets a request wait. Returns those that are refused for it, which may be itself. */
  ask(client: Client<Request>, request: Request, wait_ms?: number): readonly Request[]
  /** Starts the request whose turn it is; null when none can start. */
  next(): Request | null
  /** Starts a request that has not waited, if there is room and nobody waits. */
  take(client: Client<Request>): boolean
  /** What a start has cost. */
  charge(client: Client<Request>, cost: number): void
  end(client: Client<Request>): void
  /** A waiting request goes away; `late` when it has waited as long as it may. */
  leave(client: Client<Request>, request: Request, late?: boolean): void
  /** Expected wait of a new request, in milliseconds. */
  expected(client: Client<Request>): number
  /** When time alone lets a request start; Infinity when another must end first. */
  due(): number
  /** Requests that hold a resource. */
  running(resource: string): number
  /** Requests that wait. */
  readonly waiting: number
  /** Resources that are remembered. */
  readonly size: number
}

/** Weight of the latest gap in the mean time between two starts. */
const WEIGHT = 0.1
/** Waiting requests are refused when their expected wait exceeds the limit this many times: the mean fluctuates a little. */
const SHEDDING = 2
/** Unused resources are forgotten each time that so many clients have left. */
const SWEEP_EVERY = 1_024

interface Resource {
  readonly name: string
  /** Clients that know it. */
  clients: number
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

interface Line<Request> {
  readonly name: string
  readonly rank: number
  readonly resources: readonly Resource[]
  readonly waiting: Set<Request>
  opened: number
  running: number
  picks: number
  /** Cost so far. A client that had nothing to do does not save it up. */
  used: number
  /** Orders clients that have used as much: when they began to wait or had their last turn. */
  turn: number
}

export function createScheduler<Request>(rules: Rules<Request>): Scheduler<Request> {
  const { limitsOf, patience, now, cost = 1, isHeldUp = () => false, choose = oldest } = rules
  const lines = new Map<string, Line<Request>>()
  const resources = new Map<string, Resource>()
  const waiting = new Set<Line<Request>>()
  /** What the client that was served last had used, by rank: where one that had nothing to do begins. */
  const served: number[] = []
  let turns = 0
  let closed = 0

  function resourceOf(name: string): Resource {
    const known = resources.get(name)
    if (known !== undefined) return known
    const state = { clients: 0, running: 0, starts: [], waiting: [], empty_at: 0, started_at: 0, gap_ms: 0 }
    const resource = { name, ...state }
    resources.set(name, resource)
    return resource
  }

  /** Forgets starts that do not count any more. Returns when the next start may be. */
  function rateFreeAt({ name, starts }: Resource): number {
    const { starts: most = Number.POSITIVE_INFINITY, per_ms = 0 } = limitsOf(name)
    while ((starts[0] ?? Number.POSITIVE_INFINITY) + per_ms <= now()) starts.shift()
    return starts.length < most ? 0 : (starts[starts.length - most] ?? 0) + per_ms
  }

  function hasRoom({ name, running }: Resource, line: Line<Request>): boolean {
    const { at_once, at_present = at_once, newcomers = 0 } = limitsOf(name)
    if (running < at_present) return true
    if (running >= at_present + newcomers) return false
    for (const other of lines.values()) if (other.running >= line.running + 2) return true
    return false
  }

  function freeAt(line: Line<Request>): number {
    let free = 0
    for (const resource of line.resources) {
      if (!hasRoom(resource, line)) return Number.POSITIVE_INFINITY
      free = Math.max(free, rateFreeAt(resource))
    }
    return free
  }

  function count(line: Line<Request>, more: 1 | -1): void {
    for (const { waiting } of line.resources) waiting[line.rank] = (waiting[line.rank] ?? 0) + more
  }

  function learn(resource: Resource): void {
    resource.gap_ms += WEIGHT * (now() - resource.started_at - resource.gap_ms)
  }

  /** A client begins to want something: it has no claim to what it did not want before. */
  function arrive(line: Line<Request>): void {
    if (line.waiting.size > 0) return
    line.used = Math.max(line.used, served[line.rank] ?? 0)
    line.turn = turns++
  }

  function start(line: Line<Request>): void {
    served[line.rank] = Math.max(served[line.rank] ?? 0, line.used)
    line.used += cost
    line.turn = turns++
    line.picks += 1
    line.running += 1
    for (const resource of line.resources) {
      resource.running += 1
      learn(resource)
      resource.started_at = now()
      if (limitsOf(resource.name).starts !== undefined) resource.starts.push(resource.started_at)
    }
  }

  function remove(line: Line<Request>, request: Request): boolean {
    if (!line.waiting.delete(request)) return false
    count(line, -1)
    if (line.waiting.size === 0) waiting.delete(line)
    return true
  }

  const waits = (resource: Resource, rank = resource.waiting.length): number => {
    let sum = 0
    for (let at = 0; at <= rank; at++) sum += resource.waiting[at] ?? 0
    return sum
  }
  const isOverloaded = (resource: Resource) =>
    patience !== undefined && waits(resource) > 0 && now() - resource.empty_at > patience.burst_ms
  /** Expected wait of the last of so many. */
  const expectedOf = ({ gap_ms, started_at }: Resource, waiters: number) =>
    Math.max(waiters * gap_ms, now() - started_at)

  function canWait(resource: Resource, rank: number, wait_ms: number): boolean {
    if (patience === undefined) return true
    const { at_once } = limitsOf(resource.name)
    const all = waits(resource)
    // With room the first one always waits for it; otherwise the mean would never be updated.
    if (all === 0 && resource.running < at_once) return true
    if (all >= at_once - resource.running + patience.waiting_per_slot * at_once) return false
    const most_ms = Math.min(wait_ms, patience.overloaded_ms)
    return !isOverloaded(resource) || expectedOf(resource, waits(resource, rank) + 1) <= most_ms
  }

  /** The line that makes room: the longest, of the last class that waits. */
  function longest(resource: Resource): Line<Request> | null {
    let found: Line<Request> | null = null
    for (const line of waiting) {
      if (!line.resources.includes(resource)) continue
      const [rank, size] = found === null ? [-1, 0] : [found.rank, found.waiting.size]
      if (line.rank > rank || (line.rank === rank && line.waiting.size > size)) found = line
    }
    return found
  }

  /** The line that must make room for `line`: of a later class, or with at least two more that wait. */
  function displaced(resource: Resource, line: Line<Request>): Line<Request> | null {
    const other = longest(resource)
    if (other === null) return null
    return other.rank > line.rank || other.waiting.size >= line.waiting.size + 2 ? other : null
  }

  function dropNewest(line: Line<Request>): Request[] {
    const newest = [...line.waiting].at(-1)
    return newest !== undefined && remove(line, newest) ? [newest] : []
  }

  /** A burst that turned out to be overload has more waiting than can be served in time. */
  function shed(resource: Resource): Request[] {
    const most_ms = patience?.overloaded_ms ?? Number.POSITIVE_INFINITY
    const dropped: Request[] = []
    if (!isOverloaded(resource) || waits(resource) * resource.gap_ms <= SHEDDING * most_ms) return dropped
    for (let line = longest(resource); line !== null; line = longest(resource)) {
      if (waits(resource) * resource.gap_ms <= most_ms) break
      dropped.push(...dropNewest(line))
    }
    return dropped
  }

  /** Those that must go so that the line may wait for the resource; null when it may not. */
  function makeRoom(resource: Resource, line: Line<Request>, wait_ms: number): Request[] | null {
    if (canWait(resource, line.rank, wait_ms)) return []
    const other = displaced(resource, line)
    if (other !== null) return dropNewest(other)
    const [first] = line.waiting
    return isHeldUp() && first !== undefined && remove(line, first) ? [first] : null
  }

  const lineOf = (client: Client<Request>) => client as Line<Request>

  return {
    open({ client, rank, resources }) {
      const known = lines.get(client)
      const state = { waiting: new Set<Request>(), opened: 0, running: 0, picks: 0, used: 0, turn: 0 }
      const line = known ?? { name: client, rank, resources: resources.map(resourceOf), ...state }
      if (known === undefined) {
        lines.set(client, line)
        for (const resource of line.resources) resource.clients += 1
      }
      line.opened += 1
      return line
    },
    close(client) {
      const line = lineOf(client)
      line.opened -= 1
      if (line.opened > 0) return
      lines.delete(line.name)
      for (const resource of line.resources) resource.clients -= 1
      if (++closed % SWEEP_EVERY > 0) return
      for (const [name, resource] of resources)
        if (resource.clients === 0 && rateFreeAt(resource) === 0 && resource.starts.length === 0) resources.delete(name)
    },
    refuses(client, wait_ms) {
      const line = lineOf(client)
      return line.resources.some(
        resource =>
          !canWait(resource, line.rank, wait_ms) &&
          displaced(resource, line) === null &&
          !(isHeldUp() && line.waiting.size > 0),
      )
    },
    ask(client, request, wait_ms = Number.POSITIVE_INFINITY) {
      const line = lineOf(client)
      const dropped: Request[] = []
      for (const resource of line.resources) {
        if (waits(resource) === 0) {
          resource.empty_at = now()
          resource.started_at = resource.empty_at
          if (resource.running === 0) resource.gap_ms = 0
        }
        dropped.push(...shed(resource))
        const gone = makeRoom(resource, line, wait_ms)
        if (gone === null) return [...dropped, request]
        dropped.push(...gone)
      }
      arrive(line)
      line.waiting.add(request)
      waiting.add(line)
      count(line, 1)
      return dropped
    },
    next() {
      let first: Line<Request> | null = null
      for (const line of waiting) if ((first === null || isBefore(line, first)) && freeAt(line) <= now()) first = line
      if (first === null) return null
      const request = choose(first)
      start(first)
      remove(first, request)
      return request
    },
    take(client) {
      const line = lineOf(client)
      if (waiting.size > 0 || freeAt(line) > now()) return false
      arrive(line)
      start(line)
      return true
    },
    charge(client, cost) {
      lineOf(client).used += cost
    },
    end(client) {
      const line = lineOf(client)
      line.running -= 1
      for (const resource of line.resources) resource.running -= 1
    },
    leave(client, request, late = false) {
      const line = lineOf(client)
      if (remove(line, request) && late) line.resources.forEach(learn)
    },
    expected: client =>
      Math.max(
        ...lineOf(client).resources.map(one => (waits(one) === 0 ? 0 : expectedOf(one, waits(one, client.rank) + 1))),
      ),
    due() {
      let soonest = Number.POSITIVE_INFINITY
      for (const line of waiting) soonest = Math.min(soonest, freeAt(line))
      return soonest
    },
    running: resource => resources.get(resource)?.running ?? 0,
    get waiting() {
      let sum = 0
      for (const line of waiting) sum += line.waiting.size
      return sum
    },
    get size() {
      return resources.size
    },
  }
}

const isBefore = <Request>(one: Line<Request>, other: Line<Request>): boolean =>
  (one.rank - other.rank || one.used - other.used || one.turn - other.turn) < 0

export const oldest = <Request>({ waiting }: Client<Request>): Request => present([...waiting][0])
export const newest = <Request>({ waiting }: Client<Request>): Request => present([...waiting].at(-1))

function present<Request>(request: Request | undefined): Request {
  if (request === undefined) throw new Error('a client that waits for nothing has no turn')
  return request
}
