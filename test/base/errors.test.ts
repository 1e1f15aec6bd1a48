import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeError, errorParts } from '../../src/base/errors.ts'

const unreadable = Object.defineProperty(new Error('x'), 'message', {
  get() {
    throw new Error('not for you')
  },
})
const untellable = 'unprintable error'

describe('describing an error', () => {
  for (const [what, thrown, text, name, message] of [
    ['an error', new TypeError('no'), 'TypeError: no', 'TypeError', 'no'],
    ['a text', 'no', 'no', 'Error', 'no'],
    ['nothing', undefined, 'undefined', 'Error', 'undefined'],
    ['a symbol', Symbol('no'), 'Symbol(no)', 'Error', 'Symbol(no)'],
    ['an object without a prototype', Object.create(null), untellable, 'Error', untellable],
    ['an error that cannot be read', unreadable, untellable, 'Error', untellable],
  ] as const) {
    it(`works for ${what}`, () => {
      assert.equal(describeError(thrown), text)
      assert.deepEqual(errorParts(thrown), { name, message })
    })
  }
})
