// A cold check in the default configuration, its wall time and CPU, compared with scripts that send the same queries and requests
// as early as they can, without analysis.
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { connect } from 'node:tls'
import { Agent, fetch } from 'undici'
import { findBrowser } from '../../src/cli/doctor/browser.ts'
import { browserFault } from '../../src/evidence/rendered/browser.ts'
import { createRenderer } from '../../src/evidence/rendered/renderer.ts'
import { type ProfiledRun, startContest } from './engine.ts'
import {
  childrenOf,
  cpuMs,
  familyCpu,
  familyMib,
  inTurns,
  type Measurement,
  median,
  medianOf,
  type Repeat,
  type Row,
  ratioOf,
  repeat,
  rowOf,
  sized,
  type Tasks,
} from './harness.ts'
import {
  dialTo,
  directoryAddress,
  type LabTraffic,
  page,
  type Reachable,
  registryAddress,
  type SiteProtocol,
  shopAddress,
  shopName,
  shopOf,
} from './site.ts'

const PROTOCOLS = ['h2', 'http/1.1'] as const

const rounds = sized(15, 1)
const one: Repeat = { times: 1, at_once: 1 }
/** Compiles the code first, because a running service is warm. */
const warmUp: Repeat = { times: sized(60, 8), at_once: 4 }

export async function cold(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const protocol of PROTOCOLS)
    for (const roundTripMs of [0, 50]) rows.push(...(await coldOver(protocol, roundTripMs)))
  return rows
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

/** What a browser adds to a check: a page that a script writes, given to it without a network. Needs Chromium; its pictures are taken. */
export async function rendered(): Promise<readonly Row[]> {
  const browser = findBrowser()
  if (browser === null) throw new Error('needs Chromium')
  const sandbox = browserFault({ browser, sandbox: true }) === null
  const renderer = createRenderer({
    browser,
    sandbox,
    heap_mb: 256,
    when: 'always',
    at_once: 1,
    limit_ms: 8_000,
    open() {
      throw new Error('given pages need no network')
    },
  })
  const script = `document.body.innerHTML = '<h1>Shop</h1>' + '<p>A page with words and a <a href="/">link</a>.</p>'.repeat(200)`
  const body = Buffer.from(`<!doctype html><title>Shop</title><body><script>${script}</script>`)
  const answers = () => ({ status: 200, headers: [['Content-Type', 'text/html']] as const, body })
  const visit = async () => {
    const deadline = performance.now() + 10_000
    const timing = { deadline, signal: AbortSignal.timeout(10_000) }
    const knownHost = { host: 'shop.lab', addresses: [] }
    await renderer.render({
      url: 'http://shop.lab/',
      knownHost,
      port: undefined,
      client: '',
      answers,
      ...timing,
    })
  }
  try {
    await visit()
    const pid = childrenOf(process.pid).find(child => commandOf(child).includes('assay-browser-')) ?? 0
    const atRest = familyMib(pid)
    const walls: number[] = []
    let most = atRest
    const before = { own: cpuMs(), browser: familyCpu(pid) }
    const watching = setInterval(() => {
      most = Math.max(most, familyMib(pid))
    }, 250)
    const times = sized(30, 2)
    for (let remaining = times; remaining > 0; remaining -= 1) {
      const began = performance.now()
      await visit()
      walls.push(performance.now() - began)
    }
    clearInterval(watching)
    const own = (cpuMs() - before.own) / times
    const its = (familyCpu(pid) - before.browser) / 1_000 / times
    return [
      rowOf('a page in the browser, wall', median(walls), 3_000, 'ms'),
      rowOf('CPU of the browser, a page', its, 3_000, 'ms'),
      rowOf('CPU of the service, a page', own, 100, 'ms'),
      rowOf('memory of the browser, at rest', atRest, 400, 'MiB'),
      rowOf('memory of the browser, during a page', most, 500, 'MiB'),
    ]
  } finally {
    await renderer.stop()
  }
}

