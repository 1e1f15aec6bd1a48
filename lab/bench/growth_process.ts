// One size of one thing: what a check or a request costs with it, in a process of its own, whose memory is then that of the size.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeys } from '../../src/store/sql/keys.ts'
import { createQuota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { type GivenPage, openPageChecks } from '../../src/testing/check_page.ts'
import { answerTasks } from './child.ts'
import { built, heldMegabytes } from './feed_measure.ts'
import { askedName, listedName } from './feed_names.ts'
import { filledHash, fillKeys } from './filled_keys.ts'
import { page } from './healthy_site.ts'
import { type Repeat, repeat } from './repeat.ts'

export interface Cost {
  readonly cpu_us: number
  /** Megabytes that the size takes, or the most that the process had. */
  readonly megabytes: number
}

const url = 'https://walnut-and-oak.co.uk/'
/** V8 compiles the parts of a check that run often within this many. */
const warmUp = 40
/** Checks at least, and octets of pages at least, for one figure. */
const least = { checks: 12, octets: 4 * 1024 * 1024 }

const directory = mkdtempSync(join(tmpdir(), 'assay-growth-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))

async function checks(given: GivenPage, load: readonly string[] = []): Promise<Cost> {
  const pages = await openPageChecks({ load })
  const times = Math.max(least.checks, Math.ceil(least.octets / given.html.length))
  await repeat({ times: warmUp, at_once: 1 }, () => pages.check({ url, html: page }))
  const { cpu_us } = await repeat({ times, at_once: 1 }, () => pages.check(given))
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
const lookups = 100_000

async function feed(names: number): Promise<Cost> {
  const { index, disk_megabytes } = await built(names, listedName)
  const asked = Array.from({ length: lookups }, (_, n) => askedName(n * 7, n % 2 === 0))
  let at = 0
  const work = async () => {
    const { name, registrable } = asked[at++ % lookups] ?? asked[0] ?? { name: '', registrable: '' }
    index.name(name, registrable)
  }
  await repeat({ times: lookups, at_once: 1 }, work)
  const { cpu_us } = await repeat({ times: lookups, at_once: 1 }, work)
  return { cpu_us, megabytes: disk_megabytes }
}

const requests: Repeat = { times: 20_000, at_once: 50 }
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
  let asked = 0
  const request = async () => {
    // Far apart, so that neighbours in a page of the file do not answer for each other.
    const key = await store.find(filledHash((asked++ * 7_919) % count))
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

answerTasks({
  page: (octets: number) => checks({ url, html: pageOf(octets) }),
  plugins: (count: number) => checks({ url, html: page }, pluginFiles(count)),
  feed,
  keys,
})
