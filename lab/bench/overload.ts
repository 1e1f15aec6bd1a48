// Four times the sustainable load: how many checks are answered, how fast the others are refused, and the latency of cached answers.
// Then the sustainable load beside a stranger who opens connections without pause.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CORE, startChild } from './child.ts'
import { type Answered, ask, closedLoop, openLoop, percentile } from './client.ts'
import { startLab } from './lab.ts'
import type { Row } from './report.ts'
import type { ServiceTask, Started } from './service_process.ts'
import { serviceSettings } from './service_settings.ts'
import { median } from './statistics.ts'
import type { StrangerTask } from './stranger_process.ts'

const warmSeconds = 12
const peakSeconds = 8
const overSeconds = 20
/** Seconds at the start of the overload that do not count, because the service has to find its limit first. */
const findingSeconds = 4
const times = 4
const hitsPerSecond = 25
const together = 32
const least = 0.9
/** Rounds with a stranger and without, in turns. */
const stranger = { rounds: 3, seconds: 5, together: 32 }

/** Zones in which every name is another target. Checks of names without a page cost little more than refusals. */
const places = [
  { what: 'answers', below: 'shops.lab', reconnects: false, target: { least } },
  { what: 'answers of DNS alone', below: 'inside.lab', reconnects: false, target: null },
  { what: 'answers, each on a new connection,', below: 'shops.lab', reconnects: true, target: { least } },
] as const
type Place = (typeof places)[number]

const settings = { ...serviceSettings, metrics: { expose: 'service' } }

export async function overload(): Promise<readonly Row[]> {
  const lab = await startLab()
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  // Not pinned to a core, as in production, so that V8's other threads do not wait for the main thread.
  const service = startChild('service_process', { core: CORE.any })
  const started = await service.ask<Started>('start', {
    reachable: lab.reachable,
    directory,
    settings,
  } satisfies ServiceTask)
  const rows: Row[] = []
  try {
    for (const place of places) rows.push(...(await measure(started, place)))
    for (const place of places.slice(0, 2)) rows.push(await besideStranger(started, place))
  } finally {
    await Promise.all([service.end(), lab.end()])
    rmSync(directory, { recursive: true })
  }
  return rows
}

/** Names that were not asked for yet, in all measurements. */
let asked = 0

const checkOf = ({ url, key }: Started, { below, reconnects }: Place, name = `d${asked++}`) => ({
  url: `${url}/api/v1/check?domain=${name}.${below}`,
  key,
  reconnects,
})

async function measure(started: Started, place: Place): Promise<Row[]> {
  const { what, target } = place
  const { url } = started
  const next = () => checkOf(started, place)
  const kept = { ...checkOf(started, place, 'kept'), reconnects: false }
  await ask(kept)
  const until = (end: number) => () => (performance.now() < end ? next() : null)
  const closed = (seconds: number) => closedLoop(together, until(performance.now() + seconds * 1_000))
  await closed(warmSeconds)
  const peak = (await closed(peakSeconds)).filter(isGood).length / peakSeconds
  const before = await withinLimit(url)
  const began = performance.now()
  const [over, hits] = await Promise.all([
    openLoop(times * peak, overSeconds, next),
    openLoop(hitsPerSecond, overSeconds, () => kept),
  ])
  const settled = ({ at }: Answered) => at > began + findingSeconds * 1_000 && at < began + overSeconds * 1_000
  const ended = performance.now()
  let recovery = Number.NaN
  while (Number.isNaN(recovery)) {
    const answer = await ask(next())
    if (isGood(answer) && answer.ms < 1_000) recovery = performance.now() - ended
  }
  const after = await withinLimit(url)
  const rows = rowsOf(
    `${what} at ${times} times the load`,
    target,
    peak,
    over.filter(settled),
    hits.filter(settled),
    recovery,
  )
  return [...rows, ...(['refused', 'hit'] as const).map(kind => ownClock(kind, before[kind], after[kind]))]
}

async function besideStranger(started: Started, place: Place): Promise<Row> {
  const process = startChild('stranger_process', { core: CORE.helper })
  const rate = async () => {
    const end = performance.now() + stranger.seconds * 1_000
    const next = () => (performance.now() < end ? checkOf(started, place) : null)
    return (await closedLoop(together, next)).filter(isGood).length / stranger.seconds
  }
  const alone: number[] = []
  const beside: number[] = []
  const opened: number[] = []
  for (let round = 0; round < stranger.rounds; round++) {
    alone.push(await rate())
    const { together } = stranger
    await process.ask('start', { port: Number(new URL(started.url).port), together } satisfies StrangerTask)
    beside.push(await rate())
    opened.push((await process.ask<number>('stop')) / stranger.seconds)
  }
  await process.end()
  return {
    what: `uncached ${place.what} beside a stranger who opens ${median(opened).toFixed(0)} connections a second`,
    measured: `${median(beside).toFixed(0)}/s`,
    beside: `alone: ${median(alone).toFixed(0)}/s`,
    ratio: median(beside) / median(alone),
  }
}

interface Served {
  readonly all: number
  readonly soon: number
}

/** From the service's own histogram, because the lab and this client share the machine: all requests, and those within 50 ms. */
async function withinLimit(url: string): Promise<Readonly<Record<'refused' | 'hit', Served>>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (series: string) =>
    Number(
      text
        .split('\n')
        .find(line => line.startsWith(series))
        ?.split(' ')[1] ?? 0,
    )
  const served = (kind: string) => ({
    all: value(`assay_request_seconds_count{kind="${kind}"}`),
    soon: value(`assay_request_seconds_bucket{le="0.05",kind="${kind}"}`),
  })
  return { refused: served('refused'), hit: served('hit') }
}

function ownClock(kind: string, before: Served, after: Served): Row {
  const share = (after.soon - before.soon) / (after.all - before.all)
  const [what, measured, beside] = [
    `${kind} within 50 ms by the service's own clock`,
    `${(share * 100).toFixed(1)} %`,
    '99 %',
  ]
  return { what, measured, beside, ratio: share / 0.99, target: { least: 1 } }
}

const isGood = ({ status }: Answered) => status === 200

function rowsOf(
  what: string,
  target: Place['target'],
  peak: number,
  over: readonly Answered[],
  hits: readonly Answered[],
  recovery: number,
): Row[] {
  const good = over.filter(isGood).length / (overSeconds - findingSeconds)
  const refused = over.filter(({ status }) => status === 503)
  const others = over.length - over.filter(isGood).length - refused.length
  const p99 = percentile(refused, 0.99)
  const hitP99 = percentile(hits, 0.99)
  const limit = '50 ms'
  return [
    {
      what: `uncached ${what}, ${others} neither 200 nor 503`,
      measured: `${good.toFixed(0)}/s`,
      beside: `${together} at once: ${peak.toFixed(0)}/s`,
      ratio: good / peak,
      ...(target === null ? {} : { target }),
    },
    {
      what: `refusals (${refused.length}), p99`,
      measured: `${p99.toFixed(0)} ms`,
      beside: limit,
      ratio: p99 / 50,
      target: { most: 1 },
    },
    {
      what: `cached answers meanwhile, p99; ${hits.filter(isGood).length} of ${hits.length} good`,
      measured: `${hitP99.toFixed(0)} ms`,
      beside: limit,
      ratio: hitP99 / 50,
      target: { most: 1 },
    },
    {
      what: 'recovery',
      measured: `${recovery.toFixed(0)} ms`,
      beside: '5 s',
      ratio: recovery / 5_000,
      target: { most: 1 },
    },
  ]
}
