// Four times the load that can be borne: how much is still answered, how soon the rest is told, and what kept answers feel of it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLabDns } from '../src/testing/lab_dns.ts'
import { type Answered, ask, closedLoop, openLoop, percentile } from './client.ts'
import { createKey, type Instance, type InstanceSettings, startInstance } from './instance.ts'
import type { Row } from './report.ts'

const peakSeconds = 8
const overSeconds = 20
/** Of the overload's beginning, in seconds, that is not looked at: the limit must be found first. */
const findingSeconds = 4
const times = 4
const hitsPerSecond = 25
const together = 32
const keys = 2

/** Names whose addresses are not public, so that a check costs DNS and analysis and no page. Each is asked for once. */
const zones = { '*.lab': { A: ['10.0.0.5'] } }
const nameOf = (n: number) => `d${n}.lab`
const kept = 'kept.lab'

export async function overload(): Promise<readonly Row[]> {
  const dns = await startLabDns({ zones })
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const settings: InstanceSettings = {
    directory,
    resolver: dns.address,
    config: {
      plans: { bench: { quota: 1_000_000_000, period: 'month' } },
      check: { per_key: 10_000, per_key_per_second: 1_000_000 },
    },
  }
  const holders = Array.from({ length: keys }, () => createKey(settings, 'bench'))
  const instance = await startInstance(settings)
  try {
    return await measure(instance, holders)
  } finally {
    await instance.kill('SIGKILL')
    await dns.close()
    rmSync(directory, { recursive: true })
  }
}

async function measure({ url }: Instance, holders: readonly string[]): Promise<Row[]> {
  let asked = 0
  const of = (domain: string, n: number) => ({
    url: `${url}/api/v1/check?domain=${domain}`,
    key: holders[n % holders.length] ?? '',
  })
  const next = () => of(nameOf(asked++), asked)
  await ask(of(kept, 0))
  const until = (end: number) => () => (performance.now() < end ? next() : null)
  await closedLoop(together, until(performance.now() + 4_000))
  const peak =
    (await closedLoop(together, until(performance.now() + peakSeconds * 1_000))).filter(isGood).length / peakSeconds
  const before = await withinLimit(url)
  const began = performance.now()
  const [over, hits] = await Promise.all([
    openLoop(times * peak, overSeconds, next),
    openLoop(hitsPerSecond, overSeconds, () => of(kept, 0)),
  ])
  const settled = ({ at }: Answered) => at > began + findingSeconds * 1_000 && at < began + overSeconds * 1_000
  const ended = performance.now()
  let recovery = Number.NaN
  while (Number.isNaN(recovery)) {
    const answer = await ask(next())
    if (isGood(answer) && answer.ms < 1_000) recovery = performance.now() - ended
  }
  const after = await withinLimit(url)
  const rows = rowsOf(peak, over.filter(settled), hits.filter(settled), recovery)
  return [...rows, ...(['refused', 'hit'] as const).map(kind => ownClock(kind, before[kind], after[kind]))]
}

interface Served {
  readonly all: number
  readonly soon: number
}

/** By the service's own histogram: how many in all, and how many within 50 ms. The lab and this client share its machine. */
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

function rowsOf(peak: number, over: readonly Answered[], hits: readonly Answered[], recovery: number): Row[] {
  const good = over.filter(isGood).length / (overSeconds - findingSeconds)
  const refused = over.filter(({ status }) => status === 503)
  const others = over.length - over.filter(isGood).length - refused.length
  const p99 = percentile(refused, 0.99)
  const hitP99 = percentile(hits, 0.99)
  const limit = '50 ms'
  return [
    {
      what: `uncached answers at ${times} times the load, ${others} neither 200 nor 503`,
      measured: `${good.toFixed(0)}/s`,
      beside: `${together} at once: ${peak.toFixed(0)}/s`,
      ratio: good / peak,
      target: { least: 0.9 },
    },
    {
      what: `refusals (${refused.length}), p99`,
      measured: `${p99.toFixed(0)} ms`,
      beside: limit,
      ratio: p99 / 50,
      target: { most: 1 },
    },
    {
      what: `kept answers meanwhile, p99; ${hits.filter(isGood).length} of ${hits.length} good`,
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
