// What a client notices of 100 hostile pages that are checked at once for another: its own checks, cached answers and the health
// probe. Of one process, and of two workers, which share a core with the lab and the load where there are two.
import {
  ask,
  CORE,
  type Core,
  closedLoop,
  isGood,
  median,
  openLoop,
  percentile,
  type Row,
  rowOf,
  sized,
  type TimedAnswer,
} from './harness.ts'
import { startInLab } from './service.ts'
import { type Lab, shopName, startLab } from './site.ts'

const rounds = sized(3, 1)
const hostile = sized(100, 4)
/** Checks before the measured ones: V8 compiles for hundreds of checks. */
const warming = { healthy: sized(400, 8), hostile: sized(30, 2), together: 6 }
const perSecond = { checks: 8, hits: 25, probes: 25 }
/** Seconds that are measured without hostile pages, and from their arrival on. */
const seconds = { quiet: sized(6, 1), noisy: sized(8, 1) }
const limitMs = 50

interface RoundAnswers {
  readonly checks: readonly TimedAnswer[]
  readonly hits: readonly TimedAnswer[]
  readonly probes: readonly TimedAnswer[]
}

interface Round {
  readonly quiet: RoundAnswers
  readonly noisy: RoundAnswers
  /** Answers about the hostile pages. */
  readonly hostile: readonly TimedAnswer[]
}

export async function neighbours(): Promise<readonly Row[]> {
  const lab = await startLab()
  const rows = [
    ...(await neighboursOf(lab, 1, CORE.measured, 'one process')),
    ...(await neighboursOf(lab, 2, CORE.any, 'two workers')),
  ]
  await lab.end()
  return rows
}

async function neighboursOf(lab: Lab, workers: number, core: Core, where: string): Promise<readonly Row[]> {
  const { child, url, key, anotherKey } = await startInLab(lab, { workers, core })
  const other = anotherKey()
  const client = createClient(url, key)
  await client.warm()
  const own: Round[] = []
  const sharedRounds: Round[] = []
  for (let round = 0; round < rounds; round++) {
    own.push(await client.measure(other))
    sharedRounds.push(await client.measure(key))
  }
  await child.end()
  return [...rowsOf(`${where}, own key`, own), ...rowsOf(`${where}, the same key`, sharedRounds)]
}

function createClient(url: string, key: string) {
  let shop = 1
  let deep = 0
  const checkOf = (name: string, by = key) => ({ url: `${url}/api/v1/check?domain=${name}`, key: by })
  const nextShop = () => checkOf(shopName(shop++))
  const nextDeep = (by: string) => checkOf(`d${deep++}.deep.lab`, by)
  const times = (count: number, next: () => ReturnType<typeof checkOf>) => {
    let remaining = count
    return () => (remaining-- > 0 ? next() : null)
  }
  const keptRequest = checkOf(shopName(0))
  const probe = { url: `${url}/healthz`, key }

  async function see(forSeconds: number): Promise<RoundAnswers> {
    const [checks, hits, probes] = await Promise.all([
      openLoop(perSecond.checks, forSeconds, nextShop),
      openLoop(perSecond.hits, forSeconds, () => keptRequest),
      openLoop(perSecond.probes, forSeconds, () => probe),
    ])
    return { checks, hits, probes }
  }

  return {
    async warm(): Promise<void> {
      await ask(keptRequest)
      await closedLoop(warming.together, times(warming.healthy, nextShop))
      await closedLoop(
        warming.together,
        times(warming.hostile, () => nextDeep(key)),
      )
      await see(sized(2, 1))
    },
    /** `by`: the key that asks about the hostile pages. */
    async measure(by: string): Promise<Round> {
      const quiet = await see(seconds.quiet)
      const answers = Array.from({ length: hostile }, () => ask(nextDeep(by)))
      const noisy = await see(seconds.noisy)
      return { quiet, noisy, hostile: await Promise.all(answers) }
    },
  }
}

const good = (answers: readonly TimedAnswer[]) => answers.filter(isGood)
const ms = (value: number) => `${value.toFixed(0)} ms`

function rowsOf(of: string, rounds: readonly Round[]): Row[] {
  const p95 = (phase: 'quiet' | 'noisy') => median(rounds.map(round => percentile(good(round[phase].checks), 0.95)))
  const [noisy, quiet] = [p95('noisy'), p95('quiet')]
  const all = (kind: keyof RoundAnswers) => rounds.flatMap(round => round.noisy[kind])
  const refusals = all('checks').filter(answer => !isGood(answer)).length
  const hostileAnswers = rounds.flatMap(round => round.hostile)
  return [
    {
      what: `${of}: checks beside ${hostile} hostile pages, p95`,
      measured: ms(noisy),
      beside: `without them: ${ms(quiet)}`,
      ratio: noisy / quiet,
    },
    {
      what: `of its ${all('checks').length} checks, refused`,
      measured: `${refusals}`,
      beside: 'none',
      ratio: refusals,
      target: { most: 0 },
    },
    ...(['probes', 'hits'] as const).flatMap(kind => latencyRows(kind, all(kind))),
    {
      what: `hostile pages answered by 200, of ${hostileAnswers.length}; longest`,
      measured: `${good(hostileAnswers).length}; ${ms(percentile(hostileAnswers, 1))}`,
      beside: '',
      ratio: null,
    },
  ]
}

const labels = { probes: '`/healthz`', hits: 'cached answers' } as const

function latencyRows(kind: keyof typeof labels, answers: readonly TimedAnswer[]): Row[] {
  const all = good(answers).length === answers.length ? '' : `, ${answers.length - good(answers).length} not answered`
  return [0.99, 1].map(p =>
    rowOf(
      `${labels[kind]} meanwhile, ${p === 1 ? `longest of ${answers.length}${all}` : 'p99'}`,
      percentile(answers, p),
      limitMs,
      'ms',
    ),
  )
}
