import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { robotsText } from '../../src/evidence/crawl_files/robots_text.ts'

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
