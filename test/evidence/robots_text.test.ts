import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRobotsTxt } from '../../plugins/seo_health/robots_txt.ts'
import { robotsText, sitemapsNamed } from '../../src/evidence/crawl_files/robots_text.ts'

const textOf = (written: string) => robotsText(Buffer.from(written))

describe('an HTML page in place of robots.txt', () => {
  const page =
    '<!doctype html>\n<html><body data-secret="kept">\n<p>Note: a page.</p>\n<a href="/">Home</a></body></html>\n'

  it('is not kept except for its first tag', () => {
    assert.equal(textOf(page), '<!doctype html>')
    assert.equal(textOf(` \n\n${page}`), '<!doctype html>')
  })

  it('keeps only its first tag when it is one line', () => {
    assert.equal(textOf('<html><body>all of it</body></html>'), '<html>')
    assert.equal(textOf(`<${'x'.repeat(500)}`), `<${'x'.repeat(63)}`)
  })

  it('keeps its records, which crawlers follow', () => {
    assert.equal(
      textOf('<!-- robots -->\nUser-agent: *\n Disallow : /a\n<p>text</p>\nAllow: /b\nSitemap: /s.xml\n'),
      '<!-- robots -->\nUser-agent: *\n Disallow : /a\nAllow: /b\nSitemap: /s.xml',
    )
  })
})

describe('the sitemaps that a robots.txt names', () => {
  const url = 'https://a.example/s.xml'
  const rows: readonly (readonly [title: string, octets: Buffer, named: boolean])[] = [
    ['in any case', Buffer.from(`SITEMAP : ${url}`), true],
    ['in another spelling', Buffer.from(`Site-map: ${url}`), true],
    ['without a colon', Buffer.from(`sitemap ${url}`), false],
    ['behind a byte order mark', Buffer.from(`\ufeffSitemap: ${url}`), true],
    ['behind half a byte order mark', Buffer.from(`\xef\xbbSitemap: ${url}`, 'latin1'), true],
    ['behind a third of one', Buffer.from(`\xefSitemap: ${url}`, 'latin1'), true],
    ['in a comment', Buffer.from(`# Sitemap: ${url}`), false],
    ['in a sentence', Buffer.from(`sitemap is at ${url}`), false],
    ['by a longer word', Buffer.from(`sitemaps: ${url}`), false],
  ]
  for (const [title, octets, named] of rows) {
    it(`are ${named ? '' : 'not '}those ${title}, for what is fetched and for what is reported`, () => {
      const text = robotsText(octets)
      const fetched = sitemapsNamed(text, 'https://a.example').map(({ href }) => href)
      assert.deepEqual([fetched, parseRobotsTxt(text, 'Googlebot').sitemaps], named ? [[url], [url]] : [[], []])
    })
  }
})
