// A process that counts answers of one account until nothing is left or it has made its requests, and writes one octet to a log for
// each that it delivers. Arguments: place, log, quota, requests, requests at once.
import { openSync, writeSync } from 'node:fs'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { createQuota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'

const [place = '', log = '', ...numbers] = process.argv.slice(-5)
const [quota = 0, requests = 0, clients = 0] = numbers.map(Number)

const database = place.startsWith('postgres:')
  ? await openPostgres({ place: { url: place }, onLoss: () => {} })
  : await openSqlite({ directory: place, patience_ms: PATIENCE_MS.command })
const counter = createQuota(database, Date.now)
const descriptor = openSync(log, 'a')
let made = 0

async function client(): Promise<void> {
  while (made < requests) {
    made += 1
    const answer = await counter.charge('acc_shared', { quota, period: 'month' })
    if (!('allowed' in answer)) writeSync(descriptor, '.')
  }
}

await Promise.all(Array.from({ length: clients }, client))
await counter.drain()
await database.close()
