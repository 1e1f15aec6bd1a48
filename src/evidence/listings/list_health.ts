// Which lists may be believed now: each is proven by its test points at the start and every ten minutes.
import { type Clock, systemClock } from '../../clock.ts'
import { createPeriodicProbe } from '../../network/periodic_probe.ts'
import type { Answer, Resolver } from '../../network/resolve.ts'
import type { BlockList } from './block_list.ts'
import { queryName } from './query_name.ts'
import { judgeTestPoints, type Proof, testPoints } from './test_points.ts'

/** Milliseconds between proofs of a list. */
const PROOF_MS = 600_000
/** Milliseconds until a list that has never answered is asked again. */
const SILENCE_MS = 60_000

/** `unproven`: has not answered yet. */
export type ListState = Proof | 'unproven'

export interface ListReport {
  readonly id: string
  readonly state: ListState
  /** Milliseconds since the Unix epoch; null before the first proof. */
  readonly proven_at: number | null
}

export interface ListHealth {
  /** Proves all lists, then again every ten minutes. Resolves after the first round, in two seconds at most; never rejects. */
  start(): Promise<void>
  stop(): void
  /** Proves the lists that are due. */
  prove(): Promise<void>
  isHealthy(id: string): boolean
  /** Distrusts a list that gave an impossible answer, until it is proven again. */
  flag(id: string, state: Proof): void
  report(): readonly ListReport[]
}

export interface ListHealthOptions {
  readonly lists: readonly BlockList[]
  /** A resolver of its own for one list's test points; its end is the signal's. */
  readonly open: (signal: AbortSignal) => Resolver
  readonly clock?: Clock
}

export function createListHealth({ lists, open, clock = systemClock }: ListHealthOptions): ListHealth {
  const states = new Map<string, { state: ListState; proven_at: number | null; due: number }>(
    lists.map(({ id }) => [id, { state: 'unproven', proven_at: null, due: Number.NEGATIVE_INFINITY }]),
  )

  async function proveOne(list: BlockList, signal: AbortSignal): Promise<void> {
    const outcome = await askTestPoints(list, open(signal), signal)
    const known = states.get(list.id)
    if (!known || signal.aborted) return
    // Silence tells nothing of what the list would say: what was known of it stays
    if (outcome === null) known.due = clock.monotonic() + SILENCE_MS
    else Object.assign(known, { state: outcome, proven_at: clock.now(), due: clock.monotonic() + PROOF_MS })
  }

  const rounds = createPeriodicProbe(signal =>
    lists.filter(({ id }) => (states.get(id)?.due ?? 0) <= clock.monotonic()).map(list => proveOne(list, signal)),
  )

  return {
    ...rounds,
    isHealthy: id => states.get(id)?.state === 'healthy',
    flag(id, state) {
      const known = states.get(id)
      if (known) Object.assign(known, { state, due: Number.NEGATIVE_INFINITY })
    },
    report: () => [...states].map(([id, { state, proven_at }]) => ({ id, state, proven_at })),
  }
}

async function askTestPoints(list: BlockList, resolver: Resolver, signal: AbortSignal): Promise<Proof | null> {
  const { listed, unlisted } = testPoints(list)
  const ask = (subjects: readonly string[]) =>
    Promise.all(
      subjects.map(async (subject): Promise<Answer<string>> => {
        const name = queryName(subject, list.zone)
        return name === null ? { status: 'unknown', reason: 'malformed' } : resolver.query(name, 'A', { signal })
      }),
    )
  const [must, mustNot] = await Promise.all([ask(listed), ask(unlisted)])
  return judgeTestPoints(list, must, mustNot)
}
