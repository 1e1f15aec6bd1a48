import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { rankEntries, rankIndexOf } from '../../../src/knowledge/datasets/feed/feed_index.ts'
import { readSubject } from '../../../src/knowledge/datasets/feed/subject.ts'
import type { ListedPages } from '../../../src/knowledge/datasets/held.ts'
import { parseTarget, unvetted } from '../../../src/targets/target.ts'
import { pathExpressions, readPage } from '../../../src/targets/url_expressions.ts'
import { feedOf, tableOf } from './memory_table.ts'

const indexOf = (...values: string[]) =>
  feedOf(entries => {
    for (const value of values) {
      const subject = readSubject(value)
      if (subject !== null) entries.add(subject)
    }
  })

const registrableOf = (domain: string): string => {
  const parsed = parseTarget({ domain, ip: null }, unvetted)
  assert.ok(parsed.ok && parsed.target.kind === 'domain')
  return parsed.target.registrable
}

describe('a feed in memory', () => {
  const listed = [
    'evil.com',
    'https://www.bad-shop.com/',
    'https://bakery.com/wp-content/verify.php',
    'www.weebly.com',
    'login.hacked-shop.de',
    'bad.github.io',
    'github.io',
    'http://docs.google.com/forms/d/evil',
    'https://sites.google.com/view/evil',
    'https://evil.weebly.com/',
    'weebly.com',
    'co.uk',
    'www.dropbox.com',
    'https://raw.githubusercontent.com/evil/evil/main/a.exe',
    'evil.blogspot.com',
    'https://sway.office.com/evil',
    'canva.site',
    'evil.my.canva.site',
    'blogspot.co.uk',
    'blogspot.xyz',
    'blogspot.evil.com.br',
  ]
  const cases: readonly (readonly [name: string, matched: string | null])[] = [
    ['evil.com', 'evil.com'],
    ['www.login.evil.com', 'evil.com'],
    ['notevil.com', null],
    ['bad-shop.com', 'bad-shop.com'],
    ['www.bad-shop.com', 'bad-shop.com'],
    ['pay.bad-shop.com', 'bad-shop.com'],
    ['evil.com.br', null],
    ['bakery.com', null],
    ['login.hacked-shop.de', 'login.hacked-shop.de'],
    ['a.login.hacked-shop.de', 'login.hacked-shop.de'],
    ['hacked-shop.de', null],
    ['www.hacked-shop.de', null],
    ['bad.github.io', 'bad.github.io'],
    ['deep.bad.github.io', 'bad.github.io'],
    ['good.github.io', null],
    ['github.io', null],
    ['docs.google.com', null],
    ['sites.google.com', null],
    ['google.com', null],
    ['evil.weebly.com', 'evil.weebly.com'],
    ['honest.weebly.com', null],
    ['weebly.com', null],
    ['honest.co.uk', null],
    ['dropbox.com', null],
    ['www.dropbox.com', null],
    ['raw.githubusercontent.com', null],
    ['evil.blogspot.com', 'evil.blogspot.com'],
    ['honest.blogspot.com', null],
    ['sway.office.com', null],
    ['canva.site', null],
    ['honest.my.canva.site', null],
    ['evil.my.canva.site', 'evil.my.canva.site'],
    ['blogspot.co.uk', null],
    ['blogspot.xyz', 'blogspot.xyz'],
    ['www.blogspot.xyz', 'blogspot.xyz'],
    ['blogspot.evil.com.br', 'blogspot.evil.com.br'],
  ]
  for (const [name, matched] of cases) {
    it(`${matched === null ? 'does not list' : 'lists'} ${name}${matched === null || matched === name ? '' : ` by ${matched}`}`, async () => {
      assert.equal((await indexOf(...listed)).name(name, registrableOf(name)), matched)
    })
  }

  const listedPages = [
    'https://www.bakery.com/wp-content/verify.php',
    'https://bakery.com/wp-content/verify.php',
    'https://bakery.com/2/login/',
    'https://bakery.com/3?id=1',
    'https://shop.market.com/evil',
    'https://docs.google.com/forms/d/evil/viewform',
    'https://docs.google.com/spreadsheets/',
    'https://google.com/url',
    'https://forms.office.com/Pages/ResponsePage.aspx',
    'https://www.dropbox.com/s/evil',
    'https://google.com/forms/d/parent',
    'https://evil.weebly.com/login',
    'https://weebly.com/evil',
    'http://192.0.2.1/a.exe',
  ]
  const found = (host: string, count: number | null) => ({ host, count, listed: true })
  const beside = (host: string, count: number) => ({ host, count, listed: false })
  const pageCases: readonly (readonly [url: string, expected: ListedPages | null])[] = [
    ['https://bakery.com/wp-content/verify.php', found('bakery.com', 3)],
    ['http://WWW.bakery.com:8080/wp-content/./verify.php#top', found('bakery.com', 3)],
    ['https://bakery.com/wp-content/%76erify.php?token=1', found('bakery.com', 3)],
    ['https://bakery.com/2/login/step/2.php?a', found('bakery.com', 3)],
    ['https://bakery.com/2/login', beside('bakery.com', 3)],
    ['https://bakery.com/3?id=1', found('bakery.com', 3)],
    ['https://bakery.com/3?id=2', beside('bakery.com', 3)],
    ['https://bakery.com/3', beside('bakery.com', 3)],
    ['https://bakery.com/', beside('bakery.com', 3)],
    ['https://bakery.com/WP-CONTENT/verify.php', beside('bakery.com', 3)],
    ['https://shop.bakery.com/2/login/', found('bakery.com', 3)],
    ['https://shop.bakery.com/', beside('bakery.com', 3)],
    ['https://market.com/evil', null],
    ['https://other.market.com/evil', null],
    ['https://docs.google.com/forms/d/evil/viewform', found('docs.google.com', null)],
    ['https://docs.google.com/forms/d/evil/viewform?usp=sharing', found('docs.google.com', null)],
    ['https://docs.google.com/forms/d/evil/?usp=sharing', null],
    ['https://google.com/url', found('google.com', null)],
    ['https://google.com/url?q=https://honest.com/', null],
    ['https://forms.office.com/Pages/ResponsePage.aspx?id=honest', null],
    ['https://docs.google.com/?usp=sharing', null],
    ['https://docs.google.com/forms/d/honest/viewform', null],
    ['https://docs.google.com/spreadsheets/d/1', null],
    ['https://docs.google.com/', null],
    ['https://www.dropbox.com/s/evil', found('dropbox.com', null)],
    ['https://docs.google.com/forms/d/parent', null],
    ['https://evil.weebly.com/login', found('evil.weebly.com', 1)],
    ['https://evil.weebly.com/', beside('evil.weebly.com', 1)],
    ['https://honest.weebly.com/evil', null],
    ['https://weebly.com/evil', found('weebly.com', null)],
    ['https://weebly.com/', null],
  ]
  for (const [url, expected] of pageCases) {
    const title =
      expected === null ? 'knows nothing of' : expected.listed ? 'lists' : 'lists other pages of the host of'
    it(`${title} ${url}`, async () => {
      const { hostname, pathname, search } = new URL(url)
      const index = await indexOf(...listedPages)
      const page = pathExpressions(readPage(pathname + search))
      assert.deepEqual(index.pages(hostname, registrableOf(hostname), page), expected)
      assert.equal(index.name(hostname, registrableOf(hostname)), null)
    })
  }

  it('counts pages of a host that is checked without a page', async () => {
    const index = await indexOf(...listedPages)
    assert.deepEqual(index.pages('www.bakery.com', 'bakery.com', null), beside('bakery.com', 3))
    assert.equal(index.pages('docs.google.com', 'google.com', null), null)
    assert.equal(index.address('192.0.2.1'), '192.0.2.1/32')
    assert.equal(index.size, 13)
  })

  const addresses: readonly (readonly [address: string, matched: string | null])[] = [
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.8', null],
    ['198.51.100.200', '198.51.100.0/24'],
    ['198.51.101.1', null],
    ['192.0.2.5', '192.0.2.4/31'],
    ['2001:db8:1::9', '2001:db8::/32'],
    ['2001:db9::9', null],
  ]
  for (const [address, matched] of addresses) {
    it(`${matched === null ? 'does not list' : 'lists'} ${address}`, async () => {
      const index = await indexOf('203.0.113.7', '198.51.100.0/24', '192.0.2.4-192.0.2.6', '2001:db8::/32')
      assert.equal(index.address(address), matched)
    })
  }

  it('returns the longest entry', async () => {
    const index = await indexOf('198.51.100.0/24', '198.51.100.7', 'evil.com', 'www1.evil.com')
    assert.equal(index.address('198.51.100.7'), '198.51.100.7/32')
    assert.equal(index.name('a.www1.evil.com', 'evil.com'), 'www1.evil.com')
  })

  it('agrees with a plain set for any content', async () => {
    const name = fc.stringMatching(/^[a-d]{1,2}(\.[a-d]{1,2}){0,2}\.[a-d]{1,2}\.com$/)
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 60 }), fc.array(name, { maxLength: 60 }), async (some, asked) => {
        const index = await indexOf(...some)
        assert.equal(index.size, new Set(some).size)
        for (const one of asked) {
          const labels = one.split('.')
          const registrable = labels.slice(-2).join('.')
          const suffixes = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
          assert.equal(index.name(one, registrable), suffixes.find(suffix => some.includes(suffix)) ?? null)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('may be empty', async () => {
    const index = await indexOf()
    assert.deepEqual([index.size, index.name('a.com', 'a.com'), index.address('192.0.2.1')], [0, null, null])
  })
})

describe('a list of popular domains', () => {
  it('ranks each domain by its first place', async () => {
    const table = await tableOf(table => {
      const entries = rankEntries(table)
      for (const name of ['first.com', 'second.com', 'first.com', 'fourth.com']) entries.add({ name })
      return entries.details()
    }, true)
    const index = rankIndexOf(table)
    const ranks = ['first.com', 'second.com', 'fourth.com', 'www.first.com'].map(name => index.rank(name))
    assert.deepEqual([index.size, ranks], [3, [1, 2, 4, null]])
  })
})
