// A name at an end of a page's title costs nothing: it counts for the page only where it fits the host.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createContentAnalysis } from '../../plugins/content_analysis/index.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { NAME_UNSEEN, served } from './content_analysis_page.ts'

/** A password field makes a page `possible`, a title of one word besides `likely`. */
const plugin = createContentAnalysis({
  bias: 0,
  thresholds: { possible: 0.5, likely: 1, certain: 9 },
  features: { 'asks password': 0.7, 'one word of title': 0.5, 'no title': 0.5 },
})

function signalsOf(title: string, host: string): string[] {
  const url = `https://${host}/`
  const parser = createPageParser(url, 'text/html; charset=utf-8')
  parser.write(Buffer.from(`<title>${title}</title><form method="post"><input type="password" name="pass"></form>`))
  const target = parseTarget({ domain: host, ip: null }, unvetted)
  if (!target.ok) throw new Error(target.detail)
  const finding = plugin.analyze(
    { served: served(url), document: parser.end(false), page: pageOf({ url }), ...NAME_UNSEEN },
    { target: target.target, options: { brands: [] }, missing: {}, now: new Date('2026-11-20T12:00:00Z') },
  )
  return (finding.signals ?? []).map(({ id }) => id)
}

const PLAIN = 'quillbarrow.com'

const cases: readonly [title: string, host: string, signal: string][] = [
  ['Login', PLAIN, 'phishing_page'],
  ['Login – Larkmoor Trading', PLAIN, 'phishing_page'],
  ['Larkmoor Trading | Login', PLAIN, 'phishing_page'],
  ['Login – Quillbarrow Trading', PLAIN, 'resembles_phishing_page'],
  ['Login to your account – Larkmoor Trading', PLAIN, 'resembles_phishing_page'],
  ['Login of Larkmoor Trading', PLAIN, 'resembles_phishing_page'],
]

describe('a page like those of kits', () => {
  for (const [title, host, signal] of cases) {
    it(`titled “${title}” on ${host} is a ${signal}`, () => assert.deepEqual(signalsOf(title, host), [signal]))
  }
})
