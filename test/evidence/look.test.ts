import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'

function lookOf(html: string) {
  const parser = createPageParser('https://site.example/', 'text/html; charset=utf-8')
  parser.write(Buffer.from(html))
  const { look } = parser.end(false)
  assert.ok(look)
  return look
}

describe('the look of a page', () => {
  for (const [title, html, shown] of [
    ['keeps what is plainly there', '<p>one <b>two</b></p>', 'one two'],
    ['leaves out what an attribute hides', '<p>one</p><div hidden>two <div>three</div></div>four', 'one four'],
    ['leaves out what a style hides', '<p>one</p><p style="DISPLAY : none">two</p><span>three</span>', 'one three'],
    [
      'leaves out what a style sheet hides',
      '<style>.a, .b{color:red;display:none}</style><i class="x b">one</i>two',
      'two',
    ],
    ['leaves out what is off the screen', '<div style="position:absolute;left:-9999px">one</div>two', 'two'],
    ['leaves out text of no size', '<p style="font-size:0">one</p>two', 'two'],
    [
      'keeps items of a list that a style sheet draws without gaps',
      '<style>.a{font-size:0}.a li{font-size:1rem}</style><ul class="a"><li>one</ul>two',
      'one two',
    ],
    ['keeps what comes after an unclosed hidden item', '<ul><li hidden>one<li>two</ul>three', 'two three'],
    ['keeps text of full opacity', '<p style="opacity:0.9">one</p>', 'one'],
  ] as const) {
    it(title, () => assert.equal(lookOf(html).shown, shown))
  }

  it('counts how links are written, and not those that are hidden', () => {
    const { anchors, targets } = lookOf(
      '<a href="#">a<a href=x.html>b<a href=/y>c<a href="https://z.example/">d<a href="mailto:e@f.example">e<div hidden><a href=g>g</a></div>',
    )
    assert.deepEqual(anchors, { relative: 1, rooted: 1, absolute: 1, dead: 1, other: 1 })
    assert.deepEqual(targets, ['#', 'x.html', '/y', 'https://z.example/', 'mailto:e@f.example'])
  })

  it('lists fields, labels and buttons', () => {
    const { fields, labels, buttons } = lookOf(
      '<label>Card number <input name=CN placeholder="1234"></label><input type=password autocomplete=off><input type=submit value=Go><button>Next</button>',
    )
    assert.deepEqual(
      fields.map(({ type, name, placeholder }) => [type, name, placeholder]),
      [
        ['text', 'cn', '1234'],
        ['password', '', ''],
      ],
    )
    assert.deepEqual([labels, buttons], [['Card number'], ['Go', 'Next']])
  })

  it('counts letters that are written in character codes', () => {
    assert.equal(lookOf('&#80;&#97;y&#x50;al &amp; &copy;').coded_letters, 3)
  })

  it('notices text that a style masks', () => {
    assert.equal(lookOf('<style>.p{-webkit-text-security:disc}</style>').masked_text, true)
    assert.equal(lookOf('<input style="-webkit-text-security:disc">').masked_text, true)
  })
})
