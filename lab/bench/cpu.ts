// The CPU of a cold check in the default configuration, compared with scripts that send the same queries and requests without analysis.
import { startContest } from './contest.ts'
import { page } from './healthy_site.ts'
import type { Repeat, Taken } from './repeat.ts'
import type { Row } from './report.ts'
import type { SiteProtocol } from './shop_server.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 9
const batch: Repeat = { times: 20, at_once: 1 }
/** The cost in the first seconds of a process. */
const first: Repeat = { times: 200, at_once: 1 }
/** V8 still compiles after the first checks, because most functions run once per check; after these it hardly does. */
const warmUp: Repeat = { times: 200, at_once: 1 }
const warmUps = 14

export async function cpu(): Promise<readonly Row[]> {
  return [...(await cpuOver('h2')), ...(await cpuOver('http/1.1'))]
}

async function cpuOver(protocol: SiteProtocol): Promise<readonly Row[]> {
  const contest = await startContest({ protocol })
  const { engine, minimal: usual } = contest
  // A separate process, so that the scripts do not affect each other's compiled code.
  const leanest = await contest.another()
  // The second check of the process: the first one connects to the third parties.
  await contest.traffic()
  const traffic = await contest.traffic()
  const contestants = (times: Repeat) => ({
    check: () => engine.ask<Taken>('checks', times),
    usual: () => usual.ask<Taken>('fetches', { ...times, traffic }),
    leanest: () => leanest.ask<Taken>('requests', { ...times, traffic }),
  })
  const begun = await inTurns(contestants(first), 1)
  // Alternating here too: V8 discards hidden classes, and so compiled code, of a process that idles for half a minute.
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
      beside: `by node:https, the minimum: ${shown(leanest)}`,
      ratio: ratioOf(check, leanest, used),
    },
  ]
  return [
    ...rowsFor(`CPU of a cold check over ${protocol} (page of ${Math.round(page.length / 1024)} KiB)`, settled, {
      most: 2,
    }),
    ...rowsFor(`the same over ${protocol}, mean of a process's first ${first.times}`, begun),
  ]
}

const used = ({ cpu_us }: Taken) => cpu_us
const shown = (taken: readonly Taken[]) => `${(medianOf(taken, used) / 1_000).toFixed(1)} ms`
