// How fast several processes count answers in PostgreSQL, by the number of accounts, and how many they count that are in doubt: none.
import pg from 'pg'
import { type Child, CORE, startChild } from './child.ts'
import { startDatabase } from './postgres.ts'
import type { Row } from './report.ts'

const PROCESSES = 3
const TOGETHER = 512
const ACCOUNTS = [1, 100, 10_000]
const SECONDS = 4
const ROUNDS = 3
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
    for (let n = 0; n < PROCESSES; n++) children.push(startChild('counts_process', { core: CORE.any }))
    for (const child of children) await child.ask('open', { place: url })
    await fill(url)
    const rows: Row[] = []
    for (const accounts of ACCOUNTS) {
      const rates: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const work = { accounts, together: TOGETHER, seconds: SECONDS }
        const counted = await Promise.all(children.map(child => child.ask<number>('count', work)))
        rates.push(counted.reduce((sum, more) => sum + more, 0) / SECONDS)
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
