// Pauses and daily allowances of upstream sources over all processes. Each answers from its own copy: it takes queries from a row in
// blocks for the next seconds, and reads every two seconds what others paused. A block that dies with its process is lost.
import type { Clock } from '../../base/clock.ts'
import { createUpstreamState, type UpstreamState } from '../../knowledge/upstreams/state.ts'
import { storedObject } from '../stored_object.ts'
import type { Database } from './database.ts'
import { createLockedRows, EMPTY } from './locked_rows.ts'
import { createTicks } from './ticks.ts'

const DAY_MS = 86_400_000
const SECOND_MS = 1_000
const POLL_MS = 2_000

/** Seconds for which a block lasts at the rate of the queries before it. */
const BLOCK_SECONDS = 5
const LEAST = 8
/** Share of what is left that one block may take, so that the last queries of a day go to whoever asks. */
const BLOCK_SHARE = 1 / 8
/** Share of what is left that a process may use before its block arrives, in a burst. */
const OWED_SHARE = 1 / 64

/** The row of a source. */
export interface Board {
  /** First millisecond of the day (UTC) that `taken` belongs to. */
  readonly day: number
  readonly taken: number
  /** Milliseconds since the Unix epoch. */
  readonly paused_until: number
}

const UNUSED: Board = { day: 0, taken: 0, paused_until: 0 }

/** What this process has of the allowance of one source today. */
interface Block {
  readonly day: number
  daily: number
  /** Queries of all processes, as last read. */
  taken: number
  /** Queries taken from the row and not used yet. */
  left: number
  /** Queries used that the row does not count yet. */
  owed: number
  /** Whether the row has been asked, so that `left` says what there is. */
  asked: boolean
  /** Queries used since this moment of the monotonic clock. */
  used: number
  since: number
}

/** A row after what this process wanted of it. */
interface Change {
  readonly board: Board
  /** What gets the granted queries; absent when there is none of today. */
  readonly block?: Block
  readonly granted: number
  /** Queries that were used before and are counted now. */
  readonly owed: number
}

export interface Allowances extends UpstreamState {
  /** Returns what is left of the blocks. */
  close(): Promise<void>
}

