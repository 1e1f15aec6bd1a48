// The cost of a durable count in the embedded store, sequential and concurrent.
// Run: node --import tsx bench/store.ts
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseKey } from '../src/store/api_key.ts'
import { openStore } from '../src/store/embedded/embedded_store.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
const store = await openStore({ directory })
const plan = { quota: 1e9, period: 'month' } as const
const { text, key } = await store.keys.create({ plan: 'bench', label: 'bench' })
const accounts = [key.account, ...Array.from({ length: 19 }, (_, index) => `acc_${index}`)]

/** The work of one request in the store. */
async function request(account: string): Promise<void> {
  const hash = parseKey(text)
  if (hash === null || (await store.keys.find(hash)) === null) throw new Error('no key')
  store.keys.touch(key.id)
  const grant = await store.quota.reserve(account, plan)
  if (!grant.allowed) throw new Error('no quota')
  await grant.commit()
}

async function measure(concurrency: number, spread: number, requests: number) {
  const waits: number[] = []
  let left = requests
  const cpu = process.cpuUsage()
  const start = performance.now()
  const client = async (index: number) => {
    while (left-- > 0) {
      const begun = performance.now()
      await request(accounts[index % spread] ?? key.account)
      waits.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, (_, index) => client(index)))
  const { user, system } = process.cpuUsage(cpu)
  waits.sort((a, b) => a - b)
  return {
    concurrency,
    accounts: spread,
    'charges/s': Math.round((requests / (performance.now() - start)) * 1000),
    'CPU µs/charge': Number(((user + system) / requests).toFixed(1)),
    'p50 µs': Math.round((waits[waits.length >> 1] ?? 0) * 1000),
    'p99 µs': Math.round((waits[Math.floor(waits.length * 0.99)] ?? 0) * 1000),
  }
}

await measure(100, 1, 50_000)
console.table([
  await measure(1, 1, 5_000),
  await measure(10, 1, 50_000),
  await measure(100, 1, 200_000),
  await measure(100, 20, 200_000),
])
await store.close()
rmSync(directory, { recursive: true })
