// Which spellings are one name, and what is said of the rest.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseDomain } from '../../src/targets/domain.ts'
import { anyText, parts } from '../any_text.ts'

const label63 = 'a'.repeat(63)
const name253 = `${label63}.${label63}.${label63}.${'b'.repeat(57)}.com`

const canonical: readonly (readonly [written: string, name: string])[] = [
  ['example.com', 'example.com'],
  ['EXAMPLE.com', 'example.com'],
  ['example.com.', 'example.com'],
  ['example.com\u3002', 'example.com'],
  ['a.b\uff0ec\u3002d\uff61', 'a.b.c.d'],
  ['fa\u00df.de', 'xn--fa-hia.de'],
  ['Fa\u00df.DE', 'xn--fa-hia.de'],
  ['xn--fa-hia.de', 'xn--fa-hia.de'],
  ['XN--FA-HIA.DE', 'xn--fa-hia.de'],
  ['\u03b2\u03cc\u03bb\u03bf\u03c2.com', 'xn--nxasmm1c.com'],
  ['\u0392\u038c\u039b\u039f\u03a3.COM', 'xn--nxasmq6b.com'],
  ['B\u00fccher.de', 'xn--bcher-kva.de'],
  ['Bu\u0308cher.de', 'xn--bcher-kva.de'],
  ['\u65e5\u672c\u8a9e\u3002\uff2a\uff30', 'xn--wgv71a119e.jp'],
  ['\u24d4\u24e7\u24d0\u24dc\u24df\u24db\u24d4.\u24d2\u24de\u24dc', 'example.com'],
  ['\ufb00.com', 'ff.com'],
  ['a\u00adb.com', 'ab.com'],
  ['\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com', 'xn--mgba3gch31f060k.com'],
  ['www.\u98df\u72ee.\u516c\u53f8.cn', 'www.xn--85x722f.xn--55qx5d.cn'],
  ['\u2260.com', 'xn--1ch.com'],
  ['\u05d0\u0661.com', 'xn--4db40a.com'],
  ['1.\u05d0\u05d1.com', '1.xn--4dbc.com'],
  ['1.xn--4dbc.com', '1.xn--4dbc.com'],
  ['\u1c8a.com', 'xn--d4f.com'],
  ['\u1c89.com', 'xn--d4f.com'],
  ['ab--c.com', 'ab--c.com'],
  ['r3---sn.example.com', 'r3---sn.example.com'],
  ['foo_bar.example.com', 'foo_bar.example.com'],
  ['_dmarc.example.com', '_dmarc.example.com'],
  ['1.2.3.example', '1.2.3.example'],
  ['3com.com', '3com.com'],
  ['constructor.com', 'constructor.com'],
  ['__proto__.com', '__proto__.com'],
  [`${label63}.com`, `${label63}.com`],
  [name253, name253],
]

const refused = {
  'use the parameter ip': parts(
    `
      127.1 2130706433 0x7f.1 0x7f000001 017700000001 0 1.2.3 8.8.8.8 127.0.0.1. foo.0x4 foo.0x foo.09 a.b.1
      1.2.3.4.5 256.1.1.1 08.8.8.8 ::1 [::1] [2606:4700::1111]:80 fe80::1%eth0
    `,
    '127.0.0.1\u3002',
    '\u2460\u2461\u2466.\u24ea.\u24ea.\u2460',
    '\uff11\uff12\uff17.\uff10.\uff10.\uff11',
    '127\u30020\u30020\u30021',
  ),
  'empty label': ['', '.', '..', 'example..com', '.example.com', 'example.com..', '\u00ad', '\u00ad.com'],
  'control character': ['ex\tample.com', '\texample.com', 'a\r\nb.com', 'a\0.com', 'a\u001b[1m.com', 'a\u0085.com'],
  'white space': [' example.com', 'example.com ', 'a b.com', '\u00a0example.com', 'a\u3000b.com'],
  'percent-encoded': ['example.com%2eevil.com', 'ex%61mple.com', 'a%00.com', '%'],
  'is a URL': ['http://example.com', 'https://user@example.com:1/x?y', 'javascript://x'],
  'path or a query': ['example.com/path', 'example.com?x', 'example.com#x', 'example.com\\x', '//example.com'],
  'user information': ['user@example.com', 'mailto@example.com:25'],
  'followed by a port': ['example.com:80', 'example.com:'],
  'contains a wildcard': ['*.example.com', '*'],
  'character that is not allowed in domain names': [
    'a!b.com',
    'a\uff01b.com',
    '\uff0a.com',
    '{{7-7}}',
    'a,b.com',
    "a'b.com",
    'domain[].com',
    'a<b>.com',
    '$jndi.com',
    'a\uff0fb.com',
    'a\uff20b.com',
    '\u2100.com',
  ],
  'begins or ends with a hyphen': ['-x.com', 'x-.com', 'a.-.com', 'aa--.com', 'example.com-'],
  'underscores only': ['_.com', 'a.___.com'],
  'label of more than 63 octets': [`${'a'.repeat(64)}.com`, `${'x'.repeat(62)}\u2020.com`],
  'longer than 253 octets': [`a${name253}`, `${'a.'.repeat(127)}com`, 'a'.repeat(10_000), '\u00ad'.repeat(2_000)],
  'not a valid internationalized name': [
    'xn--example-.com',
    'www.xn--ascii-.com',
    'xn--a',
    'xn--a.pt',
    'xn--0.pt',
    'xn--.com',
    'xn--te\u0161la.com',
    'xn--a-\u00e4.pt',
    'xn--zn7c.com',
    '\ufffd.com',
    '\u200d.example',
    'a\u200cb.com',
    'xn--ab-j1t.com',
    '\u064aa.com',
    'a\u202eb.com',
    'a\ufe52com',
    '\u0661.com',
    'xn--9hb.com',
    '\u00a1\u05d0.com',
    '\ufdfa'.repeat(64),
  ],
  'not well-formed Unicode': ['a\ud800.com', '\udfff', 'a\udc00\ud800b.com'],
}

