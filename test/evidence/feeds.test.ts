import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../../src/evidence/facts.ts'
import createFeedsGatherer from '../../src/evidence/feeds/gather.ts'
import createPopularityGatherer from '../../src/evidence/popularity/gather.ts'
import type { Feed, PopularityList } from '../../src/knowledge/datasets/held.ts'
import { parseTarget, type Target, unvetted } from '../../src/targets/target.ts'

const feed = (parts: Partial<Feed> = {}): Feed => ({
  id: 'a_feed',
  name: 'A Feed',
  about: 'both',
  category: 'malware',
  strength: 'strong',
  terms: 'free',
  lookup: { name: () => null, pages: () => null, address: () => null },
  reason: null,
  age_hours: 3,
  ...parts,
})
const names = (...listed: string[]): Feed['lookup'] => ({
  name: name => listed.find(one => name === one || name.endsWith(`.${one}`)) ?? null,
  pages: () => null,
  address: address => (listed.includes(address) ? `${address}/32` : null),
})
/** Lists three pages of the host, of which `page` is one. */
const pagesOf = (host: string, page: string): Feed['lookup'] => ({
  name: () => null,
  pages: (name, _, asked) => (name === host ? { host, count: 3, listed: asked?.includes(page) ?? false } : null),
  address: () => null,
})
const ABSENT = { lookup: null, reason: 'not_loaded', age_hours: null }

function targetOf(text: string): Target {
  const isUrl = text.includes('/')
  const isAddress = !isUrl && /^[\d.]+$|:/.test(text)
  const parsed = parseTarget(
    { domain: isAddress || isUrl ? null : text, ip: isAddress ? text : null, url: isUrl ? text : null },
    unvetted,
  )
  assert.ok(parsed.ok)
  return parsed.target
}

/** `dialable` are the target's addresses, or the error of requesting them. */
async function gather(feeds: readonly Feed[], asked: string, dialable: readonly string[] | Error = []) {
  const context = {
    target: targetOf(asked),
    network: { refuse: () => null },
    gather: async () => {
      if (dialable instanceof Error) throw dialable
      return { dialable: dialable.map(address => ({ address })) }
    },
  } as unknown as GatherContext
  return createFeedsGatherer({ feeds: () => feeds })(context)
}

