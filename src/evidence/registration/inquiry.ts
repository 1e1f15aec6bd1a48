// Asking registries for all checks together: those about one subject share one question.
import type { Clock } from '../../clock.ts'
import { type TimeLimit, timeLimit } from '../../network/time_limit.ts'
import { singleFlight } from '../../single_flight.ts'
import { Unavailable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import type { Ask, Registered, Way } from './lookup_strategies.ts'

export interface Told<Facts> {
  readonly source: Way<Facts>['source']
  readonly facts: Facts
}

/**
 * The first way that leads to an answer; else rejects with the first failure, for the others are second choices:
 * `Unavailable` with `rdap_timeout`, `rdap_429`, `rdap_paused`, `whois_limited`, ..., or `cancelled` when the check ends.
 */
export type Inquire<Facts> = (
  context: Pick<GatherContext, 'network' | 'signal'>,
  subject: string,
  ways: readonly Way<Facts>[],
) => Promise<Told<Facts>>

export interface InquiryOptions {
  readonly ask: Ask
  readonly clock: Clock
  /** Milliseconds for everything. */
  readonly timeout_ms?: number | undefined
}

/** A registry that takes longer does not hold up a check. */
const TIMEOUT_MS = 3_000
/** How often a check asks itself because the check that asked for both has ended. */
const OWN_TRIES = 2

export function createInquiry<Facts extends Registered>({
  ask,
  clock,
  timeout_ms = TIMEOUT_MS,
}: InquiryOptions): Inquire<Facts> {
  const flights = singleFlight<Told<Facts>>()

  async function look(
    context: Parameters<Inquire<Facts>>[0],
    subject: string,
    ways: readonly Way<Facts>[],
    signal: AbortSignal,
  ) {
    const limit = timeLimit(timeout_ms, signal)
    try {
      return await tryEach(context, subject, ways, limit)
    } finally {
      limit.end()
    }
  }

  async function tryEach(
    context: Parameters<Inquire<Facts>>[0],
    subject: string,
    ways: readonly Way<Facts>[],
    limit: TimeLimit,
  ): Promise<Told<Facts>> {
    const question = { subject, now: clock.now(), timeout_ms, signal: limit.signal }
    let reason: string | null = null
    for (const way of ways) {
      const answer = await ask(way, context.network, question)
      if (answer.ok) return { source: way.source, facts: answer.facts }
      // What ended from our side fails in many ways
      const failure = limit.late() ? 'timeout' : context.signal.aborted ? 'cancelled' : answer.failure
      reason ??= `${way.source}_${failure}`
      if (question.signal.aborted) break
    }
    throw new Unavailable(reason ?? 'no_answer')
  }

  /** Whoever asks first asks for all; when that check ends before the answer is there, another takes over. */
  return async (context, subject, ways) => {
    for (let left = OWN_TRIES; ; left--) {
      try {
        return await flights.run(subject, signal => look(context, subject, ways, signal), context.signal)
      } catch (error) {
        if (context.signal.aborted) throw new Unavailable('cancelled')
        if (left === 0 || !(error instanceof Unavailable) || !error.reason.endsWith('_cancelled')) throw error
      }
    }
  }
}
