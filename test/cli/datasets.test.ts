import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'
import type { DatasetStatus } from '../../src/knowledge/datasets/status.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const directory = temporaryDirectory()
const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))

function configured(datasets: object): string {
  const file = join(directory, 'config.json')
  writeFileSync(join(directory, 'names.txt'), 'evil.com\nworse.com\n')
  writeFileSync(file, JSON.stringify({ data: 'data', datasets }))
  return file
}

const mine = { use: 'feed', path: 'names.txt', category: 'phishing', terms: 'our own' }

describe('assay datasets', () => {
  it('lists each with its state, age and terms, and why it is disabled', async () => {
    const { code, out } = await assay('datasets', '--config', configured({ ...off, mine }))
    assert.equal(code, 0)
    assert.match(
      out,
      /^mine \(fresh\)\n {2}mine: feed, 2 entries, confirmed 0 min ago, from .*names\.txt\n {2}terms: our own\n/,
    )
    assert.match(out, /^openphish \(off: its terms forbid commercial use\)$/m)
    assert.match(out, /^ {2}with a free key from auth\.abuse\.ch: hosts that spread malware now; one listing alone/m)
    assert.match(out, /^A free key would turn on: urlhaus, urlhaus_urls, threatfox, feodo_tracker, phishtank, /m)
  })

  it('lists them as JSON', async () => {
    const { out } = await assay('datasets', '--json', '--config', configured({ ...off, mine }))
    const all = JSON.parse(out) as DatasetStatus[]
    assert.equal(all.length, knownDatasets.length + 1)
    assert.deepEqual(
      all.filter(({ state }) => state !== 'off').map(({ id, entries }) => [id, entries]),
      [['mine', 2]],
    )
  })

  it('reads one again on request', async () => {
    const { code, out } = await assay(
      'datasets',
      'refresh',
      'mine',
      '--force',
      '--config',
      configured({ ...off, mine }),
    )
    assert.deepEqual([code, out], [0, 'mine: fetched, 2 entries\n'])
  })

  it('refuses to refresh an unknown dataset', async () => {
    const { code, err } = await assay(
      'datasets',
      'refresh',
      'yours',
      'urlhaus',
      '--config',
      configured({ ...off, mine }),
    )
    assert.deepEqual([code, err], [64, 'assay: unknown or disabled dataset: yours, urlhaus\n'])
    const near = await assay('datasets', 'refresh', 'min', '--config', configured({ ...off, mine }))
    assert.equal(near.err, 'assay: unknown or disabled dataset: min; did you mean "mine"?\n')
  })

  it('lists all errors of their settings', async () => {
    const datasets = { ...off, openphish: 'http://a.lab/', urlhuas: true }
    const { code, err } = await assay('datasets', '--config', configured(datasets))
    assert.equal(code, 78)
    assert.match(err, /datasets\.openphish: "url" must be an https URL/)
    assert.match(err, /datasets\.urlhuas: no dataset has this id/)
  })
})
