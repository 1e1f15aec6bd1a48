import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Document } from '../../src/evidence/document/facts.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { findUndrawn, UNDRAWN, type Undrawn } from '../../src/evidence/document/undrawn.ts'
import { blameOf } from '../../src/evidence/facts.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { documentOf, exchangeOf, pageOf } from '../../src/testing/page_of.ts'

const url = 'https://bakery.example/'

function parsed(markup: string, type = 'text/html'): Document {
  const parser = createPageParser(url, type)
  parser.write(Buffer.from(markup))
  return parser.end(false)
}

function undrawnOf(document: Document, status = 200, page: Partial<Page> = {}, decoded_bytes = 100): Undrawn | null {
  const visit = { ...pageOf({ url }), exchanges: [{ ...exchangeOf({ url, status }), decoded_bytes }], ...page }
  return findUndrawn({ page: visit, served: describeServed(visit, document), document })
}

const words = (count: number) => `<p>${'word '.repeat(count)}</p>`
const shell =
  '<title>App</title><noscript>Enable JavaScript.</noscript><div id="root"></div><script src="/app.js"></script>'

describe('a page', () => {
  const cases: [what: string, markup: string, undrawn: Undrawn | null][] = [
    ['with words', words(50), null],
    ['with words and scripts', `${words(50)}<script src=/app.js></script>`, null],
    ['with few words and nothing else', '<h1>It works</h1>', null],
    ['with a log-in that scripts need', '<form><input name=user></form><script src=/app.js></script>', null],
    ['that is the shell of an application', shell, 'script_not_run'],
    ['that is a shell with a word', `${shell}<p>Loading…`, 'script_not_run'],
    ['that is a shell with words up to the limit', `${words(19)}${shell}`, 'script_not_run'],
    ['with a sentence and scripts', `${words(20)}${shell}`, null],
    ['that is a shell with a hidden field', `${shell}<input style="display:none">`, 'script_not_run'],
    ['that is a shell with a button', `${shell}<button>Go</button>`, 'script_not_run'],
    ['that is a shell with pictures', `${shell}<img src=a.png>`, 'script_not_run'],
    ['that a script in the page writes', '<script>draw()</script>', 'script_not_run'],
    ['that a handler writes', '<img src=x onerror="draw()">', 'script_not_run'],
    ['that leads on', '<meta http-equiv=refresh content="0; url=/x">', 'next_page_not_seen'],
    ['that a script leads on', '<script>location="/x"</script>', 'next_page_not_seen'],
    ['in a frame', '<iframe src="/x"></iframe>', 'frame_not_seen'],
    ['in a frame of another site', '<iframe src="https://other.example/"></iframe>', 'frame_not_seen'],
    ['in frames', '<frameset><frame src="/x"><frame src="/y"></frameset>', 'frame_not_seen'],
    ['with words and a frame', `${words(50)}<iframe src="/x"></iframe>`, null],
    [
      'with words that leads on at once',
      `${words(50)}<meta http-equiv=refresh content="0; url=/x">`,
      'next_page_not_seen',
    ],
    ['with words that a script leads on', `${words(50)}<script>location="/x"</script>`, 'next_page_not_seen'],
    ['with a form that a script leads on', '<input name=user><script>location="/x"</script>', 'next_page_not_seen'],
    ['with words that leads on much later', `${words(50)}<meta http-equiv=refresh content="30; url=/x">`, null],
    ['with words that loads itself again', `${words(50)}<meta http-equiv=refresh content="5">`, null],
    ['with words that leads on after a click', `${words(50)}<button onclick="location='/x'">Go</button>`, null],
    [
      'with a picture that leads on later',
      '<img src=a.png><meta http-equiv=refresh content="5; url=/x">',
      'next_page_not_seen',
    ],
    ['with a frame beside a picture', '<img src=a.png><iframe src="/x"></iframe>', 'frame_not_seen'],
    [
      'with words beneath a frame',
      `${words(50)}<iframe src="//b.example/" style="position:fixed;inset:0;width:100%;height:100%"></iframe>`,
      'frame_not_seen',
    ],
    [
      'with words that a script replaces',
      `${words(50)}<script>fetch("/x").then(t => { document.body.innerHTML = t })</script>`,
      'script_not_run',
    ],
    [
      'with words and a script that is too long to be read',
      `${words(50)}<script>${'a(b);'.repeat(2_000)}document.body.innerHTML = atob(c)</script>`,
      'script_not_run',
    ],
    [
      'with words and a script that adds to them',
      `${words(50)}<script>fetch("/x").then(t => { a.innerHTML = t })</script>`,
      null,
    ],
    ['with words beside a video', `${words(50)}<iframe src="//b.example/" width=640 height=480></iframe>`, null],
    ['that is a picture', '<img src="/a.png">', 'picture_only'],
    ['that is a picture with a caption', `${words(9)}<img src="/a.png">`, 'picture_only'],
    ['with a sentence and a picture', `${words(10)}<img src="/a.png">`, null],
    ['that is a picture with a button', '<img src="/a.png"><button>Go</button>', 'picture_only'],
    ['with a picture and buttons', `${words(9)}<img src="/a.png"><button>A</button><button>B</button>`, null],
    ['that is a picture to click', '<a href="https://other.example/"><img src="/a.png"></a>', 'picture_only'],
    ['that shows nothing', '<html><body></body></html>', 'shows_nothing'],
    ['that shows nothing but a tracker', '<img src="/a.png" width=1 height=1>', 'shows_nothing'],
    ['that has a button only', '<button>', null],
  ]
  for (const [what, markup, undrawn] of cases)
    it(`${what} was seen ${undrawn === null ? 'wholly' : `in part: it ${UNDRAWN[undrawn]}`}`, () => {
      assert.equal(undrawnOf(parsed(markup)), undrawn)
    })

  const answers: [what: string, undrawn: Undrawn | null, Parameters<typeof undrawnOf>][] = [
    ['404 with a word', 'error_page', [parsed('<h1>Not found</h1>'), 404]],
    ['404 without a body', 'error_page', [documentOf({ is_html: false }), 404, {}, 0]],
    ['404 with much of the site', null, [parsed(`${words(60)}`), 404]],
    ['404 with a log-in', null, [parsed('<input type=password>'), 404]],
    ['500 of a shell', 'error_page', [parsed(shell), 500]],
    ['"not found" with status 200', 'error_page', [parsed('<title>Page not found</title><p>Sorry')]],
    ['an empty body', 'shows_nothing', [documentOf({ is_html: false }), 200, {}, 0]],
    ['204', 'shows_nothing', [documentOf({ is_html: false }), 204, {}, 0]],
    ['a body that is no markup', null, [documentOf({ is_html: false })]],
    ['a parked name with scripts', null, [parsed(`<title>Domain for sale</title>${shell}`)]],
    ['a refusal', null, [parsed('<h1>Forbidden</h1>'), 403]],
    [
      'a page that scripts of the page before may have kept from coming',
      'script_not_run',
      [parsed(words(90)), 200, { handover: { by: 'refresh', seconds: 0, alone: false, at: 0 } }],
    ],
    [
      'a page that nothing else could lead to',
      null,
      [parsed(words(90)), 200, { handover: { by: 'refresh', seconds: 0, alone: true, at: 0 } }],
    ],
  ]
  for (const [what, undrawn, given] of answers)
    it(`of ${what} was seen ${undrawn === null ? 'as far as another rule says' : `in part: it ${UNDRAWN[undrawn]}`}`, () => {
      assert.equal(undrawnOf(...given), undrawn)
    })

  it('of a recording without counts was seen wholly', () => {
    const { drawn: _, ...older } = parsed(shell)
    assert.equal(undrawnOf(older), null)
  })
})