async function coldOver(protocol: SiteProtocol, roundTripMs: number): Promise<readonly Row[]> {
  const contest = await startContest({ round_trip_ms: roundTripMs, protocol })
  const { engine } = contest
  const minimal = await contest.scripts()
  await engine.ask('warmUp', warmUp)
  const traffic = await contest.traffic()
  await minimal.ask('fetches', { ...warmUp, traffic })
  await minimal.ask('visits', warmUp)
  const figuresByRun = await inTurns(
    {
      check: () => engine.ask<Measurement>('checks', one),
      script: () => minimal.ask<Measurement>('fetches', { ...one, traffic }),
      path: () => minimal.ask<Measurement>('visits', one),
    },
    rounds,
  )
  await contest.end()
  const wall = ({ wall_ms }: Measurement) => wall_ms
  const timeText = (figures: readonly Measurement[]) => `${medianOf(figures, wall).toFixed(0)} ms`
  const what = `cold check over ${protocol}, round trips of ${roundTripMs} ms`
  const { queries, site, requests, handshakes, connections } = traffic
  const siteConnections = new Set(site.map(({ connection }) => connection)).size
  return [
    {
      what,
      measured: timeText(figuresByRun.check),
      beside: `the same fetches: ${timeText(figuresByRun.script)}`,
      ratio: ratioOf(figuresByRun.check, figuresByRun.script, wall),
      // Without round trips nothing is waited for: the wall is the CPU, and its bound applies.
      target: { most: roundTripMs === 0 ? 2 : 1.15 },
    },
    {
      what,
      measured: timeText(figuresByRun.check),
      beside: `critical path to the page: ${timeText(figuresByRun.path)}`,
      ratio: ratioOf(figuresByRun.check, figuresByRun.path, wall),
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

const cpuRounds = sized(9, 1)
const batch: Repeat = { times: sized(20, 4), at_once: 1 }
/** The cost in the first seconds of a process. */
const first: Repeat = { times: sized(200, 4), at_once: 1 }
/** V8 still compiles after the first checks, because most functions run once per check; after these it hardly does. */
const cpuWarmUps = sized(14, 1)

export async function cpu(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const protocol of PROTOCOLS) rows.push(...(await cpuOver(protocol)))
  return rows
}

async function cpuOver(protocol: SiteProtocol): Promise<readonly Row[]> {
  const contest = await startContest({ protocol })
  const { engine } = contest
  const scripts = await contest.scripts()
  // The second check of the process: the first one connects to the third parties.
  await contest.traffic()
  const traffic = await contest.traffic()
  const contestants = (times: Repeat) => ({
    check: () => engine.ask<Measurement>('checks', times),
    script: () => scripts.ask<Measurement>('fetches', { ...times, traffic }),
  })
  const startFigures = await inTurns(contestants(first), 1)
  // Alternating here too: V8 discards hidden classes, and so compiled code, of a process that idles for half a minute.
  await inTurns(contestants(first), cpuWarmUps)
  const steadyFigures = await inTurns(contestants(batch), cpuRounds)
  await contest.end()
  const rowOf = (what: string, { check, script }: typeof steadyFigures): Row => ({
    what,
    measured: cpuText(check),
    beside: `the same by fetch and node:dns: ${cpuText(script)}`,
    ratio: ratioOf(check, script, cpuOf),
  })
  return [
    {
      ...rowOf(`CPU of a cold check over ${protocol} (page of ${Math.round(page.length / 1024)} KiB)`, steadyFigures),
      target: { most: 2 },
    },
    rowOf(`the same over ${protocol}, mean of a process's first ${first.times}`, startFigures),
  ]
}

const cpuOf = ({ cpu_us }: Measurement) => cpu_us
const cpuText = (figures: readonly Measurement[]) => `${(medianOf(figures, cpuOf) / 1_000).toFixed(1)} ms`

let lab: Reachable
let shop = 0

function newResolver(): Resolver {
  const resolver = new Resolver()
  resolver.setServers([lab.resolver])
  return resolver
}

/** Requests on persistent connections. */
type Client = ReturnType<typeof newClient>

const headers = { 'user-agent': 'minimal', accept: '*/*', 'accept-encoding': 'gzip, deflate, br' }

const addressOf = (host: string): string =>
  host === 'registry.lab' ? registryAddress : host === 'green-directory.lab' ? directoryAddress : shopAddress

/** Connects to the lab; TLS trusts Node's roots and those of NODE_EXTRA_CA_CERTS. */
const dialPlain = (host: string) => dialTo(lab)(addressOf(host), 80)
const dialSecurely = (host: string, protocols: string[]) =>
  connect({ socket: dialTo(lab)(addressOf(host), 443), servername: host, ALPNProtocols: protocols })

const isH2 = (host: string) => lab.protocol === 'h2' && shopOf(host) !== null

function newClient() {
  const agent = (allowH2: boolean) =>
    new Agent({
      connections: 1,
      allowH2,
      connect({ protocol, hostname }, done) {
        const secure = () => dialSecurely(hostname, allowH2 ? ['h2', 'http/1.1'] : ['http/1.1'])
        const [socket, ready] = protocol === 'https:' ? [secure(), 'secureConnect'] : [dialPlain(hostname), 'connect']
        socket.once('error', error => done(error, null)).once(ready, () => done(null, socket))
      },
    })
  const agents = { h1: agent(false), h2: agent(true) }
  return {
    /** Reads to the end; returns the bytes of the decoded body. */
    async get(url: string) {
      const { protocol, hostname } = new URL(url)
      const dispatcher = protocol === 'https:' && isH2(hostname) ? agents.h2 : agents.h1
      const response = await fetch(url, { dispatcher, headers, redirect: 'manual' })
      return (await response.arrayBuffer()).byteLength
    },
    close: () => void Promise.all(Object.values(agents).map(one => one.destroy())),
  }
}

/** Kept for all checks, as any script would. */
let keptClient: Client | undefined

/** The critical path: addresses, TCP, TLS, the page. */
async function visit(): Promise<void> {
  const resolver = newResolver()
  const name = shopName(shop++)
  await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const client = newClient()
  await client.get(`https://${name}/`)
  client.close()
}

/** Repeats all traffic of a check, at another shop. */
async function sameAs({ queries, site, requests }: LabTraffic): Promise<void> {
  const name = shopName(shop++)
  const here = (text: string) => {
    const shop = shopOf(text)
    return shop === null ? text : text.replace(shop, name)
  }
  keptClient ??= newClient()
  const upstreams = keptClient
  const resolver = newResolver()
  const isAddress = ({ name, type }: (typeof queries)[number]) =>
    (type === 'A' || type === 'AAAA') && shopOf(name) === name
  const ask = ({ name, type }: (typeof queries)[number]) =>
    // c-ares cannot query these; NS is as long.
    resolver.resolve(here(name), ['DS', 'DNSKEY', 'HTTPS'].includes(type) ? 'NS' : type)
  const client = newClient()
  const others = Promise.allSettled(queries.filter(query => !isAddress(query)).map(ask))
  const registries = requests.filter(({ host }) => host === 'registry.lab')
  const registry = registries.map(({ url }) => upstreams.get(`https://registry.lab${here(url)}`))
  await Promise.allSettled(queries.filter(isAddress).map(ask))
  const directory = requests
    .filter(({ host }) => host === 'green-directory.lab')
    .map(({ url }) => upstreams.get(`https://green-directory.lab${here(url)}`))
  const plain = site.filter(({ secure }) => !secure).map(({ url }) => client.get(`http://${name}${url}`))
  const pages = site.filter(({ secure }) => secure).map(({ url }) => `https://${name}${url}`)
  if (lab.protocol === 'h2') await Promise.all(pages.map(url => client.get(url)))
  else for (const url of pages) await client.get(url)
  await Promise.all([others, ...registry, ...directory, ...plain])
  client.close()
}

type Again = Repeat & { readonly traffic: LabTraffic }

export const tasks: Tasks = {
  open(reachable: Reachable) {
    lab = reachable
  },
  visits: (input: Repeat) => repeat(input, visit),
  fetches: ({ traffic, ...times }: Again) => repeat(times, () => sameAs(traffic)),
}

// Where the CPU of a warm check goes: the samples of V8's profiler by part of the code. What Node's own modules take
// counts for the part that calls them.
const profileWarmUp: Repeat = { times: sized(1_000, 8), at_once: 2 }
const profileRounds: Repeat = { times: sized(300, 8), at_once: 1 }
/** Parts below this share are added up. */
const LEAST = 0.01

export async function profile(): Promise<readonly Row[]> {
  return [...(await profileOver('h2')), ...(await profileOver('http/1.1'))]
}

async function profileOver(protocol: SiteProtocol): Promise<readonly Row[]> {
  const contest = await startContest({ protocol })
  await contest.engine.ask('warmUp', profileWarmUp)
  const { profile, checks } = await contest.engine.ask<ProfiledRun>('profile', profileRounds)
  await contest.end()
  const parts = shares(profile)
  const sum = (shares: Iterable<number>) => [...shares].reduce((all, us) => all + us, 0)
  const whole = sum(parts.values())
  const rare = [...parts.values()].filter(us => us / whole < LEAST)
  const mainParts = [...parts].filter(([, us]) => us / whole >= LEAST).sort(([, one], [, other]) => other - one)
  const row = (what: string, us: number): Row => ({
    what,
    measured: `${(us / 1_000 / checks).toFixed(2)} ms`,
    beside: '',
    ratio: us / whole,
  })
  return [
    row(`CPU of a warm check over ${protocol}`, whole),
    ...mainParts.map(([part, us]) => row(part, us)),
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
