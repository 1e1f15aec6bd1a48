// The CPU of a cold check, beside a script that asks and fetches the same and judges nothing.
import { startContest } from './contest.ts'
import { page } from './healthy_site.ts'
import type { Repeat, Taken } from './repeat.ts'
import type { Row } from './report.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 9
const batch: Repeat = { times: 20, at_once: 1 }
const warmUp: Repeat = { times: 150, at_once: 1 }

export async function cpu(): Promise<readonly Row[]> {
  const contest = await startContest()
  const { engine, minimal } = contest
  const traffic = await contest.traffic()
  await engine.ask('checks', warmUp)
  await minimal.ask('fetches', { ...warmUp, traffic })
  const { check, script } = await inTurns(
    {
      check: () => engine.ask<Taken>('checks', batch),
      script: () => minimal.ask<Taken>('fetches', { ...batch, traffic }),
    },
    rounds,
  )
  await contest.end()
  const used = ({ cpu_us }: Taken) => cpu_us
  const shown = (taken: readonly Taken[]) => `${(medianOf(taken, used) / 1_000).toFixed(1)} ms`
  return [
    {
      what: `CPU of a cold check (page of ${Math.round(page.length / 1024)} KiB)`,
      measured: shown(check),
      beside: `the same fetches: ${shown(script)}`,
      ratio: ratioOf(check, script, used),
      target: { most: 2 },
    },
  ]
}
