import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MissingDataset } from '../../src/knowledge/datasets/expected.ts'
import type { DatasetStatus } from '../../src/knowledge/datasets/status.ts'
import { createMetrics } from '../../src/service/api/metrics.ts'
import { datasetAges, datasetFigures } from '../../src/service/readiness.ts'

const status = () =>
  [
    { id: 'here', state: 'fresh', age_seconds: 7_300, entries: 12, failures: 0 },
    { id: 'old', state: 'stale', age_seconds: 900_000, entries: 5, failures: 4 },
    { id: 'away', state: 'missing', age_seconds: null, entries: null, failures: 2 },
    { id: 'off', state: 'off', age_seconds: null, entries: null, failures: 0 },
  ] as unknown as readonly DatasetStatus[]

describe('the ages of datasets', () => {
  it('are in /readyz for enabled datasets, and never make the service unready', () => {
    const condition = datasetAges({ status, missing: () => [] })
    assert.deepEqual([condition.fault, condition.outage, condition.note?.()], [undefined, undefined, null])
    assert.deepEqual(condition.facts?.(), {
      here: { state: 'fresh', age_hours: 2 },
      old: { state: 'stale', age_hours: 250 },
      away: { state: 'missing', age_hours: null },
    })
  })

  it('come with a note that names those that are expected and missing', () => {
    const missing = () => ['away', 'acme'].map(id => ({ id })) as unknown as readonly MissingDataset[]
    assert.equal(datasetAges({ status, missing }).note?.(), 'missing: away, acme')
  })

  it('are in the metrics, except for missing datasets', async () => {
    const metrics = createMetrics()
    metrics.readDatasets(datasetFigures({ status }))
    const lines = (await metrics.text()).split('\n').filter(line => line.startsWith('assay_dataset_'))
    assert.deepEqual(lines, [
      'assay_dataset_age_seconds{dataset="here"} 7300',
      'assay_dataset_age_seconds{dataset="old"} 900000',
      'assay_dataset_entries{dataset="here"} 12',
      'assay_dataset_entries{dataset="old"} 5',
      'assay_dataset_entries{dataset="away"} 0',
      'assay_dataset_failures{dataset="here"} 0',
      'assay_dataset_failures{dataset="old"} 4',
      'assay_dataset_failures{dataset="away"} 2',
    ])
  })
})
