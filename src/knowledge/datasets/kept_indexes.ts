// Keeps the index of each list on disk, beside its copy, so that a start does not read the list again. An index is used for the
// file it was made of and by the version of assay that made it.
import { randomUUID } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../../base/files.ts'
import { version } from '../../base/package_root.ts'
import { type Dataset, UnusableDataset } from './dataset.ts'
import { createKeyTable, type KeyTable, type KeyTableBuilder, openKeyTable } from './key_table.ts'

/** How a list becomes a table, and what look-ups make of that. */
export interface ListKind<Index> {
  /** Whether look-ups ask for the place of an entry. */
  readonly numbered: boolean
  /** Adds the entries of the file to the table; returns what look-ups need besides. */
  fill(path: string, dataset: Dataset, table: KeyTableBuilder): Promise<object>
  open(table: KeyTable): Index
}

export interface IndexRequest<Index> {
  readonly path: string
  readonly dataset: Dataset
  readonly kind: ListKind<Index>
  /** Throws when the index must not be used. */
  accept(index: Index): void
  /** Called when the index is damaged while it is in use. */
  onDamage(): void
  /** Reads the list again even where an index of it is kept. */
  readonly rebuild: boolean
}

export interface KeptIndexes {
  /**
   * The kept index of the file, or a new one, which then replaces the kept one. Where the directory cannot be written, it is in
   * memory.
   */
  indexOf<Index>(request: IndexRequest<Index>): Promise<Index>
}

/** What of a dataset decides how its file is read. */
const identityOf = ({ use, format, column, field, about }: Dataset) => ({ use, format, column, field, about })

/** What an index of this file is made of. */
async function originOf(path: string, dataset: Dataset): Promise<string | null> {
  const file = await stat(path).catch(() => null)
  return file && JSON.stringify({ version, size: file.size, mtimeMs: file.mtimeMs, ...identityOf(dataset) })
}

export function openKeptIndexes(directory: string): KeptIndexes {
  return {
    async indexOf({ path, dataset, kind, accept, onDamage, rebuild }) {
      const indexFile = join(directory, `${dataset.id}.index`)
      const madeOf = await originOf(path, dataset)
      const oldTable = rebuild ? null : await openKeyTable(indexFile, onDamage)
      if (oldTable !== null && oldTable.details['made_of'] === madeOf) {
        const index = kind.open(oldTable)
        accept(index)
        return index
      }
      const build = async (file: string | null) => {
        const builder = await createKeyTable(file, { numbered: kind.numbered, onDamage })
        try {
          const details = await kind.fill(path, dataset, builder)
          const index = kind.open(await builder.finish({ ...details, made_of: madeOf }))
          accept(index)
          if (file !== null) await rename(file, indexFile)
          return index
        } finally {
          await builder.abandon()
        }
      }
      const part = `${indexFile}.${randomUUID()}.part`
      try {
        makeDirectory(directory)
        return await build(part)
      } catch (error) {
        if (error instanceof UnusableDataset) throw error
        // The disk is full, or must not be written.
        return await build(null)
      } finally {
        await rm(part, { force: true }).catch(() => {})
      }
    },
  }
}
