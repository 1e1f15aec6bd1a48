// When each dataset is refreshed: at its own interval with jitter, earlier after a failure with backoff, few at a time.
import type { Clock } from '../../base/clock.ts'
import type { RefreshOptions, RefreshOutcome, Source } from './source.ts'
import type { RefreshState } from './status.ts'

interface ScheduleOptions {
  readonly sources: readonly Source[]
  readonly clock: Clock
  /** In [0, 1). */
  readonly random?: () => number
  readonly listener?: Listener | undefined
}

/** Called with every refresh that changed something or failed. */
export type Listener = (id: string, outcome: RefreshOutcome) => void

const HOUR_MS = 3_600_000
/** Milliseconds between two checks for due refreshes, and between two looks at a file of the operator that is missing. */
const TICK_MS = 10_000
/** Milliseconds until the retry after a failure, doubled with each further failure up to the interval. */
const RETRY_MS = 5 * 60_000
/** Share of the interval, in both directions: instances must not all ask a publisher at once. */
const JITTER = 0.1
/** Downloads at once. */
const AT_ONCE = 2

interface State {
  failures: number
  reason: string | null
  next_at: number | null
  running: Promise<RefreshOutcome> | null
  tried: boolean
}

/** A file of the operator that is not in memory. */
const isMissingFile = ({ dataset, held }: Source): boolean => dataset.path !== null && held() === null

export class Schedule {
  readonly #sources: readonly Source[]
  readonly #clock: Clock
  readonly #random: () => number
  readonly #states = new Map<string, State>()
  readonly #ended = new AbortController()
  #listener: Listener | undefined
  #timer: NodeJS.Timeout | null = null
  #ticking: Promise<void> | null = null

  constructor({ sources, clock, random = Math.random, listener }: ScheduleOptions) {
    this.#sources = sources
    this.#clock = clock
    this.#random = random
    this.#listener = listener
  }

  refreshState(id: string): RefreshState {
    return this.#stateOf(id)
  }

  /** Whether the first fetch is still to come. */
  awaits(id: string): boolean {
    return this.#timer !== null && !this.#stateOf(id).tried
  }

  /** Refreshes one now, or joins the refresh that is under way. */
  refresh(source: Source, options: RefreshOptions): Promise<RefreshOutcome> {
    const state = this.#stateOf(source.dataset.id)
    state.running ??= this.#run(source, state, options).finally(() => {
      state.running = null
    })
    return state.running
  }

  /** Refreshes all sources that are due. */
  async tick(signal: AbortSignal): Promise<void> {
    const isIdle = (source: Source) => this.#stateOf(source.dataset.id).running === null && !source.isReading()
    const due = this.#sources.filter(source => isIdle(source) && this.#dueAt(source) <= this.#clock.now())
    const next = async (): Promise<void> => {
      for (let one = due.shift(); one && !signal.aborted; one = due.shift()) await this.refresh(one, { signal })
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  }

  /** Starts to refresh on schedule and to call the listener. */
  start(listener?: Listener): void {
    this.#listener = listener ?? this.#listener
    if (this.#timer !== null || this.#ended.signal.aborted) return
    const look = () => {
      this.#ticking ??= this.tick(this.#ended.signal).finally(() => {
        this.#ticking = null
      })
    }
    this.#timer = setInterval(look, TICK_MS).unref()
    look()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#ended.abort()
    await this.#ticking
  }

  #stateOf(id: string): State {
    const state = this.#states.get(id) ?? { failures: 0, reason: null, next_at: null, running: null, tried: false }
    this.#states.set(id, state)
    return state
  }

  #delay(source: Source, failures: number): number {
    // Looking at a file costs nothing and needs no request.
    if (failures > 0 && isMissingFile(source)) return TICK_MS / 2
    const interval = source.dataset.refresh_hours * HOUR_MS
    const base = failures === 0 ? interval : Math.min(interval, RETRY_MS * 2 ** Math.min(failures - 1, 20))
    return base * (1 - JITTER + 2 * JITTER * this.#random())
  }

  #dueAt(source: Source): number {
    const state = this.#stateOf(source.dataset.id)
    const copy = source.held()
    const now = this.#clock.now()
    state.next_at ??= copy === null ? now : copy.checked_at + this.#delay(source, 0)
    // No refresh is planned that far ahead: the clock has been set back.
    if (state.next_at - now > source.dataset.refresh_hours * HOUR_MS * (1 + JITTER)) state.next_at = now
    return state.next_at
  }

  async #run(source: Source, state: State, options: RefreshOptions): Promise<RefreshOutcome> {
    const outcome = await source.refresh(options)
    const hasFailed = outcome.status === 'failed'
    const isOldNews = hasFailed && isMissingFile(source) && state.reason === outcome.reason
    state.tried = true
    state.failures = hasFailed ? state.failures + 1 : 0
    state.reason = hasFailed ? outcome.reason : null
    state.next_at = this.#clock.now() + this.#delay(source, state.failures)
    if (outcome.status !== 'unchanged' && !isOldNews && !options.signal.aborted)
      this.#listener?.(source.dataset.id, outcome)
    return outcome
  }
}
