import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { displayKey, generateKey, hashKey, parseKey } from '../../src/store/api_key.ts'
import { anyText } from '../any_text.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a new key has its prefix, 31 random characters and a checksum of 6, and parses to its hash', () => {
  const key = generateKey('assay')
  assert.match(key, /^assay_[0-9A-Za-z]{37}$/)
  assert.equal(parseKey(key), hashKey(key))
})

test('the hash is SHA-256 in hex', () => {
  assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a key with a known checksum parses, so the format is unchanged', () => {
  const key = 'assay_0123456789ABCDEFGHIJKLMNOPQRSTU' + '0z2xlw'
  assert.equal(parseKey(key), hashKey(key))
})

test('ten thousand keys are all different, and use every character', () => {
  const keys = Array.from({ length: 10_000 }, () => generateKey('k'))
  assert.equal(new Set(keys).size, keys.length)
  assert.deepEqual([...new Set(keys.flatMap(key => [...key.slice(2, 33)]))].sort().join(''), alphabet)
})

test('random characters are evenly spread', () => {
  const counts = new Map<string, number>()
  const keys = 4_000
  for (let n = 0; n < keys; n++) {
    for (const char of generateKey('k').slice(2, 33)) counts.set(char, (counts.get(char) ?? 0) + 1)
  }
  const expected = (keys * 31) / 62
  for (const [char, count] of counts) {
    assert.ok(Math.abs(count - expected) < 6 * Math.sqrt(expected), `${char}: ${count} of about ${expected}`)
  }
})

test('a key with any single character replaced is rejected', () => {
  const replacement = fc.constantFrom(...alphabet, '_', '-', ' ', 'é')
  fc.assert(
    fc.property(fc.nat({ max: 42 }), replacement, (place, char) => {
      const key = generateKey('assay')
      fc.pre(key[place] !== char)
      assert.equal(parseKey(key.slice(0, place) + char + key.slice(place + 1)), null)
    }),
    { numRuns: 2_000 },
  )
})

test('a key with two adjacent characters swapped is rejected', () => {
  fc.assert(
    fc.property(fc.integer({ min: 6, max: 41 }), place => {
      const key = generateKey('assay')
      fc.pre(key[place] !== key[place + 1])
      assert.equal(parseKey(key.slice(0, place) + key[place + 1] + key[place] + key.slice(place + 2)), null)
    }),
  )
})

test('arbitrary text is rejected and never throws', () => {
  fc.assert(fc.property(anyText({ maxLength: 64 }), text => assert.equal(parseKey(text), null)))
})

test('malformed keys are rejected', () => {
  const key = generateKey('assay')
  const body = key.slice('assay_'.length)
  const malformed = {
    empty: '',
    'only a prefix': 'assay_',
    padded: ` ${key}`,
    'with a line end': `${key}\n`,
    twice: `${key}, ${key}`,
    'with another prefix': `essay_${body}`,
    'with an upper-case prefix': `Assay_${body}`,
    'without a prefix': body,
    'too short': key.slice(0, -1),
    'too long': `${key}0`,
    '64 KiB long': key + 'a'.repeat(65_536),
    'not ASCII': key.replace(/.$/, 'ａ'),
  }
  for (const [what, text] of Object.entries(malformed)) assert.equal(parseKey(text), null, what)
})

test('the displayed part of a key is its prefix and four characters', () => {
  assert.equal(displayKey('assay_Ab3dEfGh'), 'assay_Ab3d')
})

test('an ambiguous prefix is rejected', () => {
  for (const prefix of ['', 'A', '1a', 'a_b', 'a b', 'x'.repeat(17)]) {
    assert.throws(() => generateKey(prefix), RangeError, prefix)
  }
})
