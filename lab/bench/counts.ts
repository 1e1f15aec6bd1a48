// How fast several processes count answers in PostgreSQL, by the number of accounts.
import pg from 'pg'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { createQuota, type Quota } from '../../src/store/sql/quota.ts'
import { type Child, CORE, type Row, sized, startChild, type Tasks } from './harness.ts'
import { startDatabase } from './service.ts'

const PROCESSES = 3
const TOGETHER = 512
const ACCOUNTS = [1, 100, 10_000]
const SECONDS = sized(4, 1)
const ROUNDS = sized(3, 1)
/** Days that each account has had answers on, so that its counts are as long as they get. */
const DAYS = 31
const DAY_MS = 86_400_000

/** Rows of accounts that have been used for a month. */
async function fill(url: string): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const month = new Date().setUTCDate(1)
  const days = Array.from({ length: DAYS }, (_, at) => [today - at * DAY_MS, 100])
  const start = Math.floor(month / DAY_MS) * DAY_MS
  const counts = JSON.stringify({ month: [start, 1_000], day: [today, 100], rolling_30d: days.flat() })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const insert = `INSERT INTO usage (account, counts) SELECT 'acc_' || n, $1 FROM generate_series(0, $2 - 1) AS n
ON CONFLICT (account) DO UPDATE SET counts = excluded.counts`
  await client.query(insert, [counts, Math.max(...ACCOUNTS)])
  await client.end()
}

export async function counts(): Promise<readonly Row[]> {
  const server = await startDatabase()
  const children: Child[] = []
  try {
    const url = await server.createDatabase()
    for (let n = 0; n < PROCESSES; n++) children.push(startChild('counts', { core: CORE.any }))
    for (const child of children) await child.ask('open', url)
    await fill(url)
    const rows: Row[] = []
    for (const accounts of ACCOUNTS) {
      const rates: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const work = { accounts, together: TOGETHER, seconds: SECONDS }
        const counts = await Promise.all(children.map(child => child.ask<number>('count', work)))
        rates.push(counts.reduce((sum, more) => sum + more, 0) / SECONDS)
      }
      const best = Math.max(...rates)
      rows.push({
        what: `answers counted: processes ${PROCESSES}, accounts ${accounts}, ${TOGETHER} at once in each`,
        measured: `${best.toFixed(0)}/s`,
        beside: `${ROUNDS} rounds: ${rates.map(rate => rate.toFixed(0)).join(', ')}`,
        ratio: best / Math.min(...rates),
      })
    }
    await Promise.all(children.map(child => child.ask('close')))
    return rows
  } finally {
    await Promise.all(children.map(child => child.end()))
    await server.stop()
  }
}

/** The longest counts there are: 31 days. */
const plan = { quota: 1_000_000_000, period: 'rolling_30d' } as const

let openQuota: { readonly quota: Quota; close(): Promise<void> } | undefined

export const tasks: Tasks = {
  async open(url: string) {
    const database = await openPostgres({ place: { url }, onLoss: () => {} })
    const quota = createQuota(database, Date.now)
    openQuota = { quota, close: () => quota.drain().then(database.close) }
  },
  /** Resolves with the number of answers, `together` of which are asked for at once. */
  async count({ accounts, together, seconds }: { accounts: number; together: number; seconds: number }) {
    const { quota } = openQuota ?? {}
    if (quota === undefined) throw new Error('not open')
    const end = performance.now() + seconds * 1_000
    let total = 0
    const client = async () => {
      while (performance.now() < end) {
        const answer = await quota.charge(`acc_${Math.floor(Math.random() * accounts)}`, plan)
        if ('allowed' in answer) throw new Error('no quota')
        total += 1
      }
    }
    await Promise.all(Array.from({ length: together }, client))
    return total
  },
  close: () => openQuota?.close(),
}
