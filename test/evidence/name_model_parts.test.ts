import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { splitName } from '../../src/evidence/name_score/facts.ts'
import { createCodes, hashShape, hashText, sounds, writeCodes } from '../../src/evidence/name_score/hash.ts'
import { createGrams } from '../../src/evidence/name_score/logits.ts'
import {
  createWordFinder,
  hashWord,
  letterCost,
  letterTable,
  letterTableSize,
  measureText,
  withoutDigits,
} from '../../src/evidence/name_score/text_facts.ts'

describe('the parts of a name', () => {
  const rows: readonly [string, string, string, string, string, boolean][] = [
    ['are label and suffix', 'example.co.uk', '', 'example', 'co.uk', false],
    ['leave out a leading www', 'www.example.com', '', 'example', 'com', false],
    ['keep all of the subdomain', 'a.b.example.com', 'a.b', 'example', 'com', false],
    ['take the tenant of a private suffix for the label', 'x.tenant.github.io', 'x', 'tenant', 'github.io', true],
    ['take the tenant of a platform without a suffix too', 'tenant.weebly.com', '', 'tenant', 'weebly.com', true],
    ['know the platform in all countries', 'diary.blogspot.sn', '', 'diary', 'blogspot.sn', true],
    ['know no platform by half its name', 'diary.blogspot.xyz', 'diary', 'blogspot', 'xyz', false],
    ['take a platform itself for a name', 'weebly.com', '', 'weebly', 'com', false],
    ['take a private suffix itself for a name', 'github.io', '', 'github', 'io', false],
  ]
  for (const [title, host, subdomain, label, suffix, tenant] of rows) {
    it(title, () => assert.deepEqual(splitName(host), { subdomain, label, suffix, tenant }))
  }
})

describe('the hash', () => {
  it('is the same everywhere', () => {
    assert.deepEqual(
      ['', 'a', 'example', 'xn--bcher-kva'].map(text => hashText(text)),
      [2872998923, 444641715, 4926676, 2107820778],
    )
  })
})

describe('n-grams', () => {
  const read = (host: string) => {
    const grams = createGrams(16)
    grams.read(splitName(host))
    return { buckets: [...grams.buckets.subarray(0, grams.ends[2])], ends: [...grams.ends] }
  }

  it('are two to six characters of the label with its ends, of its pattern, its word and its shape', () => {
    // ^ab$: three of two, two of three, one of four; ^vc$ one of four; the word; the shape. The suffix has seven.
    assert.deepEqual(read('ab.com').ends, [9, 9, 16])
  })

  it('are three to five characters of a subdomain', () => {
    // ^m1$: two of three, one of four; the shape, and no word.
    assert.deepEqual(read('m1.ab.com').ends, [9, 13, 20])
  })

  it('are told apart by where they stand', () => {
    const label = read('mail.com')
    const subdomain = read('mail.zz.com')
    const inLabel = new Set(label.buckets.slice(0, label.ends[0]))
    assert.equal(
      subdomain.buckets.slice(subdomain.ends[0], subdomain.ends[1]).filter(one => inLabel.has(one)).length,
      0,
    )
  })

  it('stay within their buckets and their number for any name', () => {
    const label = fc.stringMatching(/^[a-z0-9-]{1,63}$/)
    fc.assert(
      fc.property(fc.array(label, { minLength: 2, maxLength: 4 }), labels => {
        const { buckets, ends } = read(labels.join('.'))
        assert.ok(buckets.every(bucket => bucket < 2 ** 16))
        assert.ok((ends[2] ?? 0) <= 2_048 && (ends[0] ?? 0) <= (ends[1] ?? 0) && (ends[1] ?? 0) <= (ends[2] ?? 0))
      }),
    )
  })

  it('see kinds of characters as a shape', () => {
    const shape = (text: string) => hashShape(text, hashText('shape'))
    assert.equal(shape('abc-12x'), shape('z-9k'))
    assert.equal(new Set(['abc', 'abc-12x', '1-2', '', 'a.b'].map(shape)).size, 5)
  })

  it('see a pattern of vowels, consonants, digits and hyphens between two ends', () => {
    const codes = createCodes()
    writeCodes('sample-1', codes, sounds)
    assert.equal(String.fromCharCode(...codes.codes.subarray(0, codes.length)), '^cvcccv-0$')
  })

  it('of a text longer than a name are those of its beginning', () => {
    const codes = createCodes()
    writeCodes('a'.repeat(1_000), codes)
    assert.equal(codes.length, codes.codes.length)
  })
})

describe('what is counted in a label', () => {
  it('is counted in one pass', () => {
    assert.deepEqual(measureText('pay-pal77.x3'), {
      length: 12,
      digits: 3,
      hyphens: 1,
      vowels: 3,
      distinct: 9,
      changes: 2,
      hexadecimal: 5,
      words: 2,
      labels: 2,
      longestDigits: 2,
      longestConsonants: 1,
      longestWord: 3,
      longestLabel: 9,
      entropy: 3.084962500721156,
    })
  })

  it('is nothing in empty text', () => {
    assert.ok(Object.values(measureText('')).every(value => value === 0))
  })
})

describe('the cost of letters', () => {
  const counts = new Uint32Array(letterTableSize)

  it('is the same for all letters when none were seen', () => {
    const { mean, worst } = letterCost('ab', letterTable(counts))
    assert.ok(Math.abs(mean - Math.log2(38)) < 1 / 16)
    assert.ok(Math.abs(worst - 3 * mean) < 1e-9)
  })

  it('is nothing for no letters', () => {
    assert.deepEqual(letterCost('', letterTable(counts)), { mean: 0, worst: 0 })
  })
})

describe('words in a name', () => {
  const wordsOf = createWordFinder(new Set(['acme', 'acmebank'].map(hashWord)))
  const rows: readonly [string, string, { lures: number; brand: number }][] = [
    ['are luring words', 'secure-login', { lures: 2, brand: 0 }],
    ['are impersonated words, the longest counting', 'myacmebankonline', { lures: 2, brand: 8 }],
    ['are none in other text', 'zzzz', { lures: 0, brand: 0 }],
  ]
  for (const [title, text, expected] of rows) {
    it(title, () => assert.deepEqual(wordsOf(text), expected))
  }

  it('are read with digits as letters', () => {
    assert.equal(withoutDigits('4cm3-b4nk2'), 'acme-bank2')
  })
})
