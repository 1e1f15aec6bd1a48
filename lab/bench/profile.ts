// Where the CPU of a warm check goes: the samples of V8's profiler by part of the code. What Node's own modules take
// counts for the part that calls them.
import type { Profiler } from 'node:inspector'
import { type Profiled, startContest } from './engine.ts'
import { type Repeat, type Row, sized } from './harness.ts'
import type { SiteProtocol } from './site.ts'

const warmUp: Repeat = { times: sized(1_000, 8), at_once: 2 }
const measured: Repeat = { times: sized(300, 8), at_once: 1 }
/** Parts below this share are added up. */
const LEAST = 0.01

export async function profile(): Promise<readonly Row[]> {
  return [...(await profileOver('h2')), ...(await profileOver('http/1.1'))]
}

async function profileOver(protocol: SiteProtocol): Promise<readonly Row[]> {
  const contest = await startContest({ protocol })
  await contest.engine.ask('warmUp', warmUp)
  const { profile, checks } = await contest.engine.ask<Profiled>('profile', measured)
  await contest.end()
  const parts = shares(profile)
  const sum = (shares: Iterable<number>) => [...shares].reduce((all, us) => all + us, 0)
  const whole = sum(parts.values())
  const rare = [...parts.values()].filter(us => us / whole < LEAST)
  const shown = [...parts].filter(([, us]) => us / whole >= LEAST).sort(([, one], [, other]) => other - one)
  const row = (what: string, us: number): Row => ({
    what,
    measured: `${(us / 1_000 / checks).toFixed(2)} ms`,
    beside: '',
    ratio: us / whole,
  })
  return [
    row(`CPU of a warm check over ${protocol}`, whole),
    ...shown.map(([part, us]) => row(part, us)),
    row('other parts', sum(rare)),
  ]
}

/** Microseconds by part. */
function shares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id] as const)))
  const parts = new Map<string, number>()
  const partOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const part = ownPart(byId.get(at)?.callFrame)
      if (part !== null) return part
    }
    return 'Node itself'
  }
  samples.forEach((id, at) => {
    const frame = byId.get(id)?.callFrame
    const us = timeDeltas[at] ?? 0
    if (!frame || frame.functionName === '(idle)') return
    const part = partOf(id)
    parts.set(part, (parts.get(part) ?? 0) + us)
  })
  return parts
}

/** Null for frames that count for their caller. */
function ownPart(frame: Profiler.Profile['nodes'][number]['callFrame'] | undefined): string | null {
  if (!frame) return null
  const { url, functionName } = frame
  if (functionName === '(garbage collector)') return 'garbage collector'
  if (functionName === '(program)') return 'native code: TLS, sockets, event loop'
  const [, dependency] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
  if (dependency !== undefined) return dependency
  const [, path] = /\/dist\/bench\/(.+)\.js$/.exec(url) ?? []
  if (path === undefined) return null
  const [top = '', folder = '', ...rest] = path.split('/')
  if (top === 'src' && folder === 'network') return `src/network/${rest.join('/')}`
  return top === 'lab' ? top : top === 'src' && rest.length > 1 ? `src/${folder}/${rest[0]}` : `${top}/${folder}`
}
