// The limit of wrong API keys of one client address block in a minute, over all processes. A process counts by itself what the
// database does not, and asks it only about blocks that it would still admit.
import { createCache } from '../../base/cache/cache.ts'
import { withTimeout } from '../../base/timeout.ts'
import type { MaybeAsync } from '../store.ts'
import type { Database } from './database.ts'
import { createLockedRows, EMPTY } from './locked_rows.ts'
import { createTicks } from './ticks.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** Milliseconds that a refusal waits for the database at most. */
const WAIT_MS = 1_000

/** Pairs of the end of a second and the guesses within it, the oldest first, in a flat list. */
export type Guesses = readonly number[]

interface Answer {
  readonly guesses: Guesses
  /** Whole seconds until the next guess; 0 when this one was counted. */
  readonly wait: number
}

/** Counts one more guess unless there were too many within the last minute. */
export function guessOnce(before: Guesses, most: number, now: number): Answer {
  const guesses: number[] = []
  let sum = 0
  for (let at = 0; at < before.length; at += 2) {
    const [end = 0, count = 0] = before.slice(at, at + 2)
    // One from a clock that is ahead counts as well, but not for longer than a minute.
    if (end + MINUTE_MS <= now || end > now + MINUTE_MS) continue
    guesses.push(end, count)
    sum += count
  }
  const [oldest = now] = guesses
  if (sum >= most) return { guesses, wait: Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / SECOND_MS)) }
  const end = Math.ceil(now / SECOND_MS) * SECOND_MS
  if (guesses.at(-2) === end) guesses.push(end, (guesses.splice(-2)[1] ?? 0) + 1)
  else guesses.push(end, 1)
  return { guesses, wait: 0 }
}

interface Guess {
  readonly client: string
  readonly resolve: (wait: number) => void
}

export interface WrongKeys {
  /** Counts one wrong key of this client and returns 0 when it is allowed; otherwise returns the whole seconds until the next is. */
  take(client: string): MaybeAsync<number>
  close(): Promise<void>
}

/** Allows `most` in a minute; null means no limit. `now` is the wall clock in milliseconds. */
export function createWrongKeys(database: Database, most: number | null, now: () => number): WrongKeys {
  if (most === null) return { take: () => 0, close: async () => {} }
  const guessesByClient = createCache<Guesses>('rates')
  const rows = createLockedRows(database, { table: 'wrong_keys', name: 'client', text: 'guesses', at: 'at' })
  let wrote = false
  const timer = setInterval(() => void forget(), MINUTE_MS).unref()

  const ticks = createTicks<Guess>(async take => {
    let guesses: readonly Guess[] = []
    const counting = database.transaction(async change => {
      guesses = take()
      const clients = [...new Set(guesses.map(({ client }) => client))].sort()
      const textsBefore = await rows.lock(change, clients)
      const [time, after, waits] = [now(), new Map<string, Guesses>(), [] as number[]]
      for (const { client } of guesses) {
        const before = after.get(client) ?? readGuesses(textsBefore.get(client) ?? EMPTY)
        const { guesses, wait } = guessOnce(before, most, time)
        after.set(client, guesses)
        waits.push(wait)
      }
      const texts = new Map([...after].map(([client, guesses]) => [client, JSON.stringify(guesses)]))
      for (const [client, text] of texts) if (text === textsBefore.get(client)) texts.delete(client)
      await rows.write(change, texts, time)
      return { after, waits }
    })
    try {
      const { after, waits } = await counting
      wrote = true
      for (const [client, guesses] of after) guessesByClient.set(client, guesses)
      for (const [at, { resolve }] of guesses.entries()) resolve(waits[at] ?? 0)
    } catch {
      // This process counts them, which is enough while the database is unavailable.
      for (const { resolve } of guesses.length > 0 ? guesses : take()) resolve(0)
    }
  })

  /** Removes what no longer counts. */
  async function forget(): Promise<void> {
    if (!wrote) return
    wrote = false
    const old = database.read
      .selectFrom('wrong_keys')
      .select('client')
      .where('at', '<', now() - 2 * MINUTE_MS)
    // What another process has locked is not old, or is being removed.
    const oldRows = database.dialect === 'postgres' ? old.forUpdate().skipLocked() : old
    await database
      .transaction(change => change.deleteFrom('wrong_keys').where('client', 'in', oldRows).execute())
      .catch(() => {})
  }

  return {
    take(client) {
      const { guesses, wait } = guessOnce(guessesByClient.get(client) ?? [], most, now())
      guessesByClient.set(client, guesses)
      if (wait > 0) return wait
      const pendingWait = new Promise<number>(resolve => ticks.add({ client, resolve }))
      return withTimeout(pendingWait, WAIT_MS, () => 0)
    },
    async close() {
      clearInterval(timer)
      await ticks.drain()
    },
  }
}

/** A damaged list counts nothing: at worst a few more guesses of 2^160 are allowed. */
function readGuesses(text: string): Guesses {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(one => typeof one === 'number') ? value : []
  } catch {
    return []
  }
}
