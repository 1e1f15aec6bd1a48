// What a client notices of 100 hostile pages that are checked at once for another: its own checks, cached answers and the health
// probe. Of one process, and of two workers, which share a core with the lab and the load where there are two.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CORE, type Core, startChild } from './child.ts'
import { type Answered, ask, closedLoop, openLoop, percentile } from './client.ts'
import { addKey } from './instance.ts'
import { type Lab, startLab } from './lab.ts'
import type { Row } from './report.ts'
import type { ServiceTask, Started } from './service_process.ts'
import { serviceSettings } from './service_settings.ts'
import { shopName } from './shops.ts'
import { median } from './statistics.ts'

const rounds = 3
const hostile = 100
/** Checks before the measured ones: V8 compiles for hundreds of checks. */
const warming = { healthy: 400, hostile: 30, together: 6 }
const perSecond = { checks: 8, hits: 25, probes: 25 }
/** Seconds that are measured without hostile pages, and from their arrival on. */
const seconds = { quiet: 6, noisy: 8 }
const limit_ms = 50

interface Seen {
  readonly checks: readonly Answered[]
  readonly hits: readonly Answered[]
  readonly probes: readonly Answered[]
}

interface Round {
  readonly quiet: Seen
  readonly noisy: Seen
  /** Answers about the hostile pages. */
  readonly hostile: readonly Answered[]
}

export async function neighbours(): Promise<readonly Row[]> {
  const lab = await startLab()
  try {
    return [
      ...(await neighboursOf(lab, 1, CORE.measured, 'one process')),
      ...(await neighboursOf(lab, 2, CORE.any, 'two workers')),
    ]
  } finally {
    await lab.end()
  }
}

async function neighboursOf(lab: Lab, workers: number, core: Core, where: string): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const service = startChild('service_process', { core, env: lab.env })
  const settings = { ...serviceSettings, server: { ...serviceSettings.server, workers } }
  try {
    const task: ServiceTask = { reachable: lab.reachable, directory, settings }
    const { url, key } = await service.ask<Started>('start', task)
    const other = addKey(['--config', join(directory, 'config.json')], 'bench')
    const client = createClient(url, key)
    await client.warm()
    const own: Round[] = []
    const shared: Round[] = []
    for (let round = 0; round < rounds; round++) {
      own.push(await client.measure(other))
      shared.push(await client.measure(key))
    }
    return [...rowsOf(`${where}, own key`, own), ...rowsOf(`${where}, the same key`, shared)]
  } finally {
    await service.end()
    rmSync(directory, { recursive: true })
  }
}

function createClient(url: string, key: string) {
  let shop = 1
  let deep = 0
  const checkOf = (name: string, by = key) => ({ url: `${url}/api/v1/check?domain=${name}`, key: by })
  const nextShop = () => checkOf(shopName(shop++))
  const nextDeep = (by: string) => checkOf(`d${deep++}.deep.lab`, by)
  const times = (count: number, next: () => ReturnType<typeof checkOf>) => {
    let left = count
    return () => (left-- > 0 ? next() : null)
  }
  const kept = checkOf(shopName(0))
  const probe = { url: `${url}/healthz`, key }

  async function see(forSeconds: number): Promise<Seen> {
    const [checks, hits, probes] = await Promise.all([
      openLoop(perSecond.checks, forSeconds, nextShop),
      openLoop(perSecond.hits, forSeconds, () => kept),
      openLoop(perSecond.probes, forSeconds, () => probe),
    ])
    return { checks, hits, probes }
  }

  return {
    async warm(): Promise<void> {
      await ask(kept)
      await closedLoop(warming.together, times(warming.healthy, nextShop))
      await closedLoop(
        warming.together,
        times(warming.hostile, () => nextDeep(key)),
      )
      await see(2)
    },
    /** `by`: the key that asks about the hostile pages. */
    async measure(by: string): Promise<Round> {
      const quiet = await see(seconds.quiet)
      const asked = Array.from({ length: hostile }, () => ask(nextDeep(by)))
      const noisy = await see(seconds.noisy)
      return { quiet, noisy, hostile: await Promise.all(asked) }
    },
  }
}

const isGood = ({ status }: Answered) => status === 200
const good = (answers: readonly Answered[]) => answers.filter(isGood)
const ms = (value: number) => `${value.toFixed(0)} ms`

function rowsOf(of: string, taken: readonly Round[]): Row[] {
  const p95 = (seen: 'quiet' | 'noisy') => median(taken.map(round => percentile(good(round[seen].checks), 0.95)))
  const [noisy, quiet] = [p95('noisy'), p95('quiet')]
  const all = (kind: keyof Seen) => taken.flatMap(round => round.noisy[kind])
  const refused = all('checks').filter(answer => !isGood(answer)).length
  const seen = taken.flatMap(round => round.hostile)
  return [
    {
      what: `${of}: checks beside ${hostile} hostile pages, p95`,
      measured: ms(noisy),
      beside: `without them: ${ms(quiet)}`,
      ratio: noisy / quiet,
    },
    {
      what: `of its ${all('checks').length} checks, refused`,
      measured: `${refused}`,
      beside: 'none',
      ratio: refused,
      target: { most: 0 },
    },
    ...(['probes', 'hits'] as const).flatMap(kind => latencyRows(kind, all(kind))),
    {
      what: `hostile pages answered by 200, of ${seen.length}; longest`,
      measured: `${good(seen).length}; ${ms(percentile(seen, 1))}`,
      beside: '',
      ratio: null,
    },
  ]
}

const named = { probes: '`/healthz`', hits: 'cached answers' } as const

function latencyRows(kind: keyof typeof named, answers: readonly Answered[]): Row[] {
  const all = good(answers).length === answers.length ? '' : `, ${answers.length - good(answers).length} not answered`
  return [0.99, 1].map(p => ({
    what: `${named[kind]} meanwhile, ${p === 1 ? `longest of ${answers.length}${all}` : 'p99'}`,
    measured: ms(percentile(answers, p)),
    beside: ms(limit_ms),
    ratio: percentile(answers, p) / limit_ms,
    target: { most: 1 },
  }))
}
