// The scheduler with promises and timers: callers wait for a lease, or are told that they get none.
import { onAbort } from '../abort.ts'
import { type Client, type ClientName, createScheduler, type Rules } from './scheduler.ts'

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

/** What waits and what has waited since the start. */
export interface QueueFigures {
  readonly running: number
  readonly waiting: number
  readonly started: number
  readonly refused: number
  readonly waited_ms: number
}

/** Notes how long a check has waited for a resource: `target`, `slot`, `registry` or `cpu`. */
export type NoteWait = (resource: string, ms: number) => void

export interface Queue {
  /** Resolves when it is the request's turn; with null when it is refused or its signal aborts. */
  enter(request: QueueRequest): Promise<Lease | null>
  /** Whether such a request would be refused at once. */
  refuses(request: Pick<QueueRequest, keyof ClientName | 'wait_ms'>): boolean
  /** Seconds after which a refused request may try again. */
  retryAfter(name: ClientName): number
  /** Starts the next request. Returns whether there was one. */
  startNext(): boolean
  readonly figures: QueueFigures
}

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

export function createQueue(options: QueueOptions): Queue {
  const { now } = options
  const scheduler = createScheduler<Waiter>(options)
  let timer: NodeJS.Timeout | undefined
  const figures = { running: 0, waiting: 0, started: 0, refused: 0, waited_ms: 0 }

  function startNext(): boolean {
    const waiter = scheduler.next()
    waiter?.start()
    return waiter !== null
  }

  function startAll(): void {
    clearTimeout(timer)
    while (startNext());
    const due = scheduler.due()
    if (Number.isFinite(due)) timer = setTimeout(startAll, Math.max(1, Math.ceil(due - now())))
  }

  const startSome = options.wake ?? startAll

  function leaseOf(client: Client<Waiter>, waited: number): Lease {
    let isOpen = true
    figures.running += 1
    figures.started += 1
    figures.waited_ms += waited
    return {
      waited_ms: waited,
      end() {
        if (!isOpen) return
        isOpen = false
        figures.running -= 1
        scheduler.end(client)
        scheduler.close(client)
        if (figures.waiting > 0) startSome()
      },
    }
  }

  function withClient<T>(name: ClientName, use: (client: Client<Waiter>) => T): T {
    const client = scheduler.open(name)
    try {
      return use(client)
    } finally {
      scheduler.close(client)
    }
  }

  return {
    enter({ signal, wait_ms, ...name }) {
      if (signal.aborted) return Promise.resolve(null)
      const client = scheduler.open(name)
      const asked = now()
      return new Promise(resolve => {
        let isWaiting = true
        let limit: NodeJS.Timeout | undefined
        let stop = () => {}
        const settle = (lease: Lease | null) => {
          isWaiting = false
          figures.waiting -= 1
          clearTimeout(limit)
          stop()
          if (lease === null) scheduler.close(client)
          if (figures.waiting === 0) clearTimeout(timer)
          resolve(lease)
        }
        const waiter: Waiter = {
          start: () => settle(leaseOf(client, now() - asked)),
          refuse() {
            figures.refused += 1
            settle(null)
          },
        }
        const expire = () => {
          // With room, the event loop was blocked: no other request was served first.
          while (isWaiting && startNext());
          if (!isWaiting) return
          scheduler.leave(client, waiter, true)
          waiter.refuse()
        }
        figures.waiting += 1
        for (const dropped of scheduler.ask(client, waiter, wait_ms ?? Number.POSITIVE_INFINITY)) dropped.refuse()
        if (!isWaiting) return
        if (wait_ms !== null) limit = setTimeout(expire, wait_ms)
        stop = onAbort(signal, () => {
          scheduler.leave(client, waiter)
          settle(null)
        })
        // Nothing else can start because of it.
        if (options.wake !== undefined || Number.isFinite(scheduler.freeAt(client))) startSome()
      })
    },
    refuses: ({ wait_ms, ...name }) =>
      withClient(name, client => scheduler.refuses(client, wait_ms ?? Number.POSITIVE_INFINITY)),
    retryAfter: name =>
      withClient(name, client =>
        Math.min(RETRY_AFTER_MAX, Math.max(1, Math.ceil(scheduler.expected(client) / SECOND_MS))),
      ),
    startNext,
    figures,
  }
}
