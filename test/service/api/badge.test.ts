// A badge is an XML document (XML 1.0) of SVG, whatever its target is named.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { badgeSvg } from '../../../src/service/api/badge.ts'

/** A tag with attributes in double quotes, or text; both without `<` and with references for `&`. */
const TOKEN =
  /<(\/?)([a-z]+)((?: [\w:-]+="(?:[^"<&\p{Cc}\p{Surrogate}]|&#\d+;)*")*)(\/?)>|((?:[^<&\p{Cc}\p{Surrogate}]|&#\d+;)+)/uy

/** The elements and attributes of SVG that a badge uses, and the texts in order. Throws for what is not well-formed. */
function read(xml: string) {
  const [open, elements, texts]: [string[], string[], string[]] = [[], [], []]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex
    const [, close, name = '', attributes = '', empty, text] = TOKEN.exec(xml) ?? assert.fail(xml.slice(at, at + 60))
    const names = [...attributes.matchAll(/ ([\w:-]+)=/g)].map(([, attribute]) => attribute)
    assert.equal(new Set(names).size, names.length, attributes)
    if (text !== undefined) texts.push(text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))))
    else if (close) assert.equal(open.pop(), name)
    else elements.push(name)
    if (text === undefined && !close && !empty) open.push(name)
    assert.ok(open.length > 0 || TOKEN.lastIndex === xml.length, 'one root')
  }
  assert.deepEqual(open, [])
  return { elements, texts }
}

describe('a badge', () => {
  const rows: readonly (readonly [target: string, verdict: string, shown: string])[] = [
    ['example.com', 'safe', 'example.com'],
    ['example.com', 'suspicious', 'example.com'],
    ['example.com', 'malicious', 'example.com'],
    ['example.com', 'unheard-of', 'example.com'],
    ['192.0.2.1', 'safe', '192.0.2.1'],
    ['2001:db8::1', 'safe', '2001:db8::1'],
    ['xn--bcher-kva.example', 'safe', 'xn--bcher-kva.example'],
    [`${'a'.repeat(60)}.example`, 'safe', `${'a'.repeat(20)}…${'a'.repeat(11)}.example`],
    [`${'a'.repeat(32)}.example`, 'safe', `${'a'.repeat(32)}.example`],
    ['<script>alert(1)</script>', 'safe', '<script>alert(1)</script>'],
    ['"><a href="x">', 'safe', '"><a href="x">'],
    ["' onload='x", 'safe', "' onload='x"],
    ['a&amp;b&#60;', 'safe', 'a&amp;b&#60;'],
    [']]><!-- -->', 'safe', ']]><!-- -->'],
  ]
  for (const [target, verdict, shown] of rows)
    it(`is well-formed for ${verdict} ${target}`, () => {
      const { elements, texts } = read(badgeSvg({ target, verdict, risk_score: 7, checked_at: '2026-11-27T12:00:00Z' }))
      assert.deepEqual(elements, ['svg', 'title', 'rect', 'path', 'g', 'text', 'text'])
      assert.deepEqual(texts, [
        `${target}: ${verdict}, risk score 7 of 100, checked 2026-11-27`,
        `assay ${shown}`,
        `${verdict} 7`,
      ])
    })

  for (const xml of ['<svg><g></svg>', '<svg/><svg/>', '<svg a="1" a="2"/>', '<svg>&amp</svg>', '<svg a=1/>', '<svg>'])
    it(`would not be well-formed as ${xml}`, () => assert.throws(() => read(xml)))
})
