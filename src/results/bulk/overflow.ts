// Tasks of a domain that exceed its share of memory wait on disk: one file per domain, first in, first out.
import { appendFileSync, closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Overflow<Item> {
  put(group: string, item: Item): void
  /** Some of the group's items, oldest first; empty when there are none left. */
  take(group: string): readonly Item[]
  has(group: string): boolean
  close(): void
}

interface Pile {
  readonly file: string
  read: number
  written: number
}

/** For few items, which need no disk. */
export function createMemoryOverflow<Item>(): Overflow<Item> {
  const piles = new Map<string, Item[]>()
  return {
    put(group, item) {
      const pile = piles.get(group)
      if (pile === undefined) piles.set(group, [item])
      else pile.push(item)
    },
    take(group) {
      const pile = piles.get(group) ?? []
      piles.delete(group)
      return pile
    },
    has: group => piles.has(group),
    close: () => piles.clear(),
  }
}

/** Octets per read: about fifty tasks. */
const CHUNK_BYTES = 8_192

/** The directory is created when first needed and removed at the end. An item must be JSON and shorter than 8 KiB. */
export function createOverflow<Item>(parent = tmpdir()): Overflow<Item> {
  const piles = new Map<string, Pile>()
  let directory: string | null = null
  let pileCount = 0
  const open = (group: string): Pile => {
    directory ??= mkdtempSync(join(parent, 'assay-overflow-'))
    const pile = { file: join(directory, `${pileCount++}.ndjson`), read: 0, written: 0 }
    piles.set(group, pile)
    return pile
  }
  return {
    put(group, item) {
      const pile = piles.get(group) ?? open(group)
      const line = `${JSON.stringify(item)}\n`
      appendFileSync(pile.file, line)
      pile.written += Buffer.byteLength(line)
    },
    take(group) {
      const pile = piles.get(group)
      if (!pile) return []
      const chunk = readFrom(pile)
      pile.read += chunk.length
      if (pile.read >= pile.written) {
        piles.delete(group)
        rmSync(pile.file)
      }
      return chunk
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Item)
    },
    has: group => piles.has(group),
    close() {
      if (directory !== null) rmSync(directory, { recursive: true, force: true })
      piles.clear()
    },
  }
}

/** The complete lines after the last read. */
function readFrom({ file, read }: Pile): Buffer {
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, statSync(file).size - read))
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, buffer, 0, buffer.length, read)
  } finally {
    closeSync(descriptor)
  }
  return buffer.subarray(0, buffer.lastIndexOf(0x0a) + 1)
}
