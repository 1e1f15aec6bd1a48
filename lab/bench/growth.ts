// How cost grows: CPU and memory against the size of a page, the names in feeds, the keys, the plugins of others, and the checks
// at once. Each step is compared with a linear one: with ten times the size, ten times the cost is 1. What costs more is a defect.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKeys } from '../../src/store/sql/keys.ts'
import { createQuota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { type GivenPage, openPageChecks } from '../../src/testing/check_page.ts'
import { startContest } from './engine.ts'
import { askedName, buildIndex, heldMegabytes, listedName } from './feeds.ts'
import { CORE, medianOf, type Repeat, type Row, repeat, scratch, sized, startChild, type Tasks } from './harness.ts'
import { type MemorySample, weighOnce } from './memory.ts'
import { filledHash, fillKeys } from './restart.ts'
import { page } from './site.ts'

/** What noise may add to a linear step. */
const MOST = 1.25

interface Growth {
  readonly what: (size: number) => string
  readonly sizes: readonly number[]
  /** What the figures are for. */
  readonly cost: string
  readonly memory: string
}

const KIB = 1024
const sizes: Readonly<Record<string, Growth>> = {
  page: {
    what: octets => `a page of ${octets / KIB} KiB`,
    sizes: [10, 64, 256, 1_024, 2_048].map(kib => kib * KIB),
    cost: 'CPU per check without network',
    memory: 'peak of the process',
  },
  plugins: {
    what: count => `${count} plugins of others`,
    sizes: [0, 10, 30],
    cost: 'CPU per check without network',
    memory: 'peak of the process',
  },
  feed: {
    what: names => `${names} names in feeds`,
    sizes: [0, 100_000, 1_000_000, 10_000_000],
    cost: 'CPU per look-up of a name and its parents',
    memory: 'of the index on disk',
  },
  keys: {
    what: count => `${count} keys, of which up to 20000 are in use`,
    sizes: [1, 1_000, 100_000, 1_000_000],
    cost: 'CPU per key look-up with durable count',
    memory: 'of the store',
  },
}

const atOnce = [1, 20, 100, 500]
/** Checks in one figure, so that a tick of the clock of CPU is little beside them. */
const checksOfFigure = sized(100, 4)

export async function growth(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [task, { what, sizes: of, cost, memory }] of Object.entries(sizes)) {
    let before: Step | null = null
    for (const size of of.slice(0, sized(of.length, 2))) {
      const { cpu_us, megabytes } = await inOwnProcess(task, size)
      const step: Step = { size, cpu_us }
      rows.push({
        what: what(size),
        measured: `${timeText(cpu_us)} of ${cost}`,
        beside: `${megabytes.toFixed(1)} MB ${memory}`,
        ...ratioRow(before, step),
      })
      before = step
    }
  }
  return [...rows, ...(await concurrency())]
}

async function inOwnProcess(task: string, size: number): Promise<Cost> {
  const child = startChild('growth', { core: CORE.any })
  const cost = await child.ask<Cost>(task, size)
  await child.end()
  return cost
}

interface Step {
  readonly size: number
  readonly cpu_us: number
}

/** Nothing can be several times nothing. */
const ratioRow = (before: Step | null, { size, cpu_us }: Step): Pick<Row, 'ratio' | 'target'> =>
  before === null || before.size === 0
    ? { ratio: null }
    : { ratio: cpu_us / before.cpu_us / (size / before.size), target: { most: MOST } }

const timeText = (us: number): string => (us < 1_000 ? `${us.toFixed(1)} µs` : `${(us / 1_000).toFixed(1)} ms`)

/** Checks that all wait for the site at once. The CPU of one must not grow with the others at all. */
async function concurrency(): Promise<readonly Row[]> {
  const contest = await startContest({ holds: true })
  const { engine, lab } = contest
  await weighOnce(engine, lab, checksOfFigure)
  const rows: Row[] = []
  let alone: number | null = null
  for (const count of atOnce.slice(0, sized(atOnce.length, 2))) {
    const samples: MemorySample[] = []
    for (let checks = 0; checks < checksOfFigure; checks += count) samples.push(await weighOnce(engine, lab, count))
    // The sum, because the clock of CPU ticks less often than one check ends.
    const cpuUs = samples.reduce((sum, one) => sum + one.cpu_us, 0) / samples.length
    rows.push({
      what: `${count} checks at once`,
      measured: `${timeText(cpuUs)} of CPU per check`,
      beside: `${(medianOf(samples, one => one.heap) / KIB).toFixed(0)} KiB of heap per check`,
      ...(alone === null ? { ratio: null } : { ratio: cpuUs / alone, target: { most: MOST } }),
    })
    alone ??= cpuUs
  }
  await contest.end()
  return rows
}

