import assert from 'node:assert/strict'
import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Setting } from '../../../src/knowledge/datasets/choose.ts'
import { type Datasets, openDatasets } from '../../../src/knowledge/datasets/datasets.ts'
import { knownDatasets } from '../../../src/knowledge/datasets/known_datasets.ts'
import type { Network } from '../../../src/network/network.ts'
import { writeMmdb } from '../../../src/testing/lab_mmdb.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const directory = temporaryDirectory()
const file = (name: string, content: string | Buffer): string => {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

const noNetwork: Network = {
  open: () => assert.fail('the network was used'),
  close: async () => {},
}
const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))
const { signal } = new AbortController()

const open = (settings: Readonly<Record<string, Setting>>): Promise<Datasets> =>
  openDatasets({
    settings: { ...off, ...settings },
    downloads: { enabled: true, timeout_seconds: 1 },
    loading_ms: 30_000,
    directory: join(directory, 'copies'),
    network: noNetwork,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
  })

describe('datasets in the operator’s files', () => {
  it('are databases that are opened at once; a missing one is noticed', async () => {
    const { geo, notices } = await open({ city: file('city.mmdb', writeMmdb({ '192.0.2.0/24': 'place' })) })
    assert.deepEqual(
      geo().map(database => database.lookup('192.0.2.1')),
      ['place'],
    )
    assert.deepEqual(notices, ['No dataset in `datasets.asn`: `geo_location` may lack networks.'])
  })

  it('may be one file for both', async () => {
    const both = file('both.mmdb', writeMmdb({ '192.0.2.0/24': 'all' }))
    const { geo, notices } = await open({ city: both, asn: both })
    assert.deepEqual([geo().length, notices], [1, []])
  })

  it('may be absent, which is noticed', async () => {
    const { geo, bootstrap, notices } = await open({})
    assert.deepEqual([geo(), bootstrap('rdap_bootstrap')], [[], null])
    assert.match(notices.join(), /^No dataset for places or networks .*: `geo_location` is unavailable\.$/)
  })

  it('are rejected all together', async () => {
    const [city, asn, list] = ['one.mmdb', 'two.mmdb', 'list.txt'].map(name => join(directory, name)) as [
      string,
      string,
      string,
    ]
    const mine = { use: 'feed', path: list, category: 'spam' } as const
    await assert.rejects(open({ city, asn, mine }), {
      message: `${city}: no such file\n${asn}: no such file\n${list}: no such file, or not readable`,
    })
  })

  it('are feeds that are read at the start and when they are replaced', async () => {
    const path = file('feed.txt', 'evil.com\n')
    const datasets = await open({ mine: { use: 'feed', path, category: 'phishing' } })
    const lists = (name: string) => datasets.feeds()[0]?.lookup?.name(name, name) ?? null
    assert.equal(datasets.feeds()[0]?.reason, 'not_loaded')
    await datasets.load()
    assert.equal(lists('evil.com'), 'evil.com')
    assert.deepEqual(await datasets.refresh('mine', { signal }), { status: 'unchanged' })
    writeFileSync(path, 'worse.com\n')
    utimesSync(path, new Date(), new Date(Date.now() + 10_000))
    assert.deepEqual(await datasets.refresh('mine', { signal }), { status: 'fetched' })
    assert.deepEqual([lists('evil.com'), lists('worse.com')], [null, 'worse.com'])
  })

  it('are missing while their index is damaged, and read again', async () => {
    const names = Array.from({ length: 50_000 }, (_, n) => `evil${n}.com\n`).join('')
    const mine = { use: 'feed', path: file('torn.txt', names), category: 'phishing' } as const
    const datasets = await open({ torn: mine })
    const lookup = () => datasets.feeds()[0]?.lookup?.name('evil49.com', 'evil49.com')
    await datasets.load()
    assert.equal(lookup(), 'evil49.com')
    const index = join(directory, 'copies', 'torn.index')
    const { size } = statSync(index)
    writeFileSync(index, Buffer.alloc(size), { flag: 'r+' })
    assert.throws(() => datasets.feeds()[0]?.lookup?.name('evil7.com', 'evil7.com'))
    assert.deepEqual([datasets.feeds()[0]?.lookup, datasets.missing().map(({ id }) => id)], [null, ['torn']])
    while (datasets.missing().length > 0) await setTimeout(10)
    assert.equal(lookup(), 'evil49.com')
  })

  it('are kept when a new file lost more than half, except at the start', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `evil${n}.com\n`).join('')
    const path = file('shrinking.txt', names(100))
    const settings = { mine: { use: 'feed', path, category: 'phishing' } } as const
    const datasets = await open(settings)
    const refresh = async (content: string, force = false) => {
      writeFileSync(path, content)
      utimesSync(path, new Date(), new Date(Date.now() + 10_000 + content.length))
      return datasets.refresh('mine', { signal, force })
    }
    const lists = ({ feeds }: Datasets) => feeds()[0]?.lookup?.name('evil49.com', 'evil49.com') ?? null
    await datasets.load()
    for (const content of [names(49), '']) {
      assert.equal((await refresh(content))?.status, 'failed')
      assert.equal(lists(datasets), 'evil49.com')
    }
    assert.deepEqual(await refresh(names(50)), { status: 'fetched' })
    assert.deepEqual(await refresh(names(2)), { status: 'failed', reason: 'shrunk' })
    assert.deepEqual(await refresh(names(2), true), { status: 'fetched' })
    assert.equal(lists(datasets), null)
    await refresh(names(100), true)
    writeFileSync(path, names(3))
    const again = await open(settings)
    await again.load()
    assert.equal(again.status().find(({ id }) => id === 'mine')?.entries, 3)
  })

  it('are lists of popular domains', async () => {
    const path = file('top.csv', 'rank,domain\n1,first.com\n2,second.com\n')
    const datasets = await open({ mine: { use: 'popularity', path, column: 'domain' } })
    await datasets.load()
    const [list] = datasets.popularity()
    assert.deepEqual([list?.ranks?.rank('second.com'), list?.ranks?.rank('third.com')], [2, null])
  })

  it('show no key of a URL', async () => {
    const datasets = await open({ urlhaus: 'https://feeds.lab/files/hosts?auth-key=secret' })
    assert.ok(!JSON.stringify(datasets.status()).includes('secret'))
  })
})
