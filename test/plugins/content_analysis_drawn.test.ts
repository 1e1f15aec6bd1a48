// Pages that draw little themselves, that led here by themselves, and that show a frame.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentation } from '../../plugins/content_analysis/presentation.ts'
import type { Document } from '../../src/engine/plugin.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
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
  const framedBy = (url: string): Page => ({
    ...pageOf({ url: 'https://example.com/' }),
    handover: { by: 'frame', seconds: null, alone: true, at: 0, frame: pageOf({ url }).exchanges },
  })
  const words = { text: 'word '.repeat(60) }
  const cases: [title: string, page: Page, signals: string[]][] = [
    ['at once to another site', led('https://other.net/x'), ['refresh_to_other_site']],
    ['at once to another page of the site', led('https://www.example.com/x'), []],
    ['later to another site', led('https://other.net/x', { seconds: 2 }), []],
    [
      'by a script to another site',
      led('https://other.net/x', { by: 'script', seconds: null }),
      ['refresh_to_other_site'],
    ],
    ['by a script to another page of the site', led('https://www.example.com/x', { by: 'script', seconds: null }), []],
    ['by a script that waits', led('https://other.net/x', { by: 'script', seconds: 2 }), []],
    ['by a frame of another site', framedBy('https://other.net/x'), ['refresh_to_other_site']],
    ['by a frame of the site', framedBy('https://www.example.com/x'), []],
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

describe('a page that leads every visitor on', () => {
  const parse = (markup: string) => {
    const parser = createPageParser('https://example.com/', 'text/html; charset=utf-8')
    parser.write(Buffer.from(markup))
    return parser.end(false)
  }
  const much = `<p>${'word '.repeat(60)}</p>`
  const FRAME = 'position:fixed;top:0;left:0;width:100%;height:100%'
  const SAME = 'resembles_phishing_page'
  const others: [how: string, markup: string][] = [
    ['by a refresh', '<meta http-equiv=refresh content="0;url=https://other.net/">'],
    ['by location.replace', '<script>location.replace("https://other.net/")</script>'],
    ['by location.href', '<script>window.location.href = "https://other.net/"</script>'],
    ['by a script that waits for the page', `<script>onload = () => location.assign('https://other.net/')</script>`],
    ['by a script of the body', `<body onload="location.replace('https://other.net/')">`],
    [
      'by a function that the body calls',
      `<script>function go(){location="https://other.net/"}</script><body onload=go()>`,
    ],
    [
      'by a script beside a refresh for clients without scripts',
      '<noscript><meta http-equiv="refresh" content="0;URL=https://other.net/x"></noscript><title>https://other.net/x</title>' +
        '<script>window.opener = null; location.replace("https:\\/\\/other.net\\/x")</script>',
    ],
    ['by a script that opens itself elsewhere', '<script>window.open("https://other.net/", "_self")</script>'],
    ['by a script of a page with words', `${much}<script>location.replace("https://other.net/")</script>`],
    ['by a refresh of a page with words', `<meta http-equiv=refresh content="0;url=https://other.net/">${much}`],
    ['by a frame in place of the page', '<iframe src="https://other.net/" style="width:100%;height:100vh"></iframe>'],
    ['by a frameset', '<frameset rows="100%,*"><frame src="https://other.net/"></frameset>'],
    ['by a frame above a page with words', `${much}<iframe src="https://other.net/" style="${FRAME}"></iframe>`],
    ['by an address without a scheme', '<script>location.replace("//other.net/")</script>'],
  ]
  for (const [how, markup] of others)
    it(`${how} to another site is judged as one with a refresh`, () =>
      assert.deepEqual(
        signalsOf(parse(markup)).filter(id => id !== SAME),
        ['refresh_to_other_site'],
      ))

  const honest: [how: string, markup: string][] = [
    ['to its own site by a script', '<script>location.replace("https://www.example.com/de")</script>'],
    ['to a page of its own by a script', '<script>location.replace("/de")</script>'],
    ['after a while by a script', '<script>setTimeout(() => { location.href = "https://other.net/" }, 5000)</script>'],
    [
      'after a while by a script that does more',
      '<script>var n = 5; document.title = n; setTimeout(() => { location.href = "https://other.net/" }, n * 1000)</script>',
    ],
    ['under a condition', '<script>if (navigator.language == "de") location.href = "https://other.net/"</script>'],
    ['after a click', `<button onclick="location.href='https://other.net/'">Go</button>`],
    ['to a computed address', '<script>location.replace("https://" + host + "/")</script>'],
    [
      'by a refresh for clients without scripts',
      `<noscript><meta http-equiv=refresh content="0;url=https://other.net/"></noscript>${much}`,
    ],
    ['nowhere, but shows a video', `${much}<iframe src="https://other.net/v" width=560 height=315></iframe>`],
    [
      'nowhere, but shows a large frame',
      `${much}<iframe src="https://other.net/v" style="width:100%;height:100vh"></iframe>`,
    ],
    [
      'nowhere, but has a hidden frame',
      `${much}<iframe src="https://other.net/v" style="${FRAME};display:none"></iframe>`,
    ],
    ['to a frame of its own site', '<iframe src="/app" style="width:100%;height:100vh"></iframe>'],
    [
      'nowhere, beside one of two frames',
      `${much}<iframe src="/a" style="${FRAME}"></iframe><iframe src="https://other.net/"></iframe>`,
    ],
    ['nowhere, but reloads itself', '<meta http-equiv=refresh content="0">'],
  ]
  for (const [how, markup] of honest)
    it(`${how} has no such signal`, () =>
      assert.deepEqual(
        signalsOf(parse(markup)).filter(id => id === 'refresh_to_other_site'),
        [],
      ))

  it('says how', () => {
    const detailOf = (markup: string) =>
      findingOf(parse(markup)).signals?.find(({ id }) => id === 'refresh_to_other_site')?.detail
    assert.deepEqual(
      [others[0], others[1], others[10]].map(row => detailOf(row?.[1] ?? '')),
      [
        'The page redirects to https://other.net/ after 0 s.',
        'The page has a script that redirects to https://other.net/ after 0 s.',
        'The page only shows a frame of https://other.net/.',
      ],
    )
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
