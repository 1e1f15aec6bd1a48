// Which accounts saw which results. Answers from the cache are noted in batches, outside of requests.
import { createCache } from '../../base/cache/cache.ts'
import type { Facet } from '../facets.ts'
import { resultIdOf } from '../result_body.ts'
import type { StoreEvent } from '../store.ts'
import type { Database } from './database.ts'
import { addAllFacets, rowsOf } from './facets.ts'
import { storeErrorOf } from './faults.ts'

export type Sightings = ReturnType<typeof createSightings>

/** Milliseconds that sightings are collected before they are written together. */
const COLLECT_MS = 250
/** Sightings of one transaction. */
const BATCH = 256
/** Sightings that wait to be written. Beyond that the store is too slow, and answers matter more. */
const WAITING = 20_000

interface Sighting {
  readonly account: string
  readonly id: string
}

const nameOf = ({ account, id }: Sighting): string => `${account} ${id}`

export function createSightings(database: Database, event: StoreEvent) {
  const recent = createCache<true>('sightings')
  let waiting: Sighting[] = []
  let droppedCount = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  /** Resolves when everything noted before is written or dropped. Never rejects. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeWaiting)
    return writing
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      try {
        await write(database, batch)
      } catch (error) {
        // An unavailable store would refuse the others too, each after seconds.
        const lostSightings = [...batch, ...waiting]
        waiting = []
        droppedCount += lostSightings.length
        for (const sighting of lostSightings) recent.delete(nameOf(sighting))
        event('error', { store: 'history-lost', detail: storeErrorOf(error).message.slice(0, 200) })
      }
    }
  }

  return {
    /** Queues an answer from the cache to an account. Takes no time on the path of the request, never throws. */
    note(account: string, bytes: Buffer) {
      const id = resultIdOf(bytes)
      if (id === null || recent.get(nameOf({ account, id })) !== undefined) return
      if (waiting.length >= WAITING) {
        droppedCount += 1
        return
      }
      recent.set(nameOf({ account, id }), true)
      waiting.push({ account, id })
      timer ??= setTimeout(flush, COLLECT_MS).unref()
    },
    /** The sighting is written already. */
    wrote(account: string, id: string) {
      recent.set(nameOf({ account, id }), true)
    },
    /** Sightings that were dropped because the store is unavailable or slower than the answers. */
    get dropped() {
      return droppedCount
    },
    written: flush,
  }
}

/**
 * Writes the sightings of results that still exist. All processes write in the same order, so that two processes that write the same
 * rows wait for each other and never deadlock.
 */
async function write({ dialect, read, transaction }: Database, batch: readonly Sighting[]): Promise<void> {
  await transaction(async change => {
    const results = await (dialect === 'sqlite' ? read : change)
      .selectFrom('stored_results')
      .select(['id', 'target', 'checked_at', 'facets'])
      .where('id', 'in', [...new Set(batch.map(({ id }) => id))])
      .orderBy('id')
      // They must not be removed before their sightings are written.
      .$if(dialect === 'postgres', query => query.forKeyShare())
      .$narrowType<{ id: string; target: string }>()
      .execute()
    const sightings = results.flatMap(({ facets, ...result }) =>
      batch
        .filter(({ id }) => id === result.id)
        .map(({ account }) => ({ row: { account, ...result }, facets: facetsIn(facets) }))
        .sort((one, other) => (one.row.account < other.row.account ? -1 : 1)),
    )
    const rows = sightings.map(({ row }) => row)
    if (rows.length === 0) return
    await change
      .insertInto('sightings')
      .values(rows)
      .onConflict(oc => oc.doNothing())
      .execute()
    await addAllFacets(
      change,
      sightings.flatMap(({ row, facets }) => rowsOf([row], facets)),
    )
  })
}

const facetsIn = (text: string | null): readonly Facet[] => (text === null ? [] : JSON.parse(text))
