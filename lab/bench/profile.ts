// Where the CPU of a warm check goes: the samples of V8's profiler by part of the code. What Node's own modules take
// counts for the part that calls them.
import type { Profiler } from 'node:inspector'
import { startContest } from './contest.ts'
import type { Repeat } from './repeat.ts'
import type { Row } from './report.ts'
import type { SiteProtocol } from './shop_server.ts'

export interface Profiled {
  readonly profile: Profiler.Profile
  readonly checks: number
}

const warmUp: Repeat = { times: 1_000, at_once: 2 }
const measured: Repeat = { times: 300, at_once: 1 }
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
  const whole = [...parts.values()].reduce((sum, { us }) => sum + us, 0)
  const rare = [...parts.values()].filter(({ us }) => us / whole < LEAST)
  const shown = [...parts].filter(([, { us }]) => us / whole >= LEAST).sort(([, one], [, other]) => other.us - one.us)
  const row = (what: string, us: number, functions: string): Row => ({
    what,
    measured: `${(us / 1_000 / checks).toFixed(2)} ms`,
    beside: functions,
    ratio: us / whole,
  })
  return [
    row(`CPU of a warm check over ${protocol}`, whole, ''),
    ...shown.map(([part, { us, functions }]) => row(part, us, most(functions))),
    row(
      'other parts',
      rare.reduce((sum, { us }) => sum + us, 0),
      '',
    ),
  ]
}

interface Share {
  us: number
  /** Microseconds by function. */
  readonly functions: Map<string, number>
}

/** Microseconds by part. */
function shares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): ReadonlyMap<string, Share> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id] as const)))
  const parts = new Map<string, Share>()
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
    const share = parts.get(part) ?? { us: 0, functions: new Map() }
    share.us += us
    const name = frame.functionName || `${frame.url.split('/').at(-1)}:${frame.lineNumber + 1}`
    share.functions.set(name, (share.functions.get(name) ?? 0) + us)
    parts.set(part, share)
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
  return top === 'bench' ? top : top === 'src' && rest.length > 1 ? `src/${folder}/${rest[0]}` : `${top}/${folder}`
}

const MOST = 4

/** The functions that take most. */
function most(functions: ReadonlyMap<string, number>): string {
  const sorted = [...functions].sort(([, one], [, other]) => other - one).slice(0, MOST)
  return sorted.map(([name]) => name).join(', ')
}
