import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import createHstsPreloadGatherer from '../../../src/evidence/hsts_preload/gather.ts'
import { preloadEntries, preloadIndexOf } from '../../../src/knowledge/datasets/feed/preload_index.ts'
import { pageOf } from '../../../src/testing/page_of.ts'
import { EXAMPLE } from '../../engine/engine_of.ts'
import { tableOf } from './memory_table.ts'

const lines = [
  '// Comments that JSON does not permit.',
  '    { "name": "app", "policy": "public-suffix", "mode": "force-https", "include_subdomains": true },',
  '    { "name": "www.alone.example", "policy": "custom", "mode": "force-https" },',
  '    { "name": "pinned.example", "policy": "custom", "pins": "x", "include_subdomains": true },',
  '    { "name": "deep.house.example", "policy": "bulk-1-year", "mode": "force-https", "include_subdomains": true },',
  '    { "name": "CAPITALS.example", "mode": "force-https" },',
]

const indexOf = async (all: readonly string[]) =>
  preloadIndexOf(
    await tableOf(table => {
      const entries = preloadEntries(table)
      for (const line of all) entries.add(line)
      return entries.details()
    }),
  )

describe('the HSTS preload list', () => {
  const hosts: [host: string, preloaded: boolean][] = [
    ['app', true],
    ['shop.app', true],
    ['www.shop.app', true],
    ['app.example', false],
    ['www.alone.example', true],
    ['alone.example', false],
    ['a.www.alone.example', false],
    ['pinned.example', false],
    ['deep.house.example', true],
    ['www.deep.house.example', true],
    ['house.example', false],
    ['notdeep.house.example', false],
  ]
  it('has hosts, and with some their subdomains', async () => {
    const index = await indexOf(lines)
    assert.equal(index.size, 3)
    assert.deepEqual(
      hosts.map(([host]) => [host, index.has(host)]),
      hosts,
    )
  })

  it('is asked about the host of the page, after redirects', async () => {
    const list = await indexOf(lines)
    const page = pageOf({ url: 'http://example.com/', status: 301 }, { url: 'https://www.shop.app/' })
    const context = { target: EXAMPLE, gather: async () => page } as never
    assert.deepEqual(await createHstsPreloadGatherer({ hsts_preload: () => list })(context), {
      host: 'www.shop.app',
      preloaded: true,
    })
    await assert.rejects(createHstsPreloadGatherer({ hsts_preload: () => null })(context), { reason: 'not_configured' })
  })
})
