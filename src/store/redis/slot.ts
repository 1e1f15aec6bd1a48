// A directory of this process's own below the data directory: several instances may share that, and each must find its journal again.
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../embedded/file.ts'
import { StoreError } from '../store.ts'

/** Instances on one data directory; more would be a mistake. */
const slots_max = 64
const slot_form = /^instance-\d{1,2}$/

export interface Slot {
  readonly directory: string
  release(): void
}

/**
 * The first free one, and all others that nobody holds but that exist: what instances that are no more left in them
 * must be counted too. Throws a StoreError when there is none.
 */
export function takeSlots(data: string): { own: Slot; orphans: Slot[] } {
  const own = firstFree(data)
  const others = readdirSync(data).filter(name => slot_form.test(name) && join(data, name) !== own.directory)
  const orphans = others.flatMap(name => tryLock(join(data, name)) ?? [])
  return { own, orphans }
}

function firstFree(data: string): Slot {
  for (let n = 0; n < slots_max; n++) {
    const slot = tryLock(join(data, `instance-${n}`))
    if (slot !== null) return slot
  }
  throw new StoreError('store_in_use', `${slots_max} processes serve from ${data}`)
}

function tryLock(directory: string): Slot | null {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new StoreError('store_unavailable', `cannot use ${directory} for data: ${String(cause)}`, cause)
  }
  try {
    return { directory, ...lockDirectory(directory) }
  } catch (fault) {
    if (fault instanceof StoreError && fault.code === 'store_in_use') return null
    throw fault
  }
}