describe('a domain', () => {
  for (const [written, name] of canonical) {
    it(`${JSON.stringify(written.slice(0, 60))} is ${name.slice(0, 60)}`, () => {
      assert.deepEqual(parseDomain(written), { ok: true, value: name })
    })
  }

  for (const [reason, spellings] of Object.entries(refused)) {
    it(`is rejected with "${reason}"`, () => {
      for (const written of spellings) {
        const parsed = parseDomain(written)
        assert.equal(parsed.ok, false, JSON.stringify(written.slice(0, 60)))
        if (!parsed.ok)
          assert.ok(parsed.detail.includes(reason), `${JSON.stringify(written.slice(0, 60))}: ${parsed.detail}`)
      }
    })
  }
})

/** Pieces that reach the edges of the rules more often than random characters. */
const piece = fc.oneof(
  fc.constantFrom(
    '.',
    '..',
    '-',
    '_',
    'xn--',
    'xn--fa-hia',
    '\u00df',
    '\u3002',
    '\uff0e',
    '127',
    '0x',
    '%',
    '\u00ad',
    '\u200d',
    'com',
  ),
  anyText({ maxLength: 4 }),
  fc.domain(),
)
const written = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join('')),
  anyText(),
)

describe('every string', () => {
  it('is either rejected with a sentence or yields a name of letters, digits, hyphens and underscores', () => {
    fc.assert(
      fc.property(written, text => {
        const parsed = parseDomain(text)
        if (!parsed.ok) return /^The domain .*\.$|^The domain is .*; /.test(parsed.detail)
        return parsed.value.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(parsed.value)
      }),
      { numRuns: 2_000 },
    )
  })

  it('that yields a name yields its canonical spelling', () => {
    fc.assert(
      fc.property(written, text => {
        const parsed = parseDomain(text)
        if (parsed.ok) assert.deepEqual(parseDomain(parsed.value), parsed)
      }),
      { numRuns: 2_000 },
    )
  })

  it('with lone surrogates is rejected', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0xd800, max: 0xdbff }), { minLength: 1, maxLength: 5 }), units => {
        assert.equal(parseDomain(`a${String.fromCharCode(...units)}.com`).ok, false)
      }),
    )
  })
})

describe('spellings of one name', () => {
  it('are equal: case, one trailing dot, ideographic and full-width dots, full-width letters', () => {
    const fullWidth = (text: string) =>
      text.replace(/[a-z0-9]/g, character => String.fromCharCode(character.charCodeAt(0) + 0xfee0))
    fc.assert(
      fc.property(fc.domain(), name => {
        const expected = parseDomain(name)
        const spellings = [
          name.toUpperCase(),
          `${name}.`,
          name.replaceAll('.', '\u3002'),
          `${name.replaceAll('.', '\uff0e')}\uff61`,
          name.startsWith('xn--') ? name : fullWidth(name),
        ]
        for (const spelling of spellings) assert.deepEqual(parseDomain(spelling), expected)
      }),
    )
  })

  it('are equal: composed and decomposed, U-label and A-label', () => {
    const words = fc.constantFrom(
      'b\u00fccher',
      '\u00e9t\u00e9',
      'fa\u00df',
      'ma\u00f1ana',
      '\u98df\u72ee',
      '\u05d0\u05d1',
    )
    fc.assert(
      fc.property(words, word => {
        const composed = parseDomain(`${word}.com`)
        assert.ok(composed.ok)
        assert.deepEqual(parseDomain(`${word.normalize('NFD')}.com`), composed)
        assert.deepEqual(parseDomain(composed.value), composed)
      }),
    )
  })
})
