// How fast answers of the cache are counted in one Redis: by the number of instances, of accounts, and of processes that each
// account remembers.
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { type Child, CORE, startChild } from './child.ts'
import type { Row } from './report.ts'
import { median } from './statistics.ts'

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

/** URLs of a Redis, and of another one for results. */
export interface Urls {
  readonly store: string
  readonly results: string
}

/** Journals of the instances are in `directory`. */
export async function counts(urls: Urls, directory: string): Promise<readonly Row[]> {
  const url = urls.store
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
  const rows = rates.map(({ one, rate }) => ({
    what: textOf(one),
    measured: `${rate.toFixed(0)}/s`,
    beside: `one of each: ${first.toFixed(0)}/s`,
    ratio: rate / first,
  }))
  return [...rows, await checks(url, null, directory), await checks(url, urls.results, directory)]
}

const CHECKS = 600
const ROUNDS = 5
const AT_ONCE = 4

/** What first checks of a target cost the store's Redis that is busy with them: the median of several rounds. */
async function checks(url: string, results: string | null, directory: string): Promise<Row> {
  const client = await createClient({ url }).connect()
  const child = startChild('redis_counts_process', { core: CORE.any })
  const rounds: Spent[] = []
  try {
    await child.ask('open', { url, results, data: join(directory, 'checks') })
    for (let round = 0; round <= ROUNDS; round++) {
      const before = await spent(client)
      await child.ask('checks', { first: round * CHECKS, times: CHECKS, at_once: AT_ONCE })
      const after = await spent(client)
      const each = (name: keyof Spent) => (after[name] - before[name]) / CHECKS
      // The first round is to warm up.
      if (round > 0)
        rounds.push({ cpu_ms: each('cpu_ms'), bytes: each('bytes'), scripts: each('scripts'), reads: each('reads') })
    }
  } finally {
    await child.end()
    client.destroy()
  }
  const middle = (name: keyof Spent) => median(rounds.map(round => round[name]))
  return {
    what: `what the first check of a target costs Redis, ${AT_ONCE} at once${results === null ? '' : ', with results in another one'}`,
    measured: `${(middle('cpu_ms') * 1_000).toFixed(0)} µs of CPU, ${(middle('bytes') / 1_024).toFixed(1)} KiB`,
    beside: `${middle('scripts').toFixed(1)} scripts, ${middle('reads').toFixed(1)} reads from the socket`,
    ratio: null,
  }
}

export interface Spent {
  /** Milliseconds of CPU. */
  readonly cpu_ms: number
  /** Sent and received. */
  readonly bytes: number
  readonly scripts: number
  /** How often the server read from its sockets. */
  readonly reads: number
}

/** Of a Redis since its start. */
export async function spent(client: { info(section: string): Promise<string> }): Promise<Spent> {
  const info = await client.info('everything')
  const number = (field: string) => Number(new RegExp(`^${field}([\\d.]+)`, 'm').exec(info)?.[1] ?? 0)
  return {
    cpu_ms: (number('used_cpu_user:') + number('used_cpu_sys:')) * 1_000,
    bytes: number('total_net_input_bytes:') + number('total_net_output_bytes:'),
    scripts: number('cmdstat_evalsha:calls='),
    reads: number('total_reads_processed:'),
  }
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
