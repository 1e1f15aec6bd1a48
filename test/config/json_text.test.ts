import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseJson, scanJson, withoutComments } from '../../src/config/json_text.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a JSON text', () => {
  it('has the value that JSON.parse returns, in any layout', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t\n'), (text, space) => {
        const laid = JSON.stringify(JSON.parse(text), null, space)
        assert.deepEqual(parseJson(laid), { value: JSON.parse(text), repeated: [] })
      }),
    )
  })

  it('is invalid exactly when JSON.parse rejects it, and valid before the reported position', () => {
    const piece = fc.constantFrom(...'{}[],:"\\ \n\t01-.eEu', 'true', 'nul', '"a"', '\u00a0', '"\\ud800"', '1e', '-')
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(3), fc.array(piece, { maxLength: 4 }), (text, at, cut, pieces) => {
        const from = at % (text.length + 1)
        const changed = text.slice(0, from) + pieces.join('') + text.slice(from + cut)
        const { broken_at } = scanJson(changed)
        assert.equal(broken_at === null, isJson(changed), changed)
        if (broken_at !== null && !pieces.length && cut === 0) assert.fail('nothing was changed')
        if (broken_at !== null) assert.ok(broken_at >= 0 && broken_at <= changed.length)
      }),
      { numRuns: 2_000 },
    )
  })

  for (const [text, place] of [
    ['', 'line 1, column 1'],
    ['  \n ', 'line 2, column 2'],
    ['secret', 'line 1, column 1'],
    ['{"a":secret}', 'line 1, column 6'],
    ['{"a":1,}', 'line 1, column 8'],
    ['{\n  "a": [1, 2\n}', 'line 3, column 1'],
    ['{"a" "secret"}', 'line 1, column 6'],
    ['[1] secret', 'line 1, column 5'],
    ['"secret', 'line 1, column 1'],
    ['{"a": 01}', 'line 1, column 8'],
    ['{"a": 1', 'line 1, column 8'],
  ] as const) {
    it(`${JSON.stringify(text)} is rejected with the position of the error, and is not quoted`, () => {
      assert.throws(() => parseJson(text), { message: `is not valid JSON (${place})` })
    })
  }
})

describe('a JSON text with comments', () => {
  for (const [text, expected] of [
    ['// one\n{ "a": 1 } // two', '      \n{ "a": 1 }       '],
    ['{ /* a\nb */ "a": 1 }', '{     \n     "a": 1 }'],
    ['{ "a": "// no /* comment */" }', '{ "a": "// no /* comment */" }'],
    [String.raw`{ "a": "\\\"//" }`, String.raw`{ "a": "\\\"//" }`],
    ['{ "a": "https://x" }', '{ "a": "https://x" }'],
    ['{ /* open', '{ /* open'],
  ] as const) {
    it(`is ${JSON.stringify(expected)} without those of ${JSON.stringify(text)}`, () =>
      assert.equal(withoutComments(text), expected))
  }

  it('loses nothing when it has none', () => {
    fc.assert(fc.property(fc.json(), text => assert.equal(withoutComments(text), text)))
  })
})