describe('feed listings', () => {
  const addresses = { about: 'addresses' as const }
  const cases: readonly (readonly [
    title: string,
    feed: Feed,
    asked: string,
    dialable: readonly string[] | Error,
    found: readonly [status: string, kind: string, asked: string, matched: string | null, reason: string | null],
  ])[] = [
    [
      'of a name',
      feed({ lookup: names('evil.com') }),
      'evil.com',
      [],
      ['listed', 'domain', 'evil.com', 'evil.com', null],
    ],
    [
      'of a name below one that is listed',
      feed({ lookup: names('evil.com') }),
      'www.evil.com',
      [],
      ['listed', 'domain', 'www.evil.com', 'evil.com', null],
    ],
    ['of a name nobody lists', feed(), 'honest.com', [], ['not_listed', 'domain', 'honest.com', null, null]],
    [
      'of an address behind a name, where they are about addresses',
      feed({ ...addresses, lookup: names('198.51.100.7') }),
      'honest.com',
      ['198.51.100.6', '198.51.100.7'],
      ['listed', 'ip', '198.51.100.7', '198.51.100.7/32', null],
    ],
    [
      'of no address behind a name, where they are about sites',
      feed({ lookup: names('198.51.100.7') }),
      'honest.com',
      ['198.51.100.7'],
      ['not_listed', 'domain', 'honest.com', null, null],
    ],
    [
      'of an address',
      feed({ lookup: names('198.51.100.7') }),
      '198.51.100.7',
      [],
      ['listed', 'ip', '198.51.100.7', '198.51.100.7/32', null],
    ],
    [
      'of three addresses at most',
      feed({ ...addresses, lookup: names('198.51.100.4') }),
      'honest.com',
      ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4'],
      ['not_listed', 'ip', 'honest.com', null, null],
    ],
    [
      'of a name whose addresses are not known, which is nothing',
      feed(addresses),
      'honest.com',
      new Unavailable('servfail'),
      ['unknown', 'ip', 'honest.com', null, 'addresses_unknown'],
    ],
    [
      'of a name that has none',
      feed(addresses),
      'honest.com',
      new NotApplicable('domain_not_found'),
      ['not_listed', 'ip', 'honest.com', null, null],
    ],
    [
      'when they are not there, which is nothing',
      feed(ABSENT),
      'evil.com',
      [],
      ['unknown', 'domain', 'evil.com', null, 'not_loaded'],
    ],
    [
      'when they are too old, which is nothing',
      feed({ lookup: null, reason: 'stale', age_hours: 500 }),
      'evil.com',
      [],
      ['unknown', 'domain', 'evil.com', null, 'stale'],
    ],
  ]
  for (const [title, one, asked, dialable, expected] of cases) {
    it(`are correct for ${title}`, async () => {
      const [row] = (await gather([one], asked, dialable)).lists
      assert.deepEqual([row?.status, row?.kind, row?.asked, row?.matched, row?.reason], expected)
      const isListed = row?.status === 'listed'
      assert.deepEqual([row?.categories, row?.strength], [isListed ? ['malware'] : [], isListed ? 'strong' : null])
    })
  }

  const lookup = pagesOf('bakery.com', '/login.php')
  const covered: readonly (readonly [
    asked: string,
    covers: string | null,
    matched: string | null,
    pages: number | null,
  ])[] = [
    ['https://bakery.com/login.php?id=7', 'page', 'bakery.com', 3],
    ['https://bakery.com/', 'other_pages', 'bakery.com', 3],
    ['bakery.com', 'other_pages', 'bakery.com', 3],
    ['https://honest.com/login.php', null, null, null],
  ]
  for (const [asked, covers, matched, pages] of covered) {
    it(`name ${covers ?? 'nothing'} of ${asked}, and never its path`, async () => {
      const [row] = (await gather([feed({ lookup })], asked)).lists
      assert.deepEqual([row?.covers, row?.matched, row?.pages], [covers, matched, pages])
      assert.equal(row?.status, covers === null ? 'not_listed' : 'listed')
      assert.doesNotMatch(JSON.stringify(row), /login|id=7/)
    })
  }

  it('of the whole site come before those of a page', async () => {
    const whole = { ...lookup, name: () => 'bakery.com' } as Feed['lookup']
    const [row] = (await gather([feed({ lookup: whole })], 'https://bakery.com/login.php')).lists
    assert.deepEqual([row?.covers, row?.pages], ['site', null])
  })

  it('have one row per feed', async () => {
    const lists = (
      await gather([feed({ id: 'one', lookup: names('evil.com') }), feed({ id: 'two', ...ABSENT })], 'evil.com')
    ).lists
    assert.deepEqual(
      lists.map(({ id, status, age_hours }) => [id, status, age_hours]),
      [
        ['one', 'listed', 3],
        ['two', 'unknown', null],
      ],
    )
  })

  it('are empty for an address when all feeds list names', async () => {
    await assert.rejects(gather([feed({ about: 'names' })], '198.51.100.7'), new NotApplicable('nothing_to_ask'))
  })

  it('are not configured without feeds', async () => {
    await assert.rejects(gather([], 'evil.com'), new Unavailable('not_configured'))
  })
})

describe('popularity', () => {
  const list = (id: string, ...domains: string[]): PopularityList => ({
    id,
    name: id,
    ranks: { size: domains.length, rank: domain => domains.indexOf(domain) + 1 || null },
    reason: null,
    age_hours: 3,
  })
  const ask = (lists: readonly PopularityList[], asked: string) =>
    createPopularityGatherer({ popularity: () => lists })({ target: targetOf(asked) } as unknown as GatherContext)

  it('is the best rank of the registrable domain', async () => {
    const lists = [
      list('one', 'first.com', 'second.com', 'shop.com'),
      list('two', 'shop.com'),
      list('three', 'first.com'),
    ]
    const { domain, rank, lists: rows } = await ask(lists, 'www.shop.com')
    assert.deepEqual([domain, rank], ['shop.com', 1])
    assert.deepEqual(
      rows.map(({ status, rank, of }) => [status, rank, of]),
      [
        ['ranked', 3, 3],
        ['ranked', 1, 1],
        ['not_ranked', null, 1],
      ],
    )
  })

  it('never ranks tenants by their platform', async () => {
    assert.equal((await ask([list('one', 'github.io')], 'evil.github.io')).rank, null)
    const { domain, rank } = await ask([list('one', 'weebly.com')], 'login.evil.weebly.com')
    assert.deepEqual([domain, rank], ['evil.weebly.com', null])
  })

  it('ranks the platform by itself', async () => {
    for (const asked of ['weebly.com', 'www.weebly.com']) {
      assert.equal((await ask([list('one', 'weebly.com')], asked)).rank, 1)
    }
  })

  it('is unknown until the list is loaded', async () => {
    const { rank, lists } = await ask([{ ...list('one'), ranks: null, reason: 'stale' }], 'shop.com')
    assert.deepEqual([rank, lists[0]?.status, lists[0]?.reason], [null, 'unknown', 'stale'])
  })

  it('is not configured without a list, and does not apply to addresses', async () => {
    await assert.rejects(ask([], 'shop.com'), new Unavailable('not_configured'))
    await assert.rejects(ask([list('one')], '198.51.100.7'), new NotApplicable('no_name'))
  })
})
