// Four times the sustainable load: how many checks are answered, how fast the others are refused, and the latency of cached answers.
import { ask, closedFor, isGood, openLoop, percentile, type Row, rowOf, sized, type TimedAnswer } from './harness.ts'
import { type LabService, startInLab } from './service.ts'
import { startLab } from './site.ts'

const warmSeconds = sized(12, 1)
const peakSeconds = sized(8, 1)
const overSeconds = sized(20, 2)
/** Seconds at the start of the overload that do not count, because the service has to find its limit first. */
const findingSeconds = sized(4, 1)
const times = 4
const hitsPerSecond = 25
const together = 32
const least = 0.9

/** Zones in which every name is another target. Checks of names without a page cost little more than refusals. */
const places = [
  { what: 'answers', below: 'shops.lab', reconnects: false, target: { least } },
  { what: 'answers of DNS alone', below: 'inside.lab', reconnects: false, target: null },
  { what: 'answers, each on a new connection,', below: 'shops.lab', reconnects: true, target: { least } },
] as const
type Place = (typeof places)[number]

export async function overload(): Promise<readonly Row[]> {
  const lab = await startLab()
  // Not pinned to a core, as in production, so that V8's other threads do not wait for the main thread.
  const service = await startInLab(lab, { config: { metrics: { expose: 'service' } } })
  const rows: Row[] = []
  for (const place of places) rows.push(...(await measure(service, place)))
  await Promise.all([service.child.end(), lab.end()])
  return rows
}

/** Names that were not asked for yet, in all measurements. */
let requests = 0

const checkOf = ({ url, key }: LabService, { below, reconnects }: Place, name = `d${requests++}`) => ({
  url: `${url}/api/v1/check?domain=${name}.${below}`,
  key,
  reconnects,
})

async function measure(service: LabService, place: Place): Promise<Row[]> {
  const { what, target } = place
  const { url } = service
  const next = () => checkOf(service, place)
  const keptRequest = { ...checkOf(service, place, 'kept'), reconnects: false }
  await ask(keptRequest)
  const closed = (seconds: number) => closedFor(seconds, together, next)
  await closed(warmSeconds)
  const peak = (await closed(peakSeconds)).filter(isGood).length / peakSeconds
  const before = await withinLimit(url)
  const began = performance.now()
  const [over, hits] = await Promise.all([
    openLoop(times * peak, overSeconds, next),
    openLoop(hitsPerSecond, overSeconds, () => keptRequest),
  ])
  const isSettled = ({ at }: TimedAnswer) => at > began + findingSeconds * 1_000 && at < began + overSeconds * 1_000
  const end = performance.now()
  let recovery = Number.NaN
  while (Number.isNaN(recovery)) {
    const answer = await ask(next())
    if (isGood(answer) && answer.ms < 1_000) recovery = performance.now() - end
  }
  const after = await withinLimit(url)
  const rows = rowsOf(
    `${what} at ${times} times the load`,
    target,
    peak,
    over.filter(isSettled),
    hits.filter(isSettled),
    recovery,
  )
  return [...rows, ...(['refused', 'hit'] as const).map(kind => ownClock(kind, before[kind], after[kind]))]
}

interface ServedCounts {
  readonly all: number
  readonly soon: number
}

/** From the service's own histogram, because the lab and this client share the machine: all requests, and those within 50 ms. */
async function withinLimit(url: string): Promise<Readonly<Record<'refused' | 'hit', ServedCounts>>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (series: string) =>
    Number(
      text
        .split('\n')
        .find(line => line.startsWith(series))
        ?.split(' ')[1] ?? 0,
    )
  const counts = (kind: string) => ({
    all: value(`assay_request_seconds_count{kind="${kind}"}`),
    soon: value(`assay_request_seconds_bucket{le="0.05",kind="${kind}"}`),
  })
  return { refused: counts('refused'), hit: counts('hit') }
}

function ownClock(kind: string, before: ServedCounts, after: ServedCounts): Row {
  const share = (after.soon - before.soon) / (after.all - before.all)
  const [what, measured, beside] = [
    `${kind} within 50 ms by the service's own clock`,
    `${(share * 100).toFixed(1)} %`,
    '99 %',
  ]
  return { what, measured, beside, ratio: share / 0.99, target: { least: 1 } }
}

function rowsOf(
  what: string,
  target: Place['target'],
  peak: number,
  over: readonly TimedAnswer[],
  hits: readonly TimedAnswer[],
  recovery: number,
): Row[] {
  const good = over.filter(isGood).length / (overSeconds - findingSeconds)
  const refusals = over.filter(({ status }) => status === 503)
  const others = over.length - over.filter(isGood).length - refusals.length
  const p99 = percentile(refusals, 0.99)
  const hitP99 = percentile(hits, 0.99)
  return [
    {
      what: `uncached ${what}, ${others} neither 200 nor 503`,
      measured: `${good.toFixed(0)}/s`,
      beside: `${together} at once: ${peak.toFixed(0)}/s`,
      ratio: good / peak,
      ...(target === null ? {} : { target }),
    },
    rowOf(`refusals (${refusals.length}), p99`, p99, 50, 'ms'),
    rowOf(`cached answers meanwhile, p99; ${hits.filter(isGood).length} of ${hits.length} good`, hitP99, 50, 'ms'),
    rowOf('recovery', recovery, 5_000, 'ms'),
  ]
}