/** Never rejects: while the database is away, what was taken and paused here stays in force. */
export async function openAllowances(database: Database, clock: Clock): Promise<Allowances> {
  const pauses = createUpstreamState(clock)
  const blocks = new Map<string, Block>()
  const boards = new Map<string, Board>()
  /** Ends of pauses that the rows do not have yet. */
  const unwritten = new Map<string, number>()
  const rows = createLockedRows(database, { table: 'allowances', name: 'upstream', text: 'state' })
  let away = false
  let closed = false

  function blockOf(source: string, daily: number): Block {
    const day = dayStart(clock.now())
    const last = blocks.get(source)
    if (last?.day === day) return Object.assign(last, { daily })
    const board = boards.get(source)
    const takenToday = board?.day === day ? board.taken : 0
    const block = { day, daily, taken: takenToday, left: 0, owed: 0, asked: false, used: 0, since: clock.monotonic() }
    blocks.set(source, block)
    return block
  }

  const ticks = createTicks<string>(async take => {
    let changes: ReadonlyMap<string, Change> = new Map()
    try {
      await database.transaction(async change => {
        const sources = [...new Set(take())].sort()
        const boardTexts = await rows.lock(change, sources)
        changes = new Map(sources.map(source => [source, next(source, readBoard(boardTexts.get(source) ?? EMPTY))]))
        await rows.write(change, new Map([...changes].map(([source, { board }]) => [source, JSON.stringify(board)])))
      })
      away = false
    } catch {
      away = true
      take()
      return
    }
    for (const [source, change] of changes) settle(source, change)
  })

  function next(source: string, stored: Board): Change {
    const today = dayStart(clock.now())
    const pausedUntil = Math.max(stored.paused_until, unwritten.get(source) ?? 0)
    const block = blocks.get(source)
    // Another process may have begun the next day already.
    const before = stored.day < today ? { day: today, taken: 0 } : stored
    if (block?.day !== today) return { board: { ...before, paused_until: pausedUntil }, granted: 0, owed: 0 }
    const { owed, left, daily } = block
    const room = Math.max(0, daily - before.taken - owed)
    const shortfall = closed ? -left : Math.max(0, sizeOf(block) - left)
    const granted = Math.min(shortfall, Math.ceil(room * BLOCK_SHARE))
    const takenNow = Math.max(0, before.taken + owed + granted)
    return { board: { day: before.day, taken: takenNow, paused_until: pausedUntil }, block, granted, owed }
  }

  /** Queries for the next seconds. */
  const sizeOf = ({ used, since }: Block): number =>
    Math.max(LEAST, Math.ceil((used * BLOCK_SECONDS * SECOND_MS) / Math.max(SECOND_MS, clock.monotonic() - since)))

  function settle(source: string, { board, block, granted, owed }: Change): void {
    boards.set(source, board)
    if ((unwritten.get(source) ?? Number.POSITIVE_INFINITY) <= board.paused_until) unwritten.delete(source)
    if (block === undefined) return
    Object.assign(block, { taken: board.taken, asked: true, used: 0, since: clock.monotonic() })
    block.left += granted
    block.owed -= owed
  }

  async function poll(): Promise<void> {
    try {
      const all = await database.read.selectFrom('allowances').selectAll().execute()
      const now = clock.now()
      for (const { upstream, state } of all) {
        const board = readBoard(state)
        boards.set(upstream, board)
        if (board.paused_until > now) pauses.pause(upstream, board.paused_until - now)
        const block = blocks.get(upstream)
        if (block?.day === board.day) block.taken = board.taken
      }
      away = false
    } catch {
      away = true
    }
    for (const source of unwritten.keys()) ticks.add(source)
    for (const [source, { owed }] of blocks) if (owed > 0) ticks.add(source)
  }

  await poll()
  let polling = Promise.resolve()
  const timer = setInterval(() => {
    polling = polling.then(poll)
  }, POLL_MS).unref()

  /** In a burst, and before the first block of a day has arrived: as long as the end of the day's queries is far. */
  const mayOwe = ({ daily, taken, owed, asked }: Block): boolean => {
    const room = daily - taken - owed
    return !away && room > 0 && (owed + 1 <= room * OWED_SHARE || (!asked && owed === 0))
  }

  return {
    isPaused: pauses.isPaused,
    pause(source, ms) {
      pauses.pause(source, ms)
      unwritten.set(source, Math.max(clock.now() + ms, unwritten.get(source) ?? 0))
      ticks.add(source)
    },
    take(source, daily) {
      if (daily === Number.POSITIVE_INFINITY) return true
      const block = blockOf(source, daily)
      const isAllowed = block.left > 0 || mayOwe(block)
      if (block.left > 0) block.left -= 1
      else if (isAllowed) block.owed += 1
      if (isAllowed) block.used += 1
      const isLow = block.left < sizeOf(block) / 2
      if (isLow && !away && block.taken + block.owed < daily) ticks.add(source)
      return isAllowed
    },
    async close() {
      clearInterval(timer)
      await polling
      await ticks.drain()
      closed = true
      for (const [source, { left, owed }] of blocks) if (left + owed > 0) ticks.add(source)
      for (const source of unwritten.keys()) ticks.add(source)
      await ticks.drain()
    },
  }
}

const dayStart = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS

/** A damaged row is unused: the upstream refuses by itself what is too much. */
function readBoard(text: string): Board {
  const { day, taken, paused_until } = storedObject(text) ?? UNUSED
  const isBoard = [day, taken, paused_until].every(value => Number.isSafeInteger(value))
  return isBoard ? { day: Number(day), taken: Number(taken), paused_until: Number(paused_until) } : UNUSED
}
