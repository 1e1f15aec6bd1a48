// Links to sources: every section has some, they are of the web, and those of lists and databases depend on what was seen.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentation as location } from '../../../plugins/geo_location/presentation.ts'
import type { Section as Location } from '../../../plugins/geo_location/section.ts'
import { listSources } from '../../../plugins/reputation/presentation.ts'
import { knownLists } from '../../../src/evidence/listings/known_lists.ts'
import { knownDatasets } from '../../../src/knowledge/datasets/known_datasets.ts'
import { readResult } from '../../golden/files.ts'
import { reportOf } from './shipped.ts'

const located = readResult('shop')['geo_location'] as unknown as Location

describe('the sources of a section', () => {
  it('are there for every section that judges or estimates by published rules', () => {
    const without = reportOf(readResult('shop')).sections.filter(({ links }) => links.length === 0)
    // The lab’s database has no maker.
    assert.deepEqual(
      without.map(({ name }) => name),
      ['geo_location'],
    )
  })

  it('are https, without a fragment of a query, and each once', () => {
    for (const { name, links } of reportOf(readResult('shop')).sections) {
      const urls = links.map(({ url }) => new URL(url))
      assert.ok(
        urls.every(({ protocol, search }) => protocol === 'https:' && search === ''),
        name,
      )
      assert.equal(new Set(urls.map(String)).size, urls.length, name)
    }
  })

  for (const [types, expected] of [
    [['DBIP-Country-Lite', 'DBIP-ASN-Lite'], ['https://db-ip.com']],
    [
      ['GeoLite2-City', 'DBIP-ASN-Lite'],
      ['https://db-ip.com', 'https://www.maxmind.com'],
    ],
    [['ipinfo generic_data_free.mmdb'], ['https://ipinfo.io']],
    [['Lab'], []],
    [null, []],
  ] as const) {
    it(`name the makers of ${types?.join(' and ') ?? 'no database'}`, () => {
      const { links } =
        location.describe?.({ ...located, databases: types && [...types] }, { isWhole: true, domain: null }) ?? {}
      assert.deepEqual(
        links?.map(({ url }) => url),
        expected,
      )
    })
  }

  it('are the sites of the lists that name the target, one for each operator', () => {
    const lists = [
      { name: 'Spamhaus DBL', listed: true },
      { name: 'Spamhaus ZEN', listed: true },
      { name: 'URLhaus, URLs', listed: true },
      { name: 'SURBL', listed: false },
      { name: 'SpamCop', listed: null },
      { name: 'a list of your own', listed: true },
    ]
    assert.deepEqual(
      listSources(lists).map(({ label }) => label),
      ['Spamhaus', 'URLhaus'],
    )
  })

  it('know the site of every list and feed that is shipped', () => {
    const feeds = knownDatasets.filter(({ use }) => use === 'feed')
    const unknown = [...knownLists, ...feeds]
      .map(({ name }) => name)
      .filter(name => listSources([{ name, listed: true }]).length === 0)
    // It speaks for its entries.
    assert.deepEqual(unknown, ['DNSWL'])
  })
})
