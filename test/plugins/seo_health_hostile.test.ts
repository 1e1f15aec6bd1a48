import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decidingRule, parseRobotsTxt } from '../../plugins/seo_health/robots_txt.ts'
import { anyText, parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'
import { sampled } from '../sample.ts'
import { findingOf, meta, robotsOf, type Site, sectionOf, sitemapOf } from './seo_health_site.ts'

const SIZE = 2 * 1024 * 1024
const ROBOTS_SIZE = 500 * 1024
/** Each of twenty places holds all of it. */
const walks = 100
const fill = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

const everywhere = (text: string): Site => ({
  document: {
    title: text,
    lang: text,
    base: text,
    charset: text,
    metas: ['description', 'viewport', 'robots', 'googlebot', 'refresh'].map(name => meta(name, text)),
    links: ['canonical', 'alternate'].map(rel => ({ rel: [rel], href: text, hreflang: text, type: null })),
    anchors: [{ href: text, text, rel: [] }],
    headings: [{ level: 1, text }],
    json_ld: [text],
  },
  responses: [{ headers: [`x-robots-tag: ${text}`, `link: ${text}`] }],
  robots: robotsOf(text.slice(0, ROBOTS_SIZE)),
  sitemaps: [sitemapOf({ url: text, root: null })],
})

describe('two megabytes of hostile site end in time', () => {
  const units = parts(
    'a : , ; < <> " = [ {"a": % %61 %E0 * $ - en- # noindex, unavailable_after: width= https://',
    ' ',
    '\t',
    '\n',
    '\r',
    '<a>; rel=',
    '\u0000',
    '\ud800',
    '😀',
    'é',
    'user-agent: *\n',
    'disallow: /*a*a*$\n',
    'user-agent: googlebot\ndisallow: /\n',
    '\ufeff',
  )
  for (const unit of sampled(units, 10)) {
    it(`of ${JSON.stringify(unit)}`, () => {
      const site = everywhere(fill(unit, SIZE))
      assertCheap(() => findingOf(site), walks)
    })
  }

  const path = `/${'a'.repeat(2_000)}`
  const robots: [says: string, text: string][] = [
    [
      'of patterns that nearly match everywhere',
      `user-agent: *\n${fill(`disallow: /*b${'a'.repeat(100)}\n`, ROBOTS_SIZE)}`,
    ],
    ['of patterns that match late', `user-agent: *\n${fill(`disallow: /*${'a'.repeat(500)}b\n`, ROBOTS_SIZE)}`],
    ['of stars', `user-agent: *\ndisallow: /${fill('*a', 16_000)}b\n`],
    ['of short rules', `user-agent: *\n${fill('allow:/*ab\n', ROBOTS_SIZE)}`],
    [
      'of crawlers with many rules',
      `${fill('user-agent: *\n', ROBOTS_SIZE / 2)}${fill('allow:/b\n', ROBOTS_SIZE / 2)}`,
    ],
  ]
  for (const [says, text] of robots) {
    it(`in robots.txt ${says}`, () => {
      const url = new URL(path, 'https://example.com/')
      assertCheap(() => decidingRule(parseRobotsTxt(text, 'Googlebot'), url), walks)
    })
  }

  it('of nested structured data', () => {
    assertCheap(() => findingOf({ document: { json_ld: Array(50).fill('['.repeat(10_000) + ']'.repeat(10_000)) } }))
  })
})

describe('any content of the site', () => {
  const anything = fc.oneof(
    anyText({ maxLength: 200 }),
    fc
      .array(fc.constantFrom(...parts('user-agent: * disallow: / $ noindex , : < > " en - { }', '\n', '\ud800')), {
        maxLength: 40,
      })
      .map(parts => parts.join('')),
  )

  it('gives a section whose impacts explain the score', () => {
    fc.assert(
      fc.property(anything, text => {
        const { score, issues } = sectionOf({ ...everywhere(text), kind: 'page' })
        assert.equal(score, Math.max(0, 100 - (issues ?? []).reduce((sum, { impact }) => sum + impact, 0)))
      }),
    )
  })

  it('fits 32 KiB of JSON, whole and printable', () => {
    fc.assert(
      fc.property(anything, text => {
        const section = sectionOf({ ...everywhere(text.repeat(200)), kind: 'page' })
        const { evaluated_url, redirects, ...own } = section
        const json = JSON.stringify(own)
        assert.ok(Buffer.byteLength(json) <= 32 * 1024)
        assert.doesNotMatch(json, /\\u[0-9a-f]{4}|[\p{Cc}\p{Cs}]/u)
      }),
    )
  })
})
