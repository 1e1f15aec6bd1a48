// Two workers compared with one process. The load and the lab need CPU, too, so that two cores cannot show the throughput of two
// workers. Cached answers: both services get the same one core; what two workers and their owner answer there, twice, is what two
// cores give them. Cold checks: what they cost in CPU, because that is what limits them.
import {
  ask,
  CORE,
  type Core,
  closedLoop,
  inTurns,
  isGood,
  load,
  medianOf,
  type Row,
  ratioOf,
  sized,
  type Throughput,
  treeCpu,
} from './harness.ts'
import { type LabService, startInLab } from './service.ts'
import { type Lab, SHOPS, shopName, startLab } from './site.ts'

const rounds = sized(5, 1)
const seconds = sized(4, 1)
const connections = 128
/** Cold checks in one round, and at once for each process. */
const checksOfRound = sized(150, 12)
const together = 6
/** Before the measured rounds, for each process: V8 compiles for about ten seconds of load and for hundreds of checks. */
const warming = { seconds: sized(10, 1), checks: sized(600, 12) }
const least = 1.7

interface Service extends LabService {
  readonly workers: number
  /** The next shop that it has not checked. */
  next: number
}

export async function workers(): Promise<readonly Row[]> {
  const lab = await startLab()
  const rows = [...(await withBoth(lab, CORE.measured, compareHits)), ...(await withBoth(lab, CORE.any, compareChecks))]
  await lab.end()
  return rows
}

/** Runs `compare` with a service of one process and one of two workers. */
async function withBoth(
  lab: Lab,
  core: Core,
  compare: (one: Service, two: Service) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const start = async (workers: number): Promise<Service> => ({
    ...(await startInLab(lab, { core, workers })),
    workers,
    next: 1,
  })
  const [one, two] = [await start(1), await start(2)]
  const rows = await compare(one, two)
  await Promise.all([one, two].map(({ child }) => child.end()))
  return rows
}

const rate = (figures: readonly Throughput[]) => `${Math.round(medianOf(figures, one => one.per_second))}/s`

async function compareHits(one: Service, two: Service): Promise<readonly Row[]> {
  for (const service of [one, two]) await hits(service, warming.seconds * service.workers)
  const hitRuns = await inTurns({ one: () => hits(one, seconds), two: () => hits(two, seconds) }, rounds)
  const cpu = (figures: readonly Throughput[]) => `${Math.round(medianOf(figures, one => one.cpu_us))} µs`
  return [
    {
      what: 'cached answers of two workers on one core, twice',
      measured: `2 × ${rate(hitRuns.two)}, ${cpu(hitRuns.two)} of CPU each`,
      beside: `one process on that core: ${rate(hitRuns.one)}, ${cpu(hitRuns.one)}`,
      ratio: 2 * ratioOf(hitRuns.two, hitRuns.one, one => one.per_second),
      target: { least },
    },
  ]
}

async function compareChecks(one: Service, two: Service): Promise<readonly Row[]> {
  for (const service of [one, two]) await checks(service, warming.checks * service.workers)
  const checkRuns = await inTurns(
    { one: () => checks(one, checksOfRound), two: () => checks(two, checksOfRound) },
    rounds,
  )
  const cpu = (figures: readonly Throughput[]) => `${(medianOf(figures, one => one.cpu_us) / 1_000).toFixed(1)} ms`
  return [
    {
      what: 'cold checks of two workers for the CPU of two cores, by the CPU of all processes',
      measured: cpu(checkRuns.two),
      beside: `one process: ${cpu(checkRuns.one)}`,
      ratio: 2 * ratioOf(checkRuns.one, checkRuns.two, one => one.cpu_us),
      target: { least },
    },
    {
      what: 'cold checks of two workers, the lab and the load on the same two cores',
      measured: rate(checkRuns.two),
      beside: `one process: ${rate(checkRuns.one)}`,
      ratio: ratioOf(checkRuns.two, checkRuns.one, one => one.per_second),
    },
  ]
}

const target = ({ url }: Service, name: string) => `${url}/api/v1/check?domain=${name}`

const hits = async (service: Service, seconds: number): Promise<Throughput> => {
  // The first answer fills the cache.
  await ask({ url: target(service, shopName(0)), key: service.key })
  return load({ url: target(service, shopName(0)), key: service.key, connections, seconds, pid: service.child.pid })
}

async function checks(service: Service, times: number): Promise<Throughput> {
  const before = treeCpu(service.child.pid)
  const began = performance.now()
  const end = Math.min(SHOPS, service.next + times)
  const next = () => {
    if (service.next >= end) return null
    const request = { url: target(service, shopName(service.next)), key: service.key }
    service.next += 1
    return request
  }
  const answers = await closedLoop(together * service.workers, next)
  const good = answers.filter(isGood).length
  // On a busy machine some are refused as overload.
  if (good === 0) throw new Error(`none of ${answers.length} answered: ${answers.at(-1)?.status}`)
  const tookMs = performance.now() - began
  return { per_second: (good / tookMs) * 1_000, cpu_us: (treeCpu(service.child.pid) - before) / good }
}