interface Cost {
  readonly cpu_us: number
  /** Megabytes that the size takes, or the most that the process had. */
  readonly megabytes: number
}

const url = 'https://walnut-and-oak.co.uk/'
/** V8 compiles the parts of a check that run often within this many. */
const warmUp = sized(40, 2)
/** Checks at least, and octets of pages at least, for one figure. */
const least = { checks: sized(12, 2), octets: sized(4, 1) * 1024 * 1024 }

const directory = scratch()

async function checks(givenPage: GivenPage, load: readonly string[] = []): Promise<Cost> {
  const pages = await openPageChecks({ load })
  const times = Math.max(least.checks, Math.ceil(least.octets / givenPage.html.length))
  await repeat({ times: warmUp, at_once: 1 }, () => pages.check({ url, html: page }))
  const { cpu_us } = await repeat({ times, at_once: 1 }, () => pages.check(givenPage))
  await pages.close()
  return { cpu_us, megabytes: process.resourceUsage().maxRSS / 1_000 }
}

/** The page of the bench with more or fewer products, of about so many octets. */
function pageOf(octets: number): string {
  const [head = '', rest = ''] = page.split('<ul>\n')
  const [list = '', foot = ''] = rest.split('\n</ul>')
  const room = Math.max(1, octets - head.length - foot.length)
  const items = list.repeat(Math.ceil(room / list.length)).slice(0, room)
  return `${head}<ul>\n${items}\n</ul>${foot}`
}

/** A plugin that reads all links of the page. */
const pluginOf = (n: number) => `export default {
  name: 'growth_${n}', description: '', targets: ['domain'], needs: ['document'], signals: {},
  schema: { type: 'object', properties: { links: { type: 'integer' } }, required: ['links'], additionalProperties: false },
  analyze: ({ document }) => ({ section: { links: JSON.stringify(document).split('href').length }, signals: [] }),
}`

function pluginFiles(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const file = join(directory, `growth_${n}.mjs`)
    writeFileSync(file, pluginOf(n), { mode: 0o600 })
    return file
  })
}

/** Look-ups of a name and its parents, and how often. */
const lookups = sized(100_000, 1_000)

async function feed(names: number): Promise<Cost> {
  const { index, disk_megabytes } = await buildIndex(names, listedName)
  const queries = Array.from({ length: lookups }, (_, n) => askedName(n * 7, n % 2 === 0))
  let at = 0
  const work = async () => {
    const { name, registrable } = queries[at++ % lookups] ?? queries[0] ?? { name: '', registrable: '' }
    index.name(name, registrable)
  }
  await repeat({ times: lookups, at_once: 1 }, work)
  const { cpu_us } = await repeat({ times: lookups, at_once: 1 }, work)
  return { cpu_us, megabytes: disk_megabytes }
}

const requests: Repeat = { times: sized(20_000, 200), at_once: 50 }
const plan = { quota: 1_000_000_000, period: 'month' } as const

async function keys(count: number): Promise<Cost> {
  const data = join(directory, 'data')
  mkdirSync(data)
  const open = () => openSqlite({ directory: data, patience_ms: PATIENCE_MS.command })
  await (await open()).close()
  fillKeys(join(data, 'assay.db'), count)
  const before = await heldMegabytes()
  const database = await open()
  const store = createKeys(database, { prefix: 'assay', grace_ms: 0, now: Date.now })
  const quota = createQuota(database, Date.now)
  let requestCount = 0
  const request = async () => {
    // Far apart, so that neighbours in a page of the file do not answer for each other.
    const key = await store.find(filledHash((requestCount++ * 7_919) % count))
    if (key === null) throw new Error('a key is missing')
    store.touch(key.id)
    if ('allowed' in (await quota.charge(key.account, plan))) throw new Error('the quota is used up')
  }
  const { cpu_us } = await repeat(requests, request)
  const megabytes = (await heldMegabytes()) - before
  await quota.drain()
  await store.close()
  await database.close()
  return { cpu_us, megabytes }
}

export const tasks: Tasks = {
  page: (octets: number) => checks({ url, html: pageOf(octets) }),
  plugins: (count: number) => checks({ url, html: page }, pluginFiles(count)),
  feed,
  keys,
}
