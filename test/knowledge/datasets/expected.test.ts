// Which datasets an installation should have, and what it says while it does not.
import assert from 'node:assert/strict'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { NOT_CONFIGURED, Unavailable } from '../../../src/evidence/facts.ts'
import type { Gatherers } from '../../../src/evidence/kinds.ts'
import type { Setting } from '../../../src/knowledge/datasets/choose.ts'
import { openDatasets } from '../../../src/knowledge/datasets/datasets.ts'
import { concerns, type MissingDataset } from '../../../src/knowledge/datasets/expected.ts'
import { knownDatasets } from '../../../src/knowledge/datasets/known_datasets.ts'
import type { Network } from '../../../src/network/network.ts'
import { awaitingDatasets } from '../../../src/service/awaiting.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const noNetwork: Network = { open: () => assert.fail('the network was used'), close: async () => {} }
const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))

const open = (settings: Readonly<Record<string, Setting>>, { enabled = true, directory = temporaryDirectory() } = {}) =>
  openDatasets({
    settings: { ...off, ...settings },
    downloads: { enabled, timeout_seconds: 1 },
    loading_ms: 30_000,
    directory,
    network: noNetwork,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
  })

/** A directory with a copy of this content; with another size than its record says when damaged. */
function withCopy(id: string, content: string, isDamaged = false): string {
  const directory = temporaryDirectory()
  mkdirSync(directory, { recursive: true })
  const data = join(directory, `${id}.data`)
  writeFileSync(data, content)
  const times = { fetched_at: Date.now(), checked_at: Date.now(), entries: 1, octets: statSync(data).size }
  const record = { url: 'https://feeds.lab/x', etag: null, last_modified: null, ...times }
  writeFileSync(join(directory, `${id}.json`), JSON.stringify({ ...record, octets: record.octets + Number(isDamaged) }))
  return directory
}

const ids = (missing: readonly MissingDataset[]) => missing.map(({ id }) => id)
const URL_OF = 'https://feeds.lab/mine.txt'
const mine: Setting = { use: 'feed', url: URL_OF, category: 'phishing', name: 'Ours' }
const DEFAULT = 'phishing_database'

describe('a dataset that is expected', () => {
  const rows: readonly (readonly [what: string, Record<string, Setting>, { enabled?: boolean }, expected: string[]])[] =
    [
      ['is no default that was never downloaded', { [DEFAULT]: true }, {}, []],
      ['is no default with other settings that was never downloaded', { [DEFAULT]: { refresh_hours: 5 } }, {}, []],
      ['is one that the operator turned on', { openphish: true }, {}, ['openphish']],
      ['is not one that was turned on where downloads are off', { openphish: true }, { enabled: false }, []],
      ['is a known one at a place of the operator', { urlhaus: URL_OF }, {}, ['urlhaus']],
      ['is one of the operator by URL', { mine }, {}, ['mine']],
      ['is one of the operator by URL where downloads are off', { mine }, { enabled: false }, ['mine']],
      ['is not one that is turned off', { openphish: false, urlhaus: { url: URL_OF, enabled: false } }, {}, []],
    ]
  for (const [what, settings, options, expected] of rows) {
    it(what, async () => assert.deepEqual(ids((await open(settings, options)).missing()), expected))
  }

  it('is a default with a copy on disk, until that is read', async () => {
    const settings: Record<string, Setting> = { [DEFAULT]: { min_entries: 1 } }
    const datasets = await open(settings, { directory: withCopy(DEFAULT, 'evil.com\n') })
    const told: string[][] = []
    datasets.onRead(missing => told.push(ids(missing)))
    assert.deepEqual(ids(datasets.missing()), [DEFAULT])
    await datasets.load()
    assert.deepEqual([ids(datasets.missing()), told], [[], [[]]])
  })

  for (const enabled of [true, false]) {
    it(`is a default with a damaged copy on disk; downloads are ${enabled ? 'on' : 'off'}`, async () => {
      const directory = withCopy(DEFAULT, 'evil.com\n', true)
      const datasets = await open({ [DEFAULT]: { min_entries: 1 } }, { enabled, directory })
      await datasets.load()
      assert.deepEqual(ids(datasets.missing()), [DEFAULT])
    })
  }

  it('is described for results: its kind, its name, and whose it is', async () => {
    const datasets = await open({ mine, openphish: true, majestic_million: URL_OF, dbip_asn: URL_OF })
    assert.deepEqual(
      datasets.missing().map(({ id, name, kind, own }) => [id, name, kind, own]),
      [
        ['openphish', 'OpenPhish', 'feed', false],
        ['majestic_million', 'Majestic Million', 'list', true],
        ['dbip_asn', 'DB-IP ASN Lite', 'database', true],
        ['mine', 'Ours', 'feed', true],
      ],
    )
  })

  for (const [kind, expected] of [
    ['domain', ['openphish', 'majestic_million', 'dbip_asn', 'mine', 'of_addresses']],
    ['ip', ['openphish', 'dbip_asn', 'of_addresses']],
  ] as const) {
    it(`is missed by the check of a target of kind ${kind} only if it says something about one`, async () => {
      const of_addresses: Setting = { use: 'feed', url: URL_OF, category: 'phishing', format: 'netset' }
      const settings = { mine, of_addresses, openphish: true, majestic_million: URL_OF, dbip_asn: URL_OF }
      const missing = (await open(settings)).missing()
      assert.deepEqual(ids(missing.filter(one => concerns({ kind }, one))), expected)
    })
  }

  it('is read once it is right, and a wrong one is not read again before it changes', async () => {
    const path = join(temporaryDirectory(), 'mine.txt')
    writeFileSync(path, 'nothing of a list\n<p>\n')
    const datasets = await open({ mine: { use: 'feed', path, category: 'phishing' } })
    await datasets.load()
    const { signal } = new AbortController()
    const refresh = () => datasets.refresh('mine', { signal })
    assert.deepEqual(await refresh(), { status: 'failed', reason: 'wrong_format' })
    assert.deepEqual(ids(datasets.missing()), ['mine'])
    writeFileSync(path, 'evil.com\nworse.com\n')
    assert.deepEqual(await refresh(), { status: 'fetched' })
    assert.deepEqual(ids(datasets.missing()), [])
  })
})

describe('evidence without its dataset', () => {
  const gatherers = {
    location: async () => {
      throw new Unavailable(NOT_CONFIGURED)
    },
  } as unknown as Gatherers

  for (const [what, missing, reason] of [
    ['is not configured where none is expected', [], NOT_CONFIGURED],
    ['is not configured while another is missing', [{ use: 'rdap_bootstrap' }], NOT_CONFIGURED],
    ['is loading while its own is missing', [{ use: 'asn' }], 'loading'],
  ] as const) {
    it(what, async () => {
      const { location } = awaitingDatasets(gatherers, () => missing as unknown as readonly MissingDataset[])
      await assert.rejects(location({} as never), { reason })
    })
  }
})
