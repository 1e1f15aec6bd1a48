import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Drawn } from '../../src/evidence/document/facts.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'

function drawnBy(markup: string, url = 'https://www.bakery.co.uk/a/b'): Drawn | undefined {
  const parser = createPageParser(url, 'text/html; charset=utf-8')
  parser.write(Buffer.from(markup))
  return parser.end(false).drawn
}

const nothing: Drawn = {
  words: 0,
  fields: 0,
  buttons: 0,
  pictures: 0,
  scripts: { inline: 0, own: 0, foreign: 0 },
  frames: { own: 0, foreign: 0, other: 0 },
  covered: false,
}
const scripts = (given: Partial<Drawn['scripts']>) => ({ scripts: { ...nothing.scripts, ...given } })
const frames = (given: Partial<Drawn['frames']>) => ({ frames: { ...nothing.frames, ...given } })

describe('a frame', () => {
  const filled = 'position:fixed;inset:0;width:100%;height:100%'
  const cases: [what: string, markup: string, covers: boolean][] = [
    ['fixed to all edges', `<iframe src="/x" style="${filled}"></iframe>`, true],
    [
      'with sizes of its own',
      '<iframe src="/x" style="position: fixed; top: 0" width=100% height=100%></iframe>',
      true,
    ],
    [
      'of the size of the window',
      '<iframe src="/x" style="position:absolute;width:100vw;height:100vh"></iframe>',
      true,
    ],
    ['above all', '<iframe src="/x" style="position:absolute;z-index:9999;width:100%;height:100%"></iframe>', true],
    ['of a class that does', `<style>.f{${filled}}</style><iframe class="a f" src="/x"></iframe>`, true],
    ['of a style for all frames', `<style>b{top:0}iframe{${filled}}</style><iframe src="/x"></iframe>`, true],
    ['in an element that does', `<div style="${filled}"><b></b><iframe src="/x"></iframe></div>`, true],
    ['after such an element', `<div style="${filled}"></div><iframe src="/x"></iframe>`, false],
    ['as large as its box', '<iframe src="/x" style="position:absolute;top:0;width:100%;height:100%"></iframe>', false],
    ['in a row', '<iframe src="/x" style="width:100%;height:100vh"></iframe>', false],
    ['at the foot', '<iframe src="/x" style="position:fixed;bottom:0;width:100%;height:90px"></iframe>', false],
    ['that is hidden', `<iframe src="/x" style="display:none;${filled}"></iframe>`, false],
    ['with its document in the page', `<iframe srcdoc="Bread" style="${filled}"></iframe>`, false],
    ['without a document', `<iframe src="about:blank" style="${filled}"></iframe>`, false],
  ]
  for (const [what, markup, covers] of cases)
    it(`${what} ${covers ? 'covers' : 'does not cover'} the window`, () => {
      assert.equal(drawnBy(`<p>Bread</p>${markup}`)?.covered, covers)
    })
})

describe('what a page draws', () => {
  const cases: [title: string, markup: string, drawn: Partial<Drawn>][] = [
    ['is nothing on an empty page', '<title>Bakery</title><body></body>', {}],
    ['counts words that are shown', '<p>Rye bread<p hidden>and more<p style="display:none">and more', { words: 2 }],
    [
      'leaves out what only clients without scripts see',
      '<noscript>Enable scripts<input><img src=a.png></noscript>',
      {},
    ],
    ['leaves out templates', '<template><input><script>x()</script></template>', {}],
    [
      'counts fields and buttons apart',
      '<input><input type=EMAIL><select></select><textarea></textarea><button>Go</button><input type=submit><input type=image>',
      { fields: 4, buttons: 3, words: 1 },
    ],
    [
      'leaves out hidden fields, however they are hidden',
      '<style>.x{display:none}</style><input type=hidden><input style="display:none"><input hidden><input class=x><div class=x><input><button></button></div>',
      {},
    ],
    [
      'counts pictures, drawings and videos',
      '<img src=a.png><svg></svg><video></video><canvas></canvas>',
      { pictures: 4 },
    ],
    ['leaves out trackers', '<img src=a.png width=1 height=1><img src=b.png width="1px"><img src=c.png hidden>', {}],
    [
      'counts scripts by whose they are',
      '<script>a()</script><script src="/b.js"></script><script src="//cdn.bakery.co.uk/c.js"></script><script src="https://tags.co.uk/d.js"></script>',
      scripts({ inline: 1, own: 2, foreign: 1 }),
    ],
    [
      'resolves scripts against the base',
      '<base href="https://cdn.example/"><script src="b.js"></script>',
      scripts({ foreign: 1 }),
    ],
    [
      'counts scripts of every type that runs',
      '<script type=module>a()</script><script type="Text/JavaScript">b()</script><script type="application/x-javascript">c()</script><script type="">d()</script>',
      scripts({ inline: 4 }),
    ],
    [
      'leaves out data blocks and templates of scripts',
      '<script type="application/ld+json">{}</script><script type="text/template">a</script><script type=importmap>{}</script>',
      {},
    ],
    [
      'counts handlers that run by themselves, and frames with a script as their address',
      '<body onload="a()"><img src=x width=1 onerror="b()"><iframe src="javascript:c()"></iframe>',
      { ...scripts({ inline: 3 }), ...frames({ other: 1 }) },
    ],
    [
      'counts no script for old browsers, and those of drawings by their links',
      '<script nomodule>a()</script><script nomodule src=/a.js></script><svg><script href="/b.js"></script><script xlink:href="//c.example/c.js"></script></svg>',
      { ...scripts({ own: 1, foreign: 1 }), pictures: 1 },
    ],
    [
      'leaves out handlers of what a visitor does',
      '<p onclick="a()" onmouseover="b()" onbeforeunload="c()">Bread',
      { words: 1 },
    ],
    [
      'counts frames by whose they are',
      '<iframe src="/x"></iframe><iframe src="https://shop.bakery.co.uk/"></iframe><iframe src="https://maps.example/"></iframe>',
      frames({ own: 2, foreign: 1 }),
    ],
    [
      'leaves out frames that are hidden, and counts those apart that are small or not of the web',
      '<iframe src="/x" hidden></iframe><iframe src="/y" width=1 height=1></iframe><iframe src="about:blank"></iframe>',
      frames({ other: 2 }),
    ],
    [
      'reads the document in a frame',
      '<iframe src="/x" srcdoc="&lt;p&gt;Rye bread&lt;input&gt;"></iframe>',
      { words: 2, fields: 1, ...frames({ other: 1 }) },
    ],
    [
      'counts no more than a thousand of a kind',
      `${'<input>'.repeat(1_200)}${'<script>a()</script>'.repeat(1_200)}`,
      { fields: 1_000, ...scripts({ inline: 1_000 }) },
    ],
  ]
  for (const [title, markup, drawn] of cases)
    it(title, () => assert.deepEqual(drawnBy(markup), { ...nothing, ...drawn }))

  it('tells tenants of a platform apart', () => {
    const markup = '<script src="https://two.github.io/a.js"></script><script src="/b.js"></script>'
    assert.deepEqual(drawnBy(markup, 'https://one.github.io/')?.scripts, { inline: 0, own: 1, foreign: 1 })
  })

  it('tells the scripts of an address apart', () => {
    const markup = '<script src="/b.js"></script><script src="http://192.0.2.2/a.js"></script>'
    assert.deepEqual(drawnBy(markup, 'http://192.0.2.1/')?.scripts, { inline: 0, own: 1, foreign: 1 })
  })
})
