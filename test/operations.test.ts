// The operators' page tells what there is.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { createMetrics, type GaugeName, type Series, type SeriesName } from '../src/api/metrics.ts'
import { ConfigSchema } from '../src/config/schema.ts'

const page = readFileSync(resolve(import.meta.dirname, '../docs/operations.md'), 'utf8')

const zeros = new Proxy({}, { get: () => () => 0 }) as Record<GaugeName, () => number>
const none = new Proxy({}, { get: () => () => ({}) }) as Record<SeriesName, () => Series>

describe('docs/operations.md', () => {
  it('lists every metric with its labels and its help, and none that is not', async () => {
    const metrics = createMetrics()
    metrics.read(zeros)
    metrics.readDatasets(none)
    const rows = (await metrics.describe()).map(
      ({ name, labels, help }) => `| \`${name}\` | ${labels.map(label => `\`${label}\``).join(', ')} | ${help} |`,
    )
    assert.deepEqual(
      page.split('\n').filter(line => line.startsWith('| `assay_')),
      rows,
    )
  })

  it('names only keys that the configuration has', () => {
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

  it('speaks of files that are there', () => {
    for (const [, path] of page.matchAll(/\]\((\.\.\/[^)]+)\)/g)) {
      assert.ok(readFileSync(resolve(import.meta.dirname, '../docs', path ?? '')).length > 0, path)
    }
  })
})
