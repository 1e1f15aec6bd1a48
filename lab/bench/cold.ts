// A cold check in the default configuration, with round trips, compared with a script that sends the same queries and
// requests as early as it can.
import { startContest } from './contest.ts'
import type { Repeat, Taken } from './repeat.ts'
import type { Row } from './report.ts'
import type { SiteProtocol } from './shop_server.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 15
const one: Repeat = { times: 1, at_once: 1 }
/** Compiles the code first, because a running service is warm. */
const warmUp: Repeat = { times: 60, at_once: 4 }

export async function cold(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const protocol of ['h2', 'http/1.1'] as const)
    for (const round_trip_ms of [0, 50]) rows.push(...(await coldOver(protocol, round_trip_ms)))
  return rows
}

async function coldOver(protocol: SiteProtocol, round_trip_ms: number): Promise<readonly Row[]> {
  const contest = await startContest({ round_trip_ms, protocol })
  const { engine, minimal, lab } = contest
  await engine.ask('warmUp', warmUp)
  const traffic = await contest.traffic()
  await minimal.ask('requests', { ...warmUp, traffic })
  await minimal.ask('visits', warmUp)
  const taken = await inTurns(
    {
      check: () => engine.ask<Taken>('checks', one),
      script: () => minimal.ask<Taken>('requests', { ...one, traffic }),
      path: () => minimal.ask<Taken>('visits', one),
    },
    rounds,
  )
  await contest.end()
  const wall = ({ wall_ms }: Taken) => wall_ms
  const shown = (figures: readonly Taken[]) => `${medianOf(figures, wall).toFixed(0)} ms`
  const what = `cold check over ${protocol} (${lab.reachable.software}), round trips of ${round_trip_ms} ms`
  const { queries, site, requests, handshakes, connections } = traffic
  const siteConnections = new Set(site.map(({ connection }) => connection)).size
  return [
    {
      what,
      measured: shown(taken.check),
      beside: `the same fetches: ${shown(taken.script)}`,
      ratio: ratioOf(taken.check, taken.script, wall),
      // Without round trips nothing is waited for: the wall is the CPU, and its bound applies.
      target: { most: round_trip_ms === 0 ? 2 : 1.15 },
    },
    {
      what,
      measured: shown(taken.check),
      beside: `critical path to the page: ${shown(taken.path)}`,
      ratio: ratioOf(taken.check, taken.path, wall),
    },
    {
      what: `${what}: connections to the site, to others`,
      measured: `${siteConnections}, ${connections - siteConnections}`,
      beside: 'page and plain HTTP: 2, none',
      ratio: connections / 2,
      target: { most: 1 },
    },
    {
      what: `${what}: requests at the site, at others; TLS handshakes with others; DNS queries`,
      measured: `${site.length}, ${requests.length}; ${handshakes}; ${queries.length}`,
      beside: '',
      ratio: null,
    },
  ]
}