describe('every reason', () => {
  it('is nobody’s fault, so that the result is kept as long as others', () => {
    for (const reason of Object.keys(UNDRAWN)) assert.equal(blameOf(reason), 'nobody', reason)
  })
})

describe('a page after scripts', () => {
  const cases: [what: string, markup: string, undrawn: Undrawn | null][] = [
    ['that is still a shell with a word', `${shell}<p>Loading…`, null],
    ['that shows nothing', shell, 'shows_nothing'],
    ['that is a picture', `${shell}<img src=a.png>`, 'picture_only'],
    ['with a form', `${shell}<input name=user>`, null],
    ['whose words are in a frame', `${shell}<iframe src=/in.html></iframe>`, 'frame_not_seen'],
    ['that a refresh leads on from', `<meta http-equiv=refresh content="5;url=/next"><p>Wait`, 'next_page_not_seen'],
  ]
  for (const [what, markup, undrawn] of cases) {
    it(`${what} ${undrawn === null ? 'was seen' : `has ${undrawn}`}`, () => {
      const parser = createPageParser(url, 'text/html', true)
      parser.write(Buffer.from(markup))
      assert.equal(undrawnOf({ ...parser.end(false), after_scripts: true }), undrawn)
    })
  }

  it('does not get once more what its scripts have written', () => {
    const markup = `<script>document.write(atob("${btoa('<p>once <b>more</b></p>')}"))</script><p>once more`
    const texts = [false, true].map(afterScripts => {
      const parser = createPageParser(url, 'text/html', afterScripts)
      parser.write(Buffer.from(markup))
      return parser.end(false).text
    })
    assert.deepEqual(texts, ['once more once more', 'once more'])
  })
})
