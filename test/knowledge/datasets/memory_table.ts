import { type FeedIndex, feedEntries, feedIndexOf } from '../../../src/knowledge/datasets/feed/feed_index.ts'
import { createKeyTable, type KeyTable, type KeyTableBuilder } from '../../../src/knowledge/datasets/key_table.ts'

/** A table in memory; `fill` adds to it and returns its details. */
export async function tableOf(
  fill: (table: KeyTableBuilder) => object | Promise<object>,
  numbered = false,
): Promise<KeyTable> {
  const builder = await createKeyTable(null, { numbered })
  return builder.finish(await fill(builder))
}

type Entries = ReturnType<typeof feedEntries>

/** A feed in memory. */
export const feedOf = async (fill: (entries: Entries, table: KeyTableBuilder) => unknown): Promise<FeedIndex> =>
  feedIndexOf(
    await tableOf(async table => {
      const entries = feedEntries(table)
      return Object.assign({}, await fill(entries, table), entries.details())
    }),
  )
