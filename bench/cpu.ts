// The CPU of a cold check, beside scripts that ask and fetch the same and judge nothing.
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
  const { engine, minimal: usual } = contest
  // Of its own, so that neither script finds the other's code compiled, or in the way.
  const leanest = await contest.another()
  const traffic = await contest.traffic()
  const contestants = (times: Repeat) => ({
    check: () => engine.ask<Taken>('checks', times),
    usual: () => usual.ask<Taken>('fetches', { ...times, traffic }),
    leanest: () => leanest.ask<Taken>('requests', { ...times, traffic }),
  })
  const begun = await inTurns(contestants(first), 1)
  // In turns too: V8 takes the hidden classes, and so the compiled code, from a process that waits for half a minute.
  await inTurns(contestants(warmUp), warmUps)
  const settled = await inTurns(contestants(batch), rounds)
  await contest.end()
  const rowsFor = (what: string, { check, usual, leanest }: typeof settled, target?: Row['target']): Row[] => [
    {
      what,
      measured: shown(check),
      beside: `the same by fetch and node:dns: ${shown(usual)}`,
      ratio: ratioOf(check, usual, used),
      ...(target && { target }),
    },
    {
      what,
      measured: shown(check),
      beside: `by node:https, the least there is: ${shown(leanest)}`,
      ratio: ratioOf(check, leanest, used),
    },
  ]
  return [
    ...rowsFor(`CPU of a cold check (page of ${Math.round(page.length / 1024)} KiB)`, settled, { most: 2 }),
    ...rowsFor(`the same, mean of a process's first ${first.times}`, begun),
  ]
}

const used = ({ cpu_us }: Taken) => cpu_us
const shown = (taken: readonly Taken[]) => `${(medianOf(taken, used) / 1_000).toFixed(1)} ms`
