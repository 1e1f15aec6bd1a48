import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseDatasets, datasetFaults, type Setting } from '../../../src/knowledge/datasets/choose.ts'
import { knownDatasets } from '../../../src/knowledge/datasets/known_datasets.ts'

const chosen = (id: string, setting?: Setting) =>
  chooseDatasets(setting === undefined ? {} : { [id]: setting }).find(one => one.id === id)

describe('the known datasets', () => {
  it('have unique IDs', () => {
    assert.equal(new Set(knownDatasets.map(({ id }) => id)).size, knownDatasets.length)
  })

  for (const one of knownDatasets) {
    it(`${one.id} states its terms, uses https, and says why it is off if it is`, () => {
      const { url, off, terms, use, path } = one
      assert.ok(terms.length > 3)
      assert.equal(path, null)
      if (url !== null) assert.equal(new URL(url).protocol, 'https:')
      assert.equal(chosen(one.id)?.enabled, off === null && url !== null)
      if (off === null && url === null) assert.ok(use === 'city' || use === 'asn')
      if (/non-commercial|CC BY-NC/.test(terms)) assert.notEqual(off, null)
    })
  }

  it('follow the configuration', () => {
    const cases: readonly (readonly [id: string, setting: Setting, found: object])[] = [
      ['spamhaus_drop', false, { enabled: false }],
      ['spamhaus_drop', null, { enabled: false }],
      ['openphish', true, { enabled: true }],
      ['urlhaus', 'https://mirror.lab/hosts?key=k', { enabled: true, url: 'https://mirror.lab/hosts?key=k' }],
      ['city', '/data/city.mmdb', { enabled: true, url: null, path: '/data/city.mmdb' }],
      ['rdap_bootstrap', '/data/dns.json', { enabled: true, url: null, path: '/data/dns.json', min_entries: 1 }],
      ['tor_exits', { refresh_hours: 1 }, { enabled: true, refresh_hours: 1, category: 'tor', format: 'netset' }],
      ['tor_exits', { enabled: false, url: 'https://mirror.lab/tor' }, { enabled: false }],
      ['mine', { use: 'feed', path: '/l', category: 'spam' }, { enabled: true, format: 'names', about: 'names' }],
    ]
    for (const [id, setting, found] of cases) {
      const one = chosen(id, setting)
      const named = Object.fromEntries(Object.keys(found).map(name => [name, one?.[name as keyof typeof one]]))
      assert.deepEqual(named, found, id)
    }
  })
})

describe('errors in the configuration of datasets', () => {
  const cases: readonly (readonly [title: string, id: string, setting: Setting, message: RegExp | null])[] = [
    ['nothing with a path', 'city', '/data/city.mmdb', null],
    ['nothing with one that is off', 'urlhaus', false, null],
    ['an id that was misspelt', 'urlhuas', true, /^no dataset has this id; did you mean "?urlhaus/],
    ['a place for nobody', 'mine', '/l', /^no dataset has this id/],
    ['no place for one of its own', 'mine', { use: 'feed', category: 'spam' }, /^set "url" or "path"/],
    ['a known one that has no place by itself', 'urlhaus', true, /^set "url" or "path" \(needs a key/],
    [
      'two places',
      'mine',
      { use: 'feed', category: 'spam', url: 'https://a.lab/', path: '/l' },
      /both "url" and "path"/,
    ],
    ['a URL in the clear', 'openphish', 'http://a.lab/', /must be an https URL/],
    ['a URL of another kind', 'openphish', 'ftp://a.lab/', /must be an https URL/],
    ['a feed of nothing in particular', 'mine', { use: 'feed', path: '/l' }, /needs a "category"/],
    ['a database written as names', 'city', { path: '/l', format: 'names' }, /cannot have the format names/],
  ]
  for (const [title, id, setting, message] of cases) {
    it(`include ${title}`, () => {
      const [fault] = datasetFaults({ [id]: setting })
      if (message === null) return assert.equal(fault, undefined)
      assert.equal(fault?.path, `datasets.${id}`)
      assert.match(fault.message, message)
    })
  }
})
