// The CPU of a cold check, beside a script that asks and fetches the same and judges nothing.
import { startContest } from './contest.ts'
import { page } from './healthy_site.ts'
import type { Repeat, Taken } from './repeat.ts'
import type { Row } from './report.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 9
const batch: Repeat = { times: 20, at_once: 1 }
/** What a process costs in its first seconds. */
const first: Repeat = { times: 200, at_once: 1 }
/** Then V8 still compiles, for most functions run once a check; after so many more it hardly does. */
const warmUp: Repeat = { times: 200, at_once: 1 }
const warmUps = 14

export async function cpu(): Promise<readonly Row[]> {
  const contest = await startContest()
  const { engine, minimal } = contest
  const traffic = await contest.traffic()
  const begun = await engine.ask<Taken>('checks', first)
  const scriptBegun = await minimal.ask<Taken>('fetches', { ...first, traffic })
  const contestants = (times: Repeat) => ({
    check: () => engine.ask<Taken>('checks', times),
    script: () => minimal.ask<Taken>('fetches', { ...times, traffic }),
  })
  // In turns too: V8 takes the hidden classes, and so the compiled code, from a process that waits for half a minute.
  await inTurns(contestants(warmUp), warmUps)
  const { check, script } = await inTurns(contestants(batch), rounds)
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
    {
      what: `the same, mean of a process's first ${first.times}`,
      measured: shown([begun]),
      beside: `the same fetches: ${shown([scriptBegun])}`,
      ratio: ratioOf([begun], [scriptBegun], used),
    },
  ]
}
