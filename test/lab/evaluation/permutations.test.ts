import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  honestNames,
  meanShare,
  measureHonest,
  measurePermutations,
  permutationsOf,
  WORDS_OF_BRANDS,
} from '../../../lab/evaluation/permutations.ts'

/** The least share of each kind that is seen as a look-alike. Words of a language have innocent neighbours and plurals. */
const LEAST: Readonly<Record<string, number>> = {
  homograph: 0.85,
  digit: 0.95,
  hyphen: 0.7,
  omission: 0.55,
  swap: 0.65,
  plural: 0.6,
  'other ending': 0.6,
  'lures, en': 0.95,
  'lures, de': 0.95,
  'lures, fr': 0.95,
  'lures, es': 0.95,
  'lures, it': 0.95,
  'lures, pt': 0.95,
  'lures, nl': 0.9,
  'lures, pl': 0.95,
}
const MEAN = 0.8
const HONEST_AT_MOST = 0.01

describe('altered names of sixty brands', () => {
  const shares = measurePermutations(WORDS_OF_BRANDS)

  it('are of each kind', () => {
    assert.equal(new Set(WORDS_OF_BRANDS).size, 60)
    assert.deepEqual(Object.keys(shares), Object.keys(LEAST))
  })

  for (const [kind, least] of Object.entries(LEAST)) {
    it(`are seen in at least ${100 * least} % of cases: ${kind}`, () => {
      const share = shares[kind]
      assert.ok(share && share.seen / share.names >= least, `not seen: ${share?.wrong.join(' ')}`)
    })
  }

  it(`are seen in at least ${100 * MEAN} % of all cases`, () => assert.ok(meanShare(Object.values(shares)) >= MEAN))

  it('are made of a word, and none is the word itself under .com', () => {
    const kinds = permutationsOf('paypal')
    assert.deepEqual(kinds['hyphen'], ['pa-ypal.com', 'payp-al.com'])
    assert.deepEqual(kinds['omission'], ['papal.com', 'paypl.com'])
    assert.deepEqual(kinds['swap'], ['papyal.com', 'paypla.com'])
    assert.deepEqual(kinds['digit'], ['p4ypal.com', 'paypa1.com'])
    assert.equal(Object.values(kinds).flat().includes('paypal.com'), false)
  })
})

describe('honest names that hold the word of a brand', () => {
  it(`are seen as a look-alike in at most ${100 * HONEST_AT_MOST} % of cases`, () => {
    const names = honestNames()
    const { seen, wrong } = measureHonest(names)
    assert.ok(new Set(names).size === names.length && names.length >= 300)
    assert.ok(seen / names.length <= HONEST_AT_MOST, wrong.join(' '))
  })
})
