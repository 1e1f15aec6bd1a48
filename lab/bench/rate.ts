// Cold checks per second, sequential and concurrent, compared with a script that sends the same queries and requests.
import { startContest } from './contest.ts'
import type { Taken } from './repeat.ts'
import type { Row } from './report.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 5
const times = 64

export async function rate(): Promise<readonly Row[]> {
  const contest = await startContest()
  const { engine, minimal } = contest
  const traffic = await contest.traffic()
  const measures = (at_once: number) => ({
    check: () => engine.ask<Taken>('checks', { times, at_once }),
    script: () => minimal.ask<Taken>('fetches', { times, at_once, traffic }),
  })
  await inTurns(measures(16), 3)
  const rows: Row[] = []
  for (const at_once of [1, 16]) {
    const { check, script } = await inTurns(measures(at_once), rounds)
    const shown = (taken: readonly Taken[]) => `${medianOf(taken, one => one.per_second).toFixed(0)}/s`
    rows.push({
      what: `cold checks, ${at_once} at once`,
      measured: shown(check),
      beside: `the same fetches: ${shown(script)}`,
      ratio: ratioOf(check, script, one => one.per_second),
    })
  }
  await contest.end()
  return rows
}
