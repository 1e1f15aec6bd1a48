// What one list may still be asked: its daily allowance, and a pause for those that are silent or refuse.
import { type Clock, systemClock } from '../../clock.ts'
import { createLocalBoard, type UpstreamBoard } from '../../upstreams/state.ts'
import type { BlockList } from './block_list.ts'

/** Silent answers in a row: a check asks up to three times, so that one slow check alone does not pause a list. */
const SILENT_IN_A_ROW = 6
/** Milliseconds. Long enough to spare most checks the wait, short enough to notice a list that is back. */
const SILENT_PAUSE_MS = 30_000
/** Milliseconds. Refusals last until somebody changes something; asking on prolongs them. */
const REFUSED_PAUSE_MS = 600_000

export type Withheld = 'allowance_spent' | 'list_paused'
export type Settled = 'answered' | 'silent' | 'refused'

export interface Breaker {
  /** Takes one question from the list's allowance, or says why it is not asked. */
  admit(id: string): Withheld | null
  /** How the question went. After a pause one question is let through, and its outcome decides. */
  settle(id: string, outcome: Settled): void
}

interface Account {
  readonly daily: number
  silent: number
  /** Monotonic; null while the list answers. */
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
  /** What is spent, and which lists refuse, as all instances know it. */
  readonly board?: UpstreamBoard
}

export function createBreaker({
  lists,
  clock = systemClock,
  board = createLocalBoard(clock),
}: BreakerOptions): Breaker {
  const accounts = new Map(lists.map(({ id, daily }) => [id, open(daily)]))
  const pause = (account: Account, ms: number) => {
    account.paused_until = clock.monotonic() + ms
  }
  /** All instances leave it alone; the first question after that decides. */
  const refuse = (id: string, account: Account) => {
    pause(account, REFUSED_PAUSE_MS)
    board.pause(sourceOf(id), REFUSED_PAUSE_MS)
  }
  return {
    admit(id) {
      const account = accounts.get(id)
      if (!account) return null
      if (board.isPaused(sourceOf(id))) return 'list_paused'
      const { paused_until } = account
      if (paused_until !== null && clock.monotonic() < paused_until) return 'list_paused'
      if (!board.take(sourceOf(id), account.daily)) return 'allowance_spent'
      if (paused_until !== null) pause(account, SILENT_PAUSE_MS)
      return null
    },
    settle(id, outcome) {
      const account = accounts.get(id)
      if (!account) return
      account.silent = outcome === 'silent' ? account.silent + 1 : 0
      if (outcome === 'answered') account.paused_until = null
      else if (outcome === 'refused') refuse(id, account)
      else if (account.silent >= SILENT_IN_A_ROW) pause(account, SILENT_PAUSE_MS)
    },
  }
}
