// The search of the documentation, as the service serves it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openSearch, passagesOf } from '../../src/service/api/docs/search.ts'
import { openDocs } from '../../src/service/api/docs/site.ts'
import type { WebPage } from '../../src/service/api/web.ts'

const docs = openDocs(() => Buffer.from('{}'))
const found = (query: string): string => {
  const page = docs.get('/docs/search', `q=${encodeURIComponent(query)}`) as WebPage
  return page.body.toString()
}
const linksOf = (page: string): readonly string[] =>
  [...page.matchAll(/<li><a href="([^"]+)"/g)].map(([, link = '']) => link)

describe('the search of the documentation', () => {
  for (const [query, link] of [
    ['unsafe_allow', '/docs/network'],
    ['backup', '/docs/stores#backup'],
    ['exit codes', '/docs/command-line'],
    ['webhook', '/docs/watch#webhooks'],
    ['resolvr', '/docs/network'],
    ['signature webhook', '/docs/watch'],
    ['rspamd', '/docs/mail'],
    ['quota', '/docs/accounts'],
    ['missing_csp', '/docs/signals'],
    ['DKIM', '/docs/plugins/dns_security'],
    ['cors_origins', '/docs/api#pages-of-other-origins'],
    ['X-RateLimit-Reset', '/docs/api#headers'],
  ] as const) {
    it(`finds ${link} for “${query}” among the first five`, () => {
      const links = linksOf(found(query)).slice(0, 5)
      assert.ok(
        links.some(one => one.startsWith(link)),
        links.join(' '),
      )
    })
  }

  it('escapes the query', () => {
    const page = found('"><script>alert(1)</script>')
    assert.doesNotMatch(page, /<script>alert/)
    assert.match(page, /value="&quot;&gt;&lt;script&gt;/)
  })

  for (const [title, query] of [
    ['no query', ''],
    ['a query of spaces', '   '],
    ['a query that nothing has', 'qqqzzzxxx'],
    ['a query of 10,000 characters', 'a'.repeat(10_000)],
  ] as const) {
    it(`answers ${title} with a page and no results`, () => assert.deepEqual(linksOf(found(query)), []))
  }

  it('leads to the headings that the pages have', () => {
    for (const query of ['key', 'store', 'check', 'score']) {
      for (const link of linksOf(found(query))) {
        const [path = '', id] = link.split('#')
        const page = (docs.get(path) as WebPage).body.toString()
        assert.ok(id === undefined || page.includes(` id="${id}"`), link)
      }
    }
  })
})

describe('a passage', () => {
  const markdown =
    '# Page\n\nFirst.\n\n## One `code`\n\n| a | b |\n|---|---|\n| c | d |\n\n<!-- hidden -->\n\n## Same\n\n- x\n\n## Same\n'
  const passages = passagesOf(markdown, '/docs/page')

  it('is a heading with its own text, without comments, at its anchor', () => {
    assert.deepEqual(
      passages.map(({ heading, url, text }) => [heading, url, text.replace(/\s+/g, ' ').trim()]),
      [
        ['Page', '/docs/page', 'First.'],
        ['One code', '/docs/page#one-code', 'a b c d'],
        ['Same', '/docs/page#same', 'x'],
        ['Same', '/docs/page#same-1', ''],
      ],
    )
  })

  it('has an excerpt around the word, cut at words', () => {
    const text = `${'before '.repeat(60)}needle ${'after '.repeat(60)}`
    const [hit] = openSearch([{ page: 'P', heading: 'H', url: '/p', text }])('needle')
    assert.match(hit?.excerpt ?? '', /^… (?:before )+needle (?:after )+…$/)
    assert.ok((hit?.excerpt.length ?? 999) < 240, 'an excerpt is short')
  })
})
