// When each dataset is refreshed: at its own interval with jitter, earlier after a failure with backoff, few at a time.
import type { Clock } from '../../base/clock.ts'
import type { Refreshed, RefreshOptions, Source } from './source.ts'
import type { RefreshState } from './status.ts'

export interface ScheduleOptions {
  readonly sources: readonly Source[]
  readonly clock: Clock
  /** In [0, 1). */
  readonly random?: () => number
  readonly listener?: Listener | undefined
}

/** Called with every refresh that changed something or failed. */
export type Listener = (id: string, outcome: Refreshed) => void

export interface Schedule {
  refreshState(id: string): RefreshState
  /** Whether the first fetch is still to come. */
  awaits(id: string): boolean
  /** Refreshes one now, or joins the refresh that is under way. */
  refresh(source: Source, options: RefreshOptions): Promise<Refreshed>
  /** Refreshes all sources that are due. */
  tick(signal: AbortSignal): Promise<void>
  /** Starts to refresh on schedule and to call the listener. */
  start(listener?: Listener): void
  stop(): Promise<void>
}

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
  running: Promise<Refreshed> | null
  tried: boolean
}

/** A file of the operator that is not in memory. */
const isMissingFile = ({ dataset, held }: Source): boolean => dataset.path !== null && held() === null

export function createSchedule({ sources, clock, random = Math.random, listener }: ScheduleOptions): Schedule {
  const states = new Map<string, State>()
  const ended = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let emit = listener

  const stateOf = (id: string): State => {
    const state = states.get(id) ?? { failures: 0, reason: null, next_at: null, running: null, tried: false }
    states.set(id, state)
    return state
  }

  const delay = (source: Source, failures: number): number => {
    // Looking at a file costs nothing, and nobody else is asked.
    if (failures > 0 && isMissingFile(source)) return TICK_MS / 2
    const interval = source.dataset.refresh_hours * HOUR_MS
    const base = failures === 0 ? interval : Math.min(interval, RETRY_MS * 2 ** Math.min(failures - 1, 20))
    return base * (1 - JITTER + 2 * JITTER * random())
  }

  const dueAt = (source: Source): number => {
    const state = stateOf(source.dataset.id)
    const held = source.held()
    const now = clock.now()
    state.next_at ??= held === null ? now : held.checked_at + delay(source, 0)
    // No refresh is planned that far ahead: the clock has been set back.
    if (state.next_at - now > source.dataset.refresh_hours * HOUR_MS * (1 + JITTER)) state.next_at = now
    return state.next_at
  }

  const run = async (source: Source, options: RefreshOptions): Promise<Refreshed> => {
    const state = stateOf(source.dataset.id)
    const outcome = await source.refresh(options)
    const failed = outcome.status === 'failed'
    const isOldNews = failed && isMissingFile(source) && state.reason === outcome.reason
    state.tried = true
    state.failures = failed ? state.failures + 1 : 0
    state.reason = failed ? outcome.reason : null
    state.next_at = clock.now() + delay(source, state.failures)
    if (outcome.status !== 'unchanged' && !isOldNews && !options.signal.aborted) emit?.(source.dataset.id, outcome)
    return outcome
  }

  const refresh: Schedule['refresh'] = (source, options) => {
    const state = stateOf(source.dataset.id)
    state.running ??= run(source, options).finally(() => {
      state.running = null
    })
    return state.running
  }

  const tick: Schedule['tick'] = async signal => {
    const isIdle = (source: Source) => stateOf(source.dataset.id).running === null && !source.isReading()
    const due = sources.filter(source => isIdle(source) && dueAt(source) <= clock.now())
    const next = async (): Promise<void> => {
      for (let one = due.shift(); one && !signal.aborted; one = due.shift()) await refresh(one, { signal })
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  }

  let ticking: Promise<void> = Promise.resolve()
  let busy = false
  const look = () => {
    if (busy) return
    busy = true
    ticking = tick(ended.signal).finally(() => {
      busy = false
    })
  }
  return {
    refreshState: id => stateOf(id),
    awaits: id => timer !== null && !stateOf(id).tried,
    refresh,
    tick,
    start(given) {
      emit = given ?? emit
      if (timer !== null || ended.signal.aborted) return
      timer = setInterval(look, TICK_MS)
      timer.unref()
      look()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
      ended.abort()
      await ticking
    },
  }
}
