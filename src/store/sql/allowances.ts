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
/** Share of what is left that one block may take, so that the last queries of a day go to any process that asks. */
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

const UNUSED_BOARD: Board = { day: 0, taken: 0, paused_until: 0 }

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
  readonly grant: number
  /** Queries that were used before and are counted now. */
  readonly owed: number
}

export interface Allowances extends UpstreamState {
  /** Returns unused queries of the blocks to the database. */
  close(): Promise<void>
}

/** Never rejects: while the database is unavailable, blocks taken and pauses set here stay in force. */
export async function openAllowances(database: Database, clock: Clock): Promise<Allowances> {
  const account = new AllowanceAccount(database, clock)
  await account.poll()
  const polling = setInterval(() => void account.poll(), POLL_MS).unref()
  return {
    isPaused: source => account.pauses.isPaused(source),
    pause: (source, ms) => account.pause(source, ms),
    take: (source, daily) => daily === Number.POSITIVE_INFINITY || account.take(source, daily),
    async close() {
      clearInterval(polling)
      await account.close()
    },
  }
}

/** This process's part of the rows: blocks of queries, and copies of the rows as last read. */
class AllowanceAccount {
  readonly pauses: UpstreamState
  readonly #database: Database
  readonly #clock: Clock
  readonly #rows: ReturnType<typeof createLockedRows>
  readonly #blocks = new Map<string, Block>()
  readonly #boards = new Map<string, Board>()
  /** Ends of pauses that the rows do not have yet. */
  readonly #unwritten = new Map<string, number>()
  readonly #ticks = createTicks<string>(take => this.#write(take))
  #isAway = false
  #isClosed = false
  #polling: Promise<void> = Promise.resolve()

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
    this.pauses = createUpstreamState(clock)
    this.#rows = createLockedRows(database, { table: 'allowances', name: 'upstream', text: 'state' })
  }

  pause(source: string, ms: number): void {
    this.pauses.pause(source, ms)
    this.#unwritten.set(source, Math.max(this.#clock.now() + ms, this.#unwritten.get(source) ?? 0))
    this.#ticks.add(source)
  }

  take(source: string, daily: number): boolean {
    const block = this.#blockOf(source, daily)
    const isAllowed = block.left > 0 || this.#mayOwe(block)
    if (block.left > 0) block.left -= 1
    else if (isAllowed) block.owed += 1
    if (isAllowed) block.used += 1
    const isLow = block.left < this.#sizeOf(block) / 2
    if (isLow && !this.#isAway && block.taken + block.owed < daily) this.#ticks.add(source)
    return isAllowed
  }

  /** Reads what others paused and took, one read after the other. */
  poll(): Promise<void> {
    this.#polling = this.#polling.then(() => this.#pollNow())
    return this.#polling
  }

  async close(): Promise<void> {
    await this.#polling
    await this.#ticks.drain()
    this.#isClosed = true
    for (const [source, { left, owed }] of this.#blocks) if (left + owed > 0) this.#ticks.add(source)
    for (const source of this.#unwritten.keys()) this.#ticks.add(source)
    await this.#ticks.drain()
  }

  #blockOf(source: string, daily: number): Block {
    const day = dayStart(this.#clock.now())
    const last = this.#blocks.get(source)
    if (last?.day === day) return Object.assign(last, { daily })
    const board = this.#boards.get(source)
    const takenToday = board?.day === day ? board.taken : 0
    const queries = { taken: takenToday, left: 0, owed: 0, used: 0 }
    const block = { day, daily, ...queries, asked: false, since: this.#clock.monotonic() }
    this.#blocks.set(source, block)
    return block
  }

  /** In a burst, and before the first block of a day has arrived: as long as the end of the day's queries is far. */
  #mayOwe({ daily, taken, owed, asked }: Block): boolean {
    const room = daily - taken - owed
    return !this.#isAway && room > 0 && (owed + 1 <= room * OWED_SHARE || (!asked && owed === 0))
  }

  /** Queries for the next seconds. */
  #sizeOf({ used, since }: Block): number {
    const elapsedMs = Math.max(SECOND_MS, this.#clock.monotonic() - since)
    return Math.max(LEAST, Math.ceil((used * BLOCK_SECONDS * SECOND_MS) / elapsedMs))
  }

  async #write(take: () => readonly string[]): Promise<void> {
    let changes: ReadonlyMap<string, Change> = new Map()
    try {
      await this.#database.transaction(async change => {
        const sources = [...new Set(take())].sort()
        const texts = await this.#rows.lock(change, sources)
        changes = new Map(
          sources.map(source => [source, this.#changeOf(source, readBoard(texts.get(source) ?? EMPTY))]),
        )
        const boards = [...changes].map(([source, { board }]) => [source, JSON.stringify(board)] as const)
        await this.#rows.write(change, new Map(boards))
      })
      this.#isAway = false
    } catch {
      this.#isAway = true
      take()
      return
    }
    for (const [source, change] of changes) this.#settle(source, change)
  }

  #changeOf(source: string, storedBoard: Board): Change {
    const today = dayStart(this.#clock.now())
    const pausedUntil = Math.max(storedBoard.paused_until, this.#unwritten.get(source) ?? 0)
    const block = this.#blocks.get(source)
    // Another process may have begun the next day already.
    const before = storedBoard.day < today ? { day: today, taken: 0 } : storedBoard
    if (block?.day !== today) return { board: { ...before, paused_until: pausedUntil }, grant: 0, owed: 0 }
    const { owed, left, daily } = block
    const room = Math.max(0, daily - before.taken - owed)
    const shortfall = this.#isClosed ? -left : Math.max(0, this.#sizeOf(block) - left)
    const grant = Math.min(shortfall, Math.ceil(room * BLOCK_SHARE))
    const takenNow = Math.max(0, before.taken + owed + grant)
    return { board: { day: before.day, taken: takenNow, paused_until: pausedUntil }, block, grant, owed }
  }

  #settle(source: string, { board, block, grant, owed }: Change): void {
    this.#boards.set(source, board)
    const unwrittenUntil = this.#unwritten.get(source) ?? Number.POSITIVE_INFINITY
    if (unwrittenUntil <= board.paused_until) this.#unwritten.delete(source)
    if (block === undefined) return
    Object.assign(block, { taken: board.taken, asked: true, used: 0, since: this.#clock.monotonic() })
    block.left += grant
    block.owed -= owed
  }

  async #pollNow(): Promise<void> {
    try {
      const rows = await this.#database.read.selectFrom('allowances').selectAll().execute()
      const now = this.#clock.now()
      for (const { upstream, state } of rows) {
        const board = readBoard(state)
        this.#boards.set(upstream, board)
        if (board.paused_until > now) this.pauses.pause(upstream, board.paused_until - now)
        const block = this.#blocks.get(upstream)
        if (block?.day === board.day) block.taken = board.taken
      }
      this.#isAway = false
    } catch {
      this.#isAway = true
    }
    for (const source of this.#unwritten.keys()) this.#ticks.add(source)
    for (const [source, { owed }] of this.#blocks) if (owed > 0) this.#ticks.add(source)
  }
}

const dayStart = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS

/** A damaged row is unused: the upstream refuses by itself what is too much. */
function readBoard(text: string): Board {
  const { day, taken, paused_until } = storedObject(text) ?? UNUSED_BOARD
  const isBoard = [day, taken, paused_until].every(value => Number.isSafeInteger(value))
  return isBoard ? { day: Number(day), taken: Number(taken), paused_until: Number(paused_until) } : UNUSED_BOARD
}
