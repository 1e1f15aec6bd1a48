// How fast answers of the cache are counted in one Redis: by the number of instances, of accounts, and of processes that each
// account remembers.
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { type Child, CORE, startChild } from './child.ts'
import type { Row } from './report.ts'

const seconds = 2
const warm_up = 0.2
const instance_counts = [1, 2, 4]
const account_counts = [1, 100, 10_000]
const id_counts = [1, 100, 500]

interface Case {
  readonly instances: number
  readonly accounts: number
  /** Processes that have ended and are in the counter of each account. */
  readonly ids: number
}

const cases: readonly Case[] = [
  ...instance_counts.flatMap(instances => account_counts.map(accounts => ({ instances, accounts, ids: 0 }))),
  ...id_counts.map(ids => ({ instances: 1, accounts: 1, ids })),
]

const textOf = ({ instances, accounts, ids }: Case): string =>
  `answers counted: instances ${instances}, accounts ${accounts}${ids === 0 ? '' : `, ended processes ${ids}`}`

/** Rows for a Redis at `url`; journals of the instances are in `directory`. */
export async function counts(url: string, directory: string): Promise<readonly Row[]> {
  const admin = await createClient({ url }).connect()
  const children: Child[] = []
  const rates: { readonly one: Case; readonly rate: number }[] = []
  try {
    for (const [at, one] of cases.entries()) {
      while (children.length < one.instances) {
        const child = startChild('redis_counts_process', { core: CORE.any })
        children.push(child)
        await child.ask('open', { url, data: join(directory, 'counts') })
      }
      const accounts = Array.from({ length: one.accounts }, (_, n) => `acc_bench_${at}_${n}`)
      const running = children.slice(0, one.instances)
      // The first answers of a new Redis and of a new account wait or are slower.
      await Promise.all(running.map(child => child.ask('count', { accounts, seconds: warm_up })))
      if (one.ids > 0) await remember(admin, accounts, one.ids)
      const counted = await Promise.all(running.map(child => child.ask<number>('count', { accounts, seconds })))
      rates.push({ one, rate: counted.reduce((sum, more) => sum + more, 0) / seconds })
    }
  } finally {
    await Promise.all(children.map(child => child.end()))
    admin.destroy()
  }
  const first = rates[0]?.rate ?? Number.NaN
  return rates.map(({ one, rate }) => ({
    what: textOf(one),
    measured: `${rate.toFixed(0)}/s`,
    beside: `one of each: ${first.toFixed(0)}/s`,
    ratio: rate / first,
  }))
}

/** Makes each account one that so many processes have used which ended a minute ago. */
async function remember(
  admin: { hSet(key: string, fields: Record<string, string>): Promise<unknown> },
  accounts: readonly string[],
  ids: number,
): Promise<void> {
  const ended = Array.from({ length: ids }, (_, n) => [`i:ended-${n}`, `1 1 0 ${Date.now() - 60_000}`])
  for (const account of accounts) await admin.hSet(`assay:v1:quota-month:${account}`, Object.fromEntries(ended))
}
