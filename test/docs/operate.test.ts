// The pages for operators match the code.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CacheCap, caps, type TableCap, tables } from '../../src/base/cache/caps.ts'
import { readSettings } from '../../src/config/config.ts'
import { ConfigSchema } from '../../src/config/schema.ts'
import { createMetrics, type ReadName, type Series, type SeriesName } from '../../src/service/api/metrics.ts'
import { map, read } from './documents.ts'

const { pages: operate = [] } = map.find(({ title }) => title === 'Operate') ?? {}
const page = operate.map(({ file }) => read(file)).join('\n')

const zeros = new Proxy({}, { get: () => () => 0 }) as Record<ReadName, () => number>
const none = new Proxy({}, { get: () => () => ({}) }) as Record<SeriesName, () => Series>

describe('the pages for operators', () => {
  it('lists exactly the existing metrics, with labels and help', async () => {
    const metrics = createMetrics({ by_key: true })
    metrics.read(zeros)
    metrics.readDatasets(none)
    metrics.readQueues(() => ({}) as never)
    const rows = (await metrics.describe()).map(
      ({ name, labels, help }) => `| \`${name}\` | ${labels.map(label => `\`${label}\``).join(', ')} | ${help} |`,
    )
    assert.deepEqual(
      page.split('\n').filter(line => line.startsWith('| `assay_')),
      rows,
    )
  })

  it('lists every cache with its cap, lifetime and settings', () => {
    assert.deepEqual(
      page.split('\n').filter(line => /^\| `[a-z_]+` \| [^|]+ \| [^|]*(?:MiB|entries)/.test(line)),
      [...Object.entries(caps).map(cacheRow), ...Object.entries(tables).map(tableRow)],
    )
  })

  it('states the default cache settings for results', () => {
    const { octets, life_ms } = caps.results
    const { cache } = readSettings({}, '', {}).config
    const lives = [cache.complete_seconds, cache.withheld_seconds, cache.incomplete_seconds, cache.not_found_seconds]
    const { stale: _, ...own } = life_ms
    assert.deepEqual([cache.max_bytes, ...lives.map(seconds => seconds * 1_000)], [octets, ...Object.values(own)])
  })

  it('names only existing configuration keys', () => {
    const named = [...page.matchAll(/`((?:server|check|keys|cache|metrics)\.[a-z_]+)`/g)].map(([, key]) => key ?? '')
    const known = Object.entries(ConfigSchema.properties).flatMap(([section, schema]) =>
      Object.keys((schema as { properties?: object }).properties ?? {}).map(key => `${section}.${key}`),
    )
    assert.deepEqual(
      [...new Set(named)].filter(key => !known.includes(key)),
      [],
    )
    assert.ok(named.length > 10)
  })
})

const cacheRow = ([name, { holds, octets, each, life_ms, configured }]: [string, CacheCap]): string => {
  const most = [`${octets / 2 ** 20} MiB`, each].filter(part => part !== undefined).join(' ')
  const keys = (configured ?? []).map(key => `\`${key}\``).join(', ')
  return `| \`${name}\` | ${holds} | ${most} | ${lifeOf(life_ms)} | ${keys} |`
}

const tableRow = ([name, { holds, entries, each }]: [string, TableCap]): string => {
  const most = [`${entries} entries`, each].filter(part => part !== undefined).join(' ')
  return `| \`${name}\` | ${holds} | ${most} | while in use |  |`
}

const lifeOf = (life_ms: CacheCap['life_ms']): string =>
  life_ms === undefined
    ? 'until evicted'
    : Object.entries(life_ms)
        .map(([what, ms]) => (what === 'usual' ? duration(ms) : `${what} ${duration(ms)}`))
        .join(', ')

/** In the largest unit that divides it evenly. */
function duration(ms: number): string {
  const [size, unit] = (
    [
      [3_600_000, 'h'],
      [60_000, 'min'],
    ] as const
  ).find(([size]) => ms % size === 0) ?? [1_000, 's']
  return `${ms / size} ${unit}`
}
