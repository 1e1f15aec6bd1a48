// Opens every hostile page with the renderer in a network namespace of this process's own, in which all that is not the lab leaves by
// an interface that counts, and prints what happened as JSON.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { CpuQueue } from '../../../src/base/cpu_queue.ts'
import { browserFault } from '../../../src/evidence/rendered/browser.ts'
import { describeVisit } from '../../../src/evidence/rendered/gather.ts'
import { createRenderer, type Renderer } from '../../../src/evidence/rendered/renderer.ts'
import { createNetwork } from '../../../src/network/create_network.ts'
import { createGuard } from '../../../src/network/guard.ts'
import { startLabDns } from '../../../src/testing/lab_dns.ts'
import { documentOf } from '../../../src/testing/page_of.ts'
import { type HostilePage, hostilePages } from './pages.ts'

/** What the pages did, for `hostile_pages.large.test.ts`. */
export interface Report {
  /** What is sent on purpose, to prove that it would be counted: packets that leave, connections to loopback. */
  readonly canaries: readonly [packets: number, connections: number]
  /** Milliseconds that a visit had. */
  readonly limit_ms: number
  readonly pages: readonly Outcome[]
  /** The visit of an ordinary page after all of them. */
  readonly after: string | null
  readonly processes: readonly string[]
  readonly profiles: readonly string[]
  readonly queries_of_rebinding: number
}

export interface Outcome {
  readonly title: string
  /** `read` and parsed, or why not. */
  readonly outcome: string
  /** Packets to addresses that are not the lab's, and connections to loopback. */
  readonly forbidden: readonly [packets: number, connections: number]
  /** Requests of the page's site. */
  readonly requests: number
  /** Milliseconds of CPU of this process. */
  readonly cpu_ms: number
  /** Of them, the most that its main thread took before other events had their turn. */
  readonly turn_ms: number
}

const SITE = '45.91.0.1'
const LOOPBACK_PORTS = [22, 80, 443, 3478, 5353, 6379, 8080, 9222]
/** A visit in production; more where an ordinary page needs more than a quarter of it, because the machine has other work. */
const LIMIT_MS = 3_000
const LIMIT_PER_VISIT = 4
/** Milliseconds of the longest visit that is waited for. */
const PATIENCE_MS = 20_000
/** Visits until the browser has asked for a page, which it may not in time on a busy machine. */
const TRIES = 4
/** Milliseconds between two looks at the main thread. */
const BEAT_MS = 5

const run = (command: string) => {
  const [program = '', ...args] = command.split(' ')
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
}

for (const command of [
  'ip link set lo up',
  'ip link add trap type veth peer name trapped',
  'ip link set trap addrgenmode none arp off',
  'ip link set trapped addrgenmode none',
  'ip addr add 45.90.0.2/30 dev trap',
  'ip link set trap up',
  'ip link set trapped up',
  'ip route add default dev trap',
  'ip -6 route add default dev trap',
  `ip route add local ${SITE}/32 dev lo`,
])
  run(command)
/** The tenth column counts what the interface has sent (proc(5)). `/sys` shows the interfaces of another namespace. */
const packets = () => Number(/trap:\s*(?:\d+\s+){9}(\d+)/.exec(readFileSync('/proc/self/net/dev', 'utf8'))?.[1])

let connections = 0
for (const host of ['127.0.0.1', '::1']) {
  for (const port of LOOPBACK_PORTS) {
    const trap = createTcpServer(socket => {
      connections += 1
      socket.destroy()
    })
    trap.listen(port, host)
    await once(trap, 'listening')
  }
}

async function canaries(): Promise<Report['canaries']> {
  const before = [packets(), connections] as const
  spawnSync('bash', ['-c', 'echo > /dev/udp/10.1.2.3/9; echo > /dev/tcp/127.0.0.1/8080'])
  await pause(100)
  return [packets() - before[0], connections - before[1]]
}

const shell = (script: string) =>
  `<!doctype html><html><head><title>Hostile</title></head><body><p>A page</p><script>${script}</script></body></html>`
const hosts = new Map(hostilePages.map((page, at) => [`p${at}.lab`, page]))
const zones: Record<string, { A: string[] }> = Object.fromEntries(
  [...hosts.keys(), 'rebinding.lab', 'good.lab'].map(name => [name, { A: [SITE] }]),
)
zones['points-inside.lab'] = { A: ['10.0.0.5'] }

const asked = new Map<string, number>()

