// One process that counts answers in the store, as fast as the database does.
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { createQuota, type Quota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { answerTasks } from './child.ts'

/** The longest counts there are: 31 days. */
const plan = { quota: 1_000_000_000, period: 'rolling_30d' } as const

let opened: { readonly quota: Quota; close(): Promise<void> } | undefined

answerTasks({
  async open({ place }: { place: string }) {
    const database = place.startsWith('postgres:')
      ? await openPostgres({ place: { url: place }, lost: () => {} })
      : await openSqlite({ directory: place, patience_ms: PATIENCE_MS.command })
    const quota = createQuota(database, Date.now)
    opened = { quota, close: () => quota.drain().then(database.close) }
  },
  /** Resolves with the number of answers, `together` of which are asked for at once. */
  async count({ accounts, together, seconds }: { accounts: number; together: number; seconds: number }) {
    const { quota } = opened ?? {}
    if (quota === undefined) throw new Error('not open')
    const end = performance.now() + seconds * 1_000
    let counted = 0
    const client = async () => {
      while (performance.now() < end) {
        const answer = await quota.charge(`acc_${Math.floor(Math.random() * accounts)}`, plan)
        if ('allowed' in answer) throw new Error('no quota')
        counted += 1
      }
    }
    await Promise.all(Array.from({ length: together }, client))
    return counted
  },
  close: () => opened?.close(),
})
