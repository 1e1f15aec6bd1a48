// deploy/: what alerts and the dashboard ask for exists.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { storeUrlFault } from '../../src/config/postgres_place.ts'
import { createMetrics, type ReadName, type Series, type SeriesName } from '../../src/service/api/metrics.ts'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../../deploy', name), 'utf8')
const zeros = new Proxy({}, { get: () => () => 0 }) as Record<ReadName, () => number>
const none = new Proxy({}, { get: () => () => ({}) }) as Record<SeriesName, () => Series>

/** Metrics by name, with their labels. Histograms have a series of buckets besides. */
async function existing(): Promise<ReadonlyMap<string, readonly string[]>> {
  const metrics = createMetrics({ by_key: true })
  metrics.read(zeros)
  metrics.readDatasets(none)
  metrics.readQueues(() => ({}) as never)
  metrics.readInstruments(() => ({}))
  const described = await metrics.describe()
  return new Map(described.flatMap(({ name, labels }) => [name, `${name}_bucket`].map(one => [one, labels] as const)))
}

describe('deploy/', () => {
  for (const file of ['alerts.yml', 'grafana.json']) {
    it(`${file} names only existing metrics, with their labels`, async () => {
      const known = await existing()
      const text = read(file).replaceAll('\\"', '"')
      const uses = [...text.matchAll(/\b(assay_[a-z_]+)(?:\{([^}]*)\})?/g)]
      assert.ok(uses.length > 10)
      for (const [use, name = '', matchers = ''] of uses) {
        const labels = known.get(name)
        assert.ok(labels, use)
        for (const [, label = ''] of matchers.matchAll(/(\w+)[=!]/g)) assert.ok(labels.includes(label), use)
      }
    })
  }

  it('the image of the compose file is the one that the Dockerfile builds, with the store of the second service', () => {
    const { services } = parse(read('compose.yaml')) as {
      services: Record<string, { build?: string; environment: Record<string, string> }>
    }
    const { build, environment } = services['assay'] ?? assert.fail('no service')
    const url = new URL((environment['ASSAY_STORE'] ?? '').replace(/\$\{POSTGRES_PASSWORD[^}]*\}/, 'secret'))
    const { POSTGRES_USER: user, POSTGRES_DB: name } = services['postgres']?.environment ?? {}
    assert.deepEqual([build, url.protocol, url.hostname], ['..', 'postgres:', 'postgres'])
    assert.deepEqual([url.username, url.pathname], [user, `/${name}`])
    assert.equal(storeUrlFault(url.href), null)
  })
})