const serve: RequestListener = (request, response) => {
  const host = request.headers.host ?? ''
  asked.set(host, (asked.get(host) ?? 0) + 1)
  response.on('error', () => {})
  if (host === 'rebinding.lab') {
    // From now on its address is another one.
    zones['rebinding.lab'] = { A: ['127.0.0.1'] }
    return void response.end('once')
  }
  if (host === 'good.lab') return void response.setHeader('Content-Type', 'text/html').end('<title>Good</title><p>Good')
  const path = request.url ?? '/'
  if (path === '/worker.js')
    return void response
      .setHeader('Content-Type', 'text/javascript')
      .end(`addEventListener('fetch', () => {}); fetch('http://127.0.0.1/', { mode: 'no-cors' }).catch(() => {})`)
  if (path === '/endless') {
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    }
    response.on('drain', write)
    return write()
  }
  const { page = '', redirects, headers = {} }: Partial<HostilePage> = hosts.get(host) ?? {}
  if (redirects !== undefined) return void response.writeHead(302, { Location: redirects }).end()
  response.writeHead(200, { 'Content-Type': 'text/html', ...headers })
  response.end(/^[<M]/.test(page) ? page : shell(page))
}
const server = createServer(serve)
server.on('connection', socket => socket.on('error', () => {}))
server.listen(80, SITE)
await once(server, 'listening')

const dns = await startLabDns({ zones })
const network = createNetwork({ resolvers: [dns.address], guard: createGuard({ own: () => [] }) })
const browser = process.argv[2] ?? ''
const rendererOf = (limit_ms: number) =>
  createRenderer({
    browser,
    sandbox: browserFault({ browser, sandbox: true }) === null,
    heap_mb: 128,
    when: 'always',
    at_once: 1,
    limit_ms,
    open: network.open,
  })

async function visit(renderer: Renderer, host: string): Promise<string> {
  const known = { host, addresses: [SITE] }
  const timing = { signal: AbortSignal.timeout(2 * PATIENCE_MS), deadline: performance.now() + 2 * PATIENCE_MS }
  try {
    const observed = await renderer.render({
      url: `http://${host}/`,
      knownHost: known,
      port: undefined,
      client: '',
      ...timing,
    })
    await describeVisit(new CpuQueue().open(''), observed, documentOf({}), 'always')
    return 'read'
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error)
  }
}

/** Visits until `isDone`. */
async function visitUntil(renderer: Renderer, host: string, isDone: (outcome: string) => boolean): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    const outcome = await visit(renderer, host)
    if (left === 1 || isDone(outcome)) return outcome
  }
}

const isRead = (outcome: string) => outcome === 'read'

/** How long a visit may take on this machine as busy as it is. */
async function limitNow(): Promise<number> {
  const patient = rendererOf(PATIENCE_MS)
  await visitUntil(patient, 'good.lab', isRead)
  const began = performance.now()
  await visitUntil(patient, 'good.lab', isRead)
  const took = performance.now() - began
  await patient.stop()
  return Math.min(PATIENCE_MS, Math.max(LIMIT_MS, LIMIT_PER_VISIT * took))
}

/** Milliseconds for which the main thread has computed (proc(5)), whatever else the machine does. */
const computed = () => Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6

async function attack(renderer: Renderer, title: string, host: string): Promise<Outcome> {
  const before = [packets(), connections] as const
  const cpu = process.cpuUsage()
  let last = computed()
  let turn_ms = 0
  const beat = setInterval(() => {
    const now = computed()
    turn_ms = Math.max(turn_ms, now - last)
    last = now
  }, BEAT_MS)
  const requests = () => asked.get(host) ?? 0
  const outcome = await visitUntil(renderer, host, () => requests() > 0)
  clearInterval(beat)
  const { user, system } = process.cpuUsage(cpu)
  const forbidden = [packets() - before[0], connections - before[1]] as const
  const cpu_ms = Math.round((user + system) / 1_000)
  return { title, outcome, forbidden, requests: requests(), cpu_ms, turn_ms: Math.round(turn_ms) }
}

function processes(): string[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`assay-browser-${process.pid}-`)
    } catch {
      return false
    }
  })
}

const sung = await canaries()
const limit_ms = await limitNow()
const renderer = rendererOf(limit_ms)
await visit(renderer, 'good.lab')
const only = process.argv[3]
const pages: Outcome[] = []
for (const [at, { title }] of hostilePages.entries())
  if (only === undefined || title.includes(only)) pages.push(await attack(renderer, title, `p${at}.lab`))
const after = await visitUntil(renderer, 'good.lab', isRead)
await renderer.stop()
await pause(200)
const report: Report = {
  canaries: sung,
  limit_ms,
  pages,
  after,
  processes: processes(),
  profiles: readdirSync(tmpdir()).filter(name => name.startsWith(`assay-browser-${process.pid}-`)),
  queries_of_rebinding: dns.queries.filter(({ name }) => name === 'rebinding.lab').length,
}
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exit(0)
