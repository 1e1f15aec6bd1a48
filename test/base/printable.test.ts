import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { printable, printableOrNull, truncate, withoutUnprintable } from '../../src/base/printable.ts'
import { anyText } from '../any_text.ts'

describe('printable', () => {
  const texts: readonly (readonly [title: string, text: string, max: number, printed: string])[] = [
    ['keeps plain text', 'Grüße, 世界', 20, 'Grüße, 世界'],
    ['trims', '  a b ', 20, 'a b'],
    ['replaces a run of controls by one space', 'a\r\n\u0000b', 20, 'a b'],
    ['replaces line and paragraph separators', 'a\u2028b\u2029c', 20, 'a b c'],
    ['drops marks that change the direction of reading', 'a\u202egpj.exe\u2066', 20, 'agpj.exe'],
    ['drops invisible characters', 'pay\u200bpal\ufeff', 20, 'paypal'],
    ['keeps the joiners of emoji', '👩\u200d💻', 20, '👩\u200d💻'],
    ['drops half a character', 'a\ud83d', 20, 'a'],
    ['cuts', 'abcdef', 3, 'abc'],
    ['never cuts a character in half', 'ab😀', 3, 'ab'],
    ['leaves no space at the cut', 'ab cd', 3, 'ab'],
  ]
  for (const [title, text, max, printed] of texts) {
    it(title, () => assert.equal(printable(text, max), printed))
  }

  it('keeps 512 code units by default', () => assert.equal(printable('x'.repeat(600)).length, 512))

  it('is well-formed, without controls and within its length, whatever the text', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 100 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const printed = printable(text, max)
        assert.ok(printed.length <= max)
        assert.doesNotMatch(printed, /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
      }),
    )
  })

  it('returns null when nothing is left', () => assert.equal(printableOrNull('\u0000 \u202e', 9), null))
  it('returns null for no text', () => assert.equal(printableOrNull(null, 9), null))
})

describe('truncate', () => {
  it('leaves text that is short enough', () => assert.equal(truncate('a\nb', 3), 'a\nb'))
  it('never cuts a character in half', () => assert.equal(truncate('a😀b', 2), 'a'))
})

describe('withoutUnprintable', () => {
  it('keeps white space', () => assert.equal(withoutUnprintable(' a  b\r\n '), ' a  b '))
})
