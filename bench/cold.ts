// A cold check with round trips of 50 ms, compared with the critical path to the page: DNS, TCP, TLS and HTTP in sequence.
import { startContest } from './contest.ts'
import type { Repeat, Taken } from './repeat.ts'
import type { Row } from './report.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const round_trip_ms = 50
const rounds = 15
const one: Repeat = { times: 1, at_once: 1 }
/** Compiles the code first, because a running service is warm. */
const warmUp: Repeat = { times: 60, at_once: 4 }

export async function cold(): Promise<readonly Row[]> {
  const contest = await startContest({ round_trip_ms })
  const { engine, minimal } = contest
  await Promise.all([engine.ask('checks', warmUp), minimal.ask('visits', warmUp)])
  const { check, path } = await inTurns(
    { check: () => engine.ask<Taken>('checks', one), path: () => minimal.ask<Taken>('visits', one) },
    rounds,
  )
  const { queries, requests, handshakes, connections } = await contest.traffic()
  await contest.end()
  const wall = ({ wall_ms }: Taken) => wall_ms
  return [
    {
      what: `cold check, round trips of ${round_trip_ms} ms`,
      measured: `${medianOf(check, wall).toFixed(0)} ms`,
      beside: `critical path: ${medianOf(path, wall).toFixed(0)} ms`,
      ratio: ratioOf(check, path, wall),
      target: { most: 1.25 },
    },
    {
      what: 'TLS handshakes per check',
      measured: `${handshakes}`,
      beside: 'one',
      ratio: handshakes,
      target: { most: 1 },
    },
    {
      what: 'connections, HTTP requests, DNS queries per check',
      measured: `${connections}, ${requests.length}, ${queries.length}`,
      beside: 'limits: 12, 10, 60',
      ratio: null,
    },
  ]
}
