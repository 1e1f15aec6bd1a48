// A dataset in a file of the operator's: read again when it was replaced.
import { stat } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import type { Use } from './dataset.ts'
import { loadSuccessor, type Values } from './loaders.ts'
import type { DatasetFor, Held, Source } from './source.ts'
import { reasonOf } from './unusable.ts'

export function localSource<One extends Use>(dataset: DatasetFor<One>, path: string, clock: Clock): Source<One> {
  let held: Held<Values[One]> | null = null
  let read_of: number | null = null
  const load = async (before: typeof held = null) => {
    const modified = await modifiedAt(path)
    const loaded = await loadSuccessor(path, dataset, before)
    read_of = modified
    held = { ...loaded, fetched_at: clock.now(), checked_at: clock.now() }
  }
  return {
    dataset,
    held: () => held,
    load: () => load(),
    async refresh({ force = false }) {
      try {
        if (held !== null && !force && (await modifiedAt(path)) === read_of) {
          held = { ...held, checked_at: clock.now() }
          return { status: 'unchanged' }
        }
        await load(force ? null : held)
        return { status: 'fetched' }
      } catch (error) {
        return { status: 'failed', reason: reasonOf(error) }
      }
    },
  }
}

/** Milliseconds; null when it cannot be told, which is never the same. */
const modifiedAt = (path: string): Promise<number | null> =>
  stat(path).then(
    file => file.mtimeMs,
    () => Number.NaN,
  )
