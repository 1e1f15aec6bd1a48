// Checks which lists work by their test points (RFC 5782 section 5), which are always and never listed: a defunct list
// lists nothing or everything.
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Answer, Resolver } from '../../network/resolver.ts'
import { type BlockList, type Reading, readListing } from './block_list.ts'
import { queryName, reversedAddress } from './questions.ts'

/** Interval between probes of a list. */
const PROOF_MS = 600_000
/** Interval between probes of a list that did not answer. */
const SILENCE_MS = 60_000

/** `unproven`: has not answered a probe yet. */
export type ListState = Proof | 'unproven'

export interface ListReport {
  readonly id: string
  readonly state: ListState
  /** Milliseconds since the Unix epoch; null before the first successful probe. */
  readonly proven_at: number | null
}

export interface ListHealth {
  /** Probes all lists now and every ten minutes. Resolves after the first round; never rejects. */
  start(): Promise<void>
  stop(): void
  /** Probes the lists that are due. */
  prove(): Promise<void>
  isHealthy(id: string): boolean
  /** Marks a list that gave an impossible answer as unhealthy until its next probe. */
  flag(id: string, state: Proof): void
  report(): readonly ListReport[]
}

export interface ListHealthOptions {
  readonly lists: readonly BlockList[]
  /** Opens a resolver for one list's test points; it closes when the signal aborts. */
  readonly open: (signal: AbortSignal) => Resolver
  readonly clock?: Clock
  /** Milliseconds for a round. */
  readonly round_ms?: number
}

export function createListHealth(options: ListHealthOptions): ListHealth {
  const { lists, open, clock = systemClock, round_ms = ROUND_MS } = options
  const states = new Map<string, { state: ListState; proven_at: number | null; due: number }>(
    lists.map(({ id }) => [id, { state: 'unproven', proven_at: null, due: Number.NEGATIVE_INFINITY }]),
  )

  async function probe(list: BlockList, signal: AbortSignal): Promise<void> {
    const outcome = await askTestPoints(list, open(signal), signal)
    const health = states.get(list.id)
    if (!health || signal.aborted) return
    // Without an answer the previous state stays.
    if (outcome === null) health.due = clock.monotonic() + SILENCE_MS
    else Object.assign(health, { state: outcome, proven_at: clock.now(), due: clock.monotonic() + PROOF_MS })
  }

  const probes = createPeriodicProbe(
    signal =>
      lists.filter(({ id }) => (states.get(id)?.due ?? 0) <= clock.monotonic()).map(list => probe(list, signal)),
    round_ms,
  )

  return {
    ...probes,
    isHealthy: id => states.get(id)?.state === 'healthy',
    flag(id, state) {
      const health = states.get(id)
      if (health) Object.assign(health, { state, due: Number.NEGATIVE_INFINITY })
    },
    report: () => [...states].map(([id, { state, proven_at }]) => ({ id, state, proven_at })),
  }
}

/** Interval between rounds. */
const ROUND_EVERY_MS = 60_000
/** Time limit of a round where a query takes no longer than usual. */
export const ROUND_MS = 2_000

/** Runs rounds of probes, one at a time. `startDue` starts the probes that are due; they never reject. `signal` aborts at the end of the round. */
function createPeriodicProbe(
  startDue: (signal: AbortSignal) => readonly Promise<void>[],
  roundMs: number,
): Pick<ListHealth, 'prove' | 'start' | 'stop'> {
  let timer: NodeJS.Timeout | undefined
  let round: AbortController | null = null

  async function prove(): Promise<void> {
    if (round) return
    const current = new AbortController()
    round = current
    const limit = setTimeout(() => current.abort(), roundMs)
    await Promise.all(startDue(current.signal))
    clearTimeout(limit)
    current.abort()
    if (round === current) round = null
  }

  return {
    prove,
    start() {
      timer ??= setInterval(prove, ROUND_EVERY_MS).unref()
      return prove()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      round?.abort()
      round = null
    },
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

/** The result of the test points: one of these, or the list's own reason for not answering. */
export type Proof = 'healthy' | 'lists_everything' | 'test_point_missing' | (string & {})

export interface TestPoints {
  readonly listed: readonly string[]
  readonly unlisted: readonly string[]
}

/** Names below the list's zone. Lists with both address families are probed by IPv4 only, because few have the IPv6 test point. */
export function testPoints({ asks, test_points }: Pick<BlockList, 'asks' | 'test_points'>): TestPoints {
  if (test_points) return test_points
  const names = asks.includes('host') || asks.includes('registrable')
  const four = asks.includes('ipv4')
  const six = asks.includes('ipv6') && !four
  const addresses = four ? ['127.0.0.2', '127.0.0.1'] : six ? ['::ffff:7f00:2', '::ffff:7f00:1'] : []
  const [listedName, unlistedName] = addresses.map(reversedAddress)
  return {
    listed: [...(names ? ['test'] : []), ...(listedName ? [listedName] : [])],
    unlisted: [...(names ? ['invalid'] : []), ...(unlistedName ? [unlistedName] : [])],
  }
}

/** Null when too few answers arrived to decide. */
export function judgeTestPoints(
  list: BlockList,
  listedAnswers: readonly Answer<string>[],
  unlistedAnswers: readonly Answer<string>[],
): Proof | null {
  const must = listedAnswers.map(answer => readListing(list, answer))
  const mustNot = unlistedAnswers.map(answer => readListing(list, answer))
  if (mustNot.some(isEntry)) return 'lists_everything'
  const all = [...must, ...mustNot]
  const refusal = all.find(reading => reading.status === 'unknown' && reading.by === 'list')
  if (refusal?.status === 'unknown') return refusal.reason
  if (must.some(({ status }) => status === 'not_listed')) return 'test_point_missing'
  return must.every(isEntry) && mustNot.every(({ status }) => status === 'not_listed') ? 'healthy' : null
}

/** Test points may have a code of their own. */
const isEntry = (reading: Reading): boolean => reading.status === 'listed' || ('by' in reading && reading.by === 'code')
