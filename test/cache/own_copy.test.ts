import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { heapOctets, ownCopy, ownOctets, ownText } from '../../src/cache/own_copy.ts'

const plain = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    // An invalid date is unequal to itself.
    fc.date({ noInvalidDate: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

/** All objects within, the value itself included. */
const objectsIn = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []

describe('an independent copy', () => {
  it('is equal and shares no object', () => {
    fc.assert(
      fc.property(plain, value => {
        const copy = ownCopy(value)
        assert.deepStrictEqual(copy, value)
        const shared = new Set(objectsIn(value))
        assert.ok(!objectsIn(copy).some(one => shared.has(one)), 'shares an object')
        assert.ok(objectsIn(copy).every(Object.isFrozen), 'can be changed')
      }),
    )
  })

  it('is equal for any text, even if it is not well-formed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 0xffff })), units => {
        const text = String.fromCharCode(...units)
        assert.equal(ownText(text), text)
      }),
    )
  })

  it('keeps own properties named like built-in ones', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":"b"}')
    assert.deepEqual(Object.entries(ownCopy(value)), Object.entries(value))
  })

  const others: readonly [what: string, value: unknown, message: string][] = [
    ['a function', () => {}, 'a function is not'],
    ['a symbol', Symbol('s'), 'a symbol is not'],
    ['a big integer', 1n, 'a bigint is not'],
    ['a map', new Map(), 'Map is not'],
    ['a buffer', Buffer.alloc(1), 'Buffer is not'],
    ['an object of a class', new (class Own {})(), 'Own is not'],
    ['any of them within', { list: [new Set()] }, 'Set is not'],
  ]
  for (const [what, value, message] of others)
    it(`is refused for ${what}`, () => {
      assert.throws(() => ownCopy(value), new TypeError(`only plain data can be cached: ${message}`))
    })
})

describe('independent bytes', () => {
  const pooled = Buffer.from('pooled')
  const views: readonly [what: string, octets: Buffer, copied: boolean][] = [
    ['a slice of the pool', pooled, true],
    ['a part of something large', Buffer.allocUnsafeSlow(100).fill('x').subarray(10, 20), true],
    ['all of its memory', Buffer.allocUnsafeSlow(100).fill('x'), false],
    ['nothing of something large', Buffer.allocUnsafeSlow(100).subarray(0, 0), true],
  ]
  for (const [what, octets, copied] of views)
    it(`are ${copied ? 'copied from' : 'left as they are where the buffer is'} ${what}`, () => {
      const own = ownOctets(octets)
      assert.deepEqual(own, octets)
      assert.equal(own.buffer.byteLength, octets.length)
      assert.equal(own === octets, !copied)
    })
})

describe('the heap bytes of a value', () => {
  const weights: readonly [value: unknown, octets: number][] = [
    ['', 16],
    ['x', 24],
    ['12345678', 24],
    ['123456789', 32],
    ['é'.repeat(16), 32],
    ['ж'.repeat(16), 48],
    [`${'x'.repeat(15)}ж`, 48],
    [7, 0],
    [0.5, 16],
    [2 ** 40, 16],
    [true, 0],
    [null, 0],
    [undefined, 0],
    [new Date(0), 112],
    [[], 48],
    [[1, 2, 3], 72],
    [{}, 56],
    [{ a: 1, b: 2, c: 3, d: 4 }, 56],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5 }, 96],
    [{ a: 'x', b: [0.5] }, 56 + 24 + 56 + 16],
  ]
  for (const [value, octets] of weights)
    it(`are ${octets} for ${JSON.stringify(value)}`, () => assert.equal(heapOctets(value), octets))
})
