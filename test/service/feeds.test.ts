import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { type Lab, type Result, startLab } from './lab.ts'

const HOST = 'healthy-shop.lab'
const ADDRESS = '93.184.216.34'
const PAGES = 'bakery-with-a-kit.lab'
const OTHER = 'other-bakery.lab'
const BLOCKED = '193.0.14.99'
const directory = temporaryDirectory()
const file = (name: string, content: string): string => {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}
const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))

type Reputation = {
  blacklist_hits: number | null
  lists: readonly { name: string; asked: string; status: string; reason: string | null }[]
}

const reputationOf = (result: Result) => result['reputation'] as Reputation

/** A site of one page, with feeds; nothing else is asked. */
const start = (datasets: object, downloads = false): Promise<Lab> =>
  startLab({
    hosts: [HOST, PAGES, OTHER].map(name => ({
      name,
      addresses: [ADDRESS],
      http: () => ({ body: '<title>A shop</title>' }),
    })),
    settings: {
      datasets: { ...off, ...datasets },
      downloads: { enabled: downloads },
      green_hosting: { enabled: false },
    },
  })

describe('a service with feeds', () => {
  let lab: Lab
  before(async () => {
    lab = await start({
      names: { use: 'feed', path: file('names', `${HOST}\n`), category: 'phishing', strength: 'strong', name: 'Names' },
      blocks: { use: 'feed', path: file('blocks', '193.0.14.0/24\n'), format: 'netset', category: 'attack' },
      pages: {
        use: 'feed',
        path: file('pages', `https://${PAGES}/wp/verify.php\n`),
        format: 'urls',
        category: 'phishing',
        strength: 'strong',
        name: 'Pages',
      },
      popular: { use: 'popularity', path: file('top', 'other.com\n'), format: 'names' },
    })
  })
  after(() => lab.close())

  it('calls a listed name and names below it malicious, and names the feed', async () => {
    for (const domain of [HOST, `www.${HOST}`]) {
      const { result } = await lab.check({ domain, ip: ADDRESS })
      assert.equal(result.verdict, 'malicious')
      assert.ok(result.signals.includes('listed_as_malicious'))
      assert.equal(reputationOf(result).blacklist_hits, 1)
      assert.ok(reputationOf(result).lists.some(({ name, status }) => name === 'Names' && status === 'answered'))
    }
  })

  const pages: readonly (readonly [
    asked: { domain: string } | { url: string },
    verdict: string,
    signal: string | null,
  ])[] = [
    [{ url: `https://${PAGES}/wp/verify.php?id=someone@example.com` }, 'malicious', 'listed_page'],
    [{ domain: PAGES }, 'suspicious', 'hosts_listed_pages'],
    [{ url: `https://${OTHER}/wp/verify.php` }, 'safe', null],
  ]
  for (const [asked, verdict, signal] of pages) {
    it(`calls ${Object.values(asked)[0]} ${verdict} when one page is listed, and repeats no path in its signals`, async () => {
      const { result } = await lab.check(asked)
      assert.equal(result.verdict, verdict)
      const listing = result.signals.filter(id => /listed/.test(id))
      assert.deepEqual(listing, signal === null ? [] : [signal])
      // The section about the link itself names words of its path, and nothing of its query.
      const details = (result['signal_details'] as { section: string }[]).filter(({ section }) => section !== 'link')
      assert.doesNotMatch(JSON.stringify([details, result['reputation']]), /verify|someone/)
      assert.doesNotMatch(JSON.stringify(result['signal_details']), /someone/)
    })
  }

  it('counts a listed address for an address and for a name', async () => {
    for (const asked of [{ ip: BLOCKED }, { domain: 'other.lab', ip: BLOCKED }]) {
      const { result } = await lab.check(asked)
      assert.equal(reputationOf(result).blacklist_hits, 1)
      assert.ok(result.signals.includes('listed_for_abuse'))
      assert.ok(reputationOf(result).lists.some(({ asked }) => asked === BLOCKED))
    }
  })
})

describe('a service whose feeds were never downloaded', () => {
  it('scores as without feeds, and says which are missing', async () => {
    const without = await start({})
    const missing = await start({ names: { use: 'feed', url: 'https://nobody.lab/names', category: 'phishing' } }, true)
    const both = await Promise.all([without, missing].map(lab => lab.check({ domain: HOST })))
    await Promise.all([without.close(), missing.close()])
    const [one, other] = both.map(({ result }) => result)
    assert.deepEqual([one?.risk_score, one?.signals], [other?.risk_score, other?.signals])
    const row = other && reputationOf(other).lists.find(({ name }) => name === 'names')
    assert.deepEqual([row?.status, row?.reason], ['unknown', 'not_loaded'])
  })
})
