// Pages that draw little themselves, that led here by themselves, and that show a frame.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentation } from '../../plugins/content_analysis/presentation.ts'
import type { Document } from '../../src/engine/plugin.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { findingOf, sectionOf, signalsOf } from './content_analysis_page.ts'

const none = { inline: 0, own: 0, foreign: 0 }
const drawn: NonNullable<Document['drawn']> = {
  words: 0,
  fields: 0,
  buttons: 2,
  pictures: 1,
  scripts: { ...none, own: 1, foreign: 3 },
  frames: { own: 0, foreign: 0 },
}
const shell = { drawn }

describe('a page that a script writes', () => {
  it('says what it draws itself, and why that is not all', () => {
    assert.deepEqual(sectionOf(shell).drawn, { seen_in_part: 'script_not_run', ...drawn })
    const facts = presentation.describe?.(sectionOf(shell), { domain: 'example.com', isWhole: false }).facts ?? []
    assert.deepEqual(
      facts.filter(([label]) => /^(?:Seen|Draws|May)/.test(label)),
      [
        ['Seen in part', 'it is written by a script that was not run'],
        ['Draws itself', ['2 buttons', '1 picture']],
        ['May draw the rest', ['1 script of the site', '3 scripts of other sites']],
      ],
    )
  })

  it('gives the reason for what is unknown', () => {
    const { emails, forms, headings, word_count } = sectionOf(shell)
    assert.deepEqual({ emails, headings, word_count }, { emails: null, headings: null, word_count: null })
    assert.equal(forms?.total, null)
    const finding = findingOf(shell)
    assert.equal('unknown' in finding && finding.unknown, 'script_not_run')
  })

  it('is no such page if it has words of its own', () => {
    const whole = { text: 'word '.repeat(60), drawn: { ...drawn, words: 60 } }
    assert.equal(sectionOf(whole).drawn?.seen_in_part, null)
    assert.deepEqual(sectionOf(whole).emails, [])
    const labels = presentation
      .describe?.(sectionOf(whole), { domain: 'example.com', isWhole: true })
      .facts?.map(([label]) => label)
    assert.equal(labels?.includes('Draws itself'), false)
  })

  it('has no counts in an older recording', () => assert.equal(sectionOf({}).drawn, null))
})

describe('a page that was led to', () => {
  const led = (to: string, parts: Partial<NonNullable<Page['handover']>> = {}): Page => ({
    ...pageOf({ url: 'https://example.com/' }, { url: to }),
    handover: { by: 'refresh', seconds: 0, alone: true, at: 0, ...parts },
  })
  const words = { text: 'word '.repeat(60) }
  const cases: [title: string, page: Page, signals: string[]][] = [
    ['at once to another site', led('https://other.net/x'), ['refresh_to_other_site']],
    ['at once to another page of the site', led('https://www.example.com/x'), []],
    ['later to another site', led('https://other.net/x', { seconds: 2 }), []],
    ['by a script to another site', led('https://other.net/x', { by: 'script', seconds: null }), []],
  ]
  for (const [title, page, signals] of cases)
    it(`${title} has the signals of the page that led there: ${signals.length}`, () => {
      assert.deepEqual(signalsOf({ url: 'https://other.net/x', ...words }, { page }), signals)
    })

  it('still counts if it refuses us', () => {
    const page = led('https://other.net/x')
    assert.deepEqual(signalsOf({ url: 'https://other.net/x' }, { page, kind: 'block' }), ['refresh_to_other_site'])
  })

  it('counts once if it leads on again', () => {
    const metas = [{ name: 'refresh', content: '0; url=https://third.net/' }]
    const given = { url: 'https://other.net/x', metas, ...words }
    assert.deepEqual(signalsOf(given, { page: led('https://other.net/x') }), ['refresh_to_other_site'])
  })

  it('has the signals of the scripts of the page before', () => {
    const scripts_before = ['window.location.href = atob("aHR0cHM6Ly9vdGhlci5uZXQ=")']
    assert.deepEqual(signalsOf({ ...words, scripts_before }), ['obfuscated_redirect'])
  })
})

describe('a page that shows a frame', () => {
  const framed = (action: string | null, frame: string): Partial<Document> => ({
    url: 'https://example.com/',
    base: frame,
    frame,
    forms: [{ action, formactions: [], method: 'post', inputs: ['password'] }],
  })
  const cases: [title: string, document: Partial<Document>, signals: string[]][] = [
    ['of another site with its form', framed('send.php', 'https://other.net/kit/'), ['password_form_to_other_site']],
    ['of another site whose form has no action', framed('', 'https://other.net/kit/'), ['password_form_to_other_site']],
    ['of its own with its form', framed('send.php', 'https://example.com/in/'), []],
    ['of its own whose form has no action', framed(null, 'https://example.com/in/'), []],
  ]
  for (const [title, document, signals] of cases)
    it(`${title} is judged at its own address`, () => assert.deepEqual(signalsOf(document), signals))

  it('names the frame', () => {
    assert.equal(sectionOf(framed('', 'https://other.net/kit/')).frame, 'https://other.net/kit/')
  })
})
