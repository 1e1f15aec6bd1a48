// The scheduler with promises and timers: callers wait for a lease, or are refused.
import { onAbort } from '../abort.ts'
import { type Client, type ClientName, type Rules, Scheduler } from './scheduler.ts'

export interface QueueRequest extends ClientName {
  /** Ends the wait. */
  readonly signal: AbortSignal
  /** Milliseconds that it may wait; null for as long as it takes. */
  readonly wait_ms: number | null
}

/** What a request holds from its start to its end. */
export interface Lease {
  readonly waited_ms: number
  end(): void
}

/** Counts of waiting requests, now and since the start. */
export interface QueueFigures {
  readonly running: number
  readonly waiting: number
  readonly started: number
  readonly refused: number
  readonly waited_ms: number
}

/** Notes how long a check has waited for a resource: `target`, `slot`, `registry` or `cpu`. */
export type NoteWait = (resource: string, ms: number) => void

export interface QueueOptions extends Rules<Waiter> {
  /** Called when a request may start: makes `startNext` start it, at once by default. */
  readonly wake?: () => void
}

export interface Waiter {
  start(): void
  refuse(): void
}

const SECOND_MS = 1_000
/** Highest Retry-After, in seconds: checks take less. */
const RETRY_AFTER_MAX = 30

export class Queue {
  readonly figures = { running: 0, waiting: 0, started: 0, refused: 0, waited_ms: 0 }
  readonly #scheduler: Scheduler<Waiter>
  readonly #now: () => number
  readonly #wake: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ wake, ...rules }: QueueOptions) {
    this.#scheduler = new Scheduler(rules)
    this.#now = rules.now
    this.#wake = wake
  }

  /** Resolves when it is the request's turn; with null when it is refused or its signal aborts. */
  enter({ signal, wait_ms, ...name }: QueueRequest): Promise<Lease | null> {
    if (signal.aborted) return Promise.resolve(null)
    const client = this.#scheduler.open(name)
    const enteredAt = this.#now()
    return new Promise(resolve => {
      let isWaiting = true
      let limit: NodeJS.Timeout | undefined
      let stop = () => {}
      const settle = (lease: Lease | null) => {
        isWaiting = false
        this.figures.waiting -= 1
        clearTimeout(limit)
        stop()
        if (lease === null) this.#scheduler.close(client)
        if (this.figures.waiting === 0) clearTimeout(this.#timer)
        resolve(lease)
      }
      const waiter: Waiter = {
        start: () => settle(this.#leaseOf(client, this.#now() - enteredAt)),
        refuse: () => {
          this.figures.refused += 1
          settle(null)
        },
      }
      const expire = () => {
        // With room, the event loop was blocked: no other request was served first.
        while (isWaiting && this.startNext());
        if (!isWaiting) return
        this.#scheduler.leave(client, waiter, true)
        waiter.refuse()
      }
      this.figures.waiting += 1
      for (const evictedWaiter of this.#scheduler.ask(client, waiter, wait_ms ?? undefined)) evictedWaiter.refuse()
      if (!isWaiting) return
      if (wait_ms !== null) limit = setTimeout(expire, wait_ms)
      stop = onAbort(signal, () => {
        this.#scheduler.leave(client, waiter)
        settle(null)
      })
      // Nothing else can start because of it.
      if (this.#wake !== undefined || Number.isFinite(this.#scheduler.freeAt(client))) this.#startSome()
    })
  }

  /** Whether such a request would be refused at once. */
  refuses({ wait_ms, ...name }: Pick<QueueRequest, keyof ClientName | 'wait_ms'>): boolean {
    return this.#withClient(name, client => this.#scheduler.refuses(client, wait_ms ?? Number.POSITIVE_INFINITY))
  }

  /** Seconds after which a refused request may try again. */
  retryAfter(name: ClientName): number {
    const seconds = this.#withClient(name, client => Math.ceil(this.#scheduler.expected(client) / SECOND_MS))
    return Math.min(RETRY_AFTER_MAX, Math.max(1, seconds))
  }

  /** Starts the next request. Returns whether there was one. */
  startNext(): boolean {
    const waiter = this.#scheduler.next()
    waiter?.start()
    return waiter !== null
  }

  #startSome(): void {
    if (this.#wake !== undefined) {
      this.#wake()
      return
    }
    clearTimeout(this.#timer)
    while (this.startNext());
    const due = this.#scheduler.due()
    if (!Number.isFinite(due)) return
    this.#timer = setTimeout(() => this.#startSome(), Math.max(1, Math.ceil(due - this.#now())))
  }

  #leaseOf(client: Client<Waiter>, waitedMs: number): Lease {
    let isOpen = true
    this.figures.running += 1
    this.figures.started += 1
    this.figures.waited_ms += waitedMs
    const end = () => {
      if (!isOpen) return
      isOpen = false
      this.figures.running -= 1
      this.#scheduler.end(client)
      this.#scheduler.close(client)
      if (this.figures.waiting > 0) this.#startSome()
    }
    return { waited_ms: waitedMs, end }
  }

  #withClient<T>(name: ClientName, use: (client: Client<Waiter>) => T): T {
    const client = this.#scheduler.open(name)
    try {
      return use(client)
    } finally {
      this.#scheduler.close(client)
    }
  }
}
