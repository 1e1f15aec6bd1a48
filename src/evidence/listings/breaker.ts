// Limits queries to each list: a daily allowance, and a pause after silence or a refusal.
//
// No library: circuit breakers such as opossum wrap one function and keep state in the process; this one shares pauses and
// allowances between instances and tells silence from refusal.
import { type Clock, systemClock } from '../../base/clock.ts'
import { createUpstreamState, type UpstreamState } from '../../knowledge/upstreams/state.ts'
import type { BlockList } from './block_list.ts'

/** Consecutive unanswered queries. A check sends up to three, so one slow check does not pause a list. */
const SILENT_IN_A_ROW = 6
/** Long enough to spare most checks the wait, short enough to notice that the list works again. */
const SILENT_PAUSE_MS = 30_000
/** Refusals last until the operator changes the configuration, and further queries prolong them. */
const REFUSED_PAUSE_MS = 600_000

export type WithheldReason = 'allowance_spent' | 'list_paused'
export type QuestionOutcome = 'answered' | 'silent' | 'refused'

export type Breaker = ReturnType<typeof createBreaker>

interface Account {
  readonly daily: number
  silent: number
  /** Monotonic milliseconds; null while the list answers. */
  paused_until: number | null
}

const sourceOf = (id: string) => `list ${id}`

const open = (daily: number | null): Account => ({
  daily: daily ?? Number.POSITIVE_INFINITY,
  silent: 0,
  paused_until: null,
})

interface BreakerOptions {
  readonly lists: readonly Pick<BlockList, 'id' | 'daily'>[]
  readonly clock?: Clock
  /** Allowances and refusals, shared by all instances. */
  readonly upstream_state?: UpstreamState
}

export function createBreaker({
  lists,
  clock = systemClock,
  upstream_state = createUpstreamState(clock),
}: BreakerOptions) {
  const accounts = new Map(lists.map(({ id, daily }) => [id, open(daily)]))
  const pause = (account: Account, ms: number) => {
    account.paused_until = clock.monotonic() + ms
  }
  /** Pauses the list on all instances; the first query afterwards decides. */
  const refuse = (id: string, account: Account) => {
    pause(account, REFUSED_PAUSE_MS)
    upstream_state.pause(sourceOf(id), REFUSED_PAUSE_MS)
  }
  return {
    /** Takes one query from the list's allowance, or returns why it is withheld. */
    admit(id: string): WithheldReason | null {
      const account = accounts.get(id)
      if (!account) return null
      if (upstream_state.isPaused(sourceOf(id))) return 'list_paused'
      const { paused_until } = account
      if (paused_until !== null && clock.monotonic() < paused_until) return 'list_paused'
      if (!upstream_state.take(sourceOf(id), account.daily)) return 'allowance_spent'
      if (paused_until !== null) pause(account, SILENT_PAUSE_MS)
      return null
    },
    /** Records an outcome. After a pause one query is let through, and its outcome decides. */
    settle(id: string, outcome: QuestionOutcome) {
      const account = accounts.get(id)
      if (!account) return
      account.silent = outcome === 'silent' ? account.silent + 1 : 0
      if (outcome === 'answered') account.paused_until = null
      else if (outcome === 'refused') refuse(id, account)
      else if (account.silent >= SILENT_IN_A_ROW) pause(account, SILENT_PAUSE_MS)
    },
  }
}
