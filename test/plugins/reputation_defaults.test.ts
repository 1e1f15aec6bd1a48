import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listingSignals, type ReputationListing } from '../../plugins/reputation/listing.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'

/** What a domain may be listed by when nothing is configured: each list's strongest answer. */
const worst: readonly ReputationListing[] = [
  ...knownDatasets
    .filter(({ use, off, about }) => use === 'feed' && off === null && about !== 'addresses')
    .map(({ id, name, strength, category }) => ({ id, name, strength, categories: [category] })),
  ...knownLists
    .filter(({ off, asks }) => off === null && (asks.includes('host') || asks.includes('registrable')))
    .flatMap(({ id, name, codes }) =>
      Object.values(codes).map(({ strength, category }) => ({ id, name, strength, categories: [category] })),
    ),
].map(one => ({ ...one, kind: 'domain', asked: 'example.com', status: 'listed', reason: null }))

describe('the default lists', () => {
  it('can confirm that a domain is malicious', () => {
    assert.deepEqual(
      listingSignals(worst, 'domain').map(({ id }) => id),
      ['listed_as_malicious'],
    )
  })

  it('do so by no list alone, for none of them is strict about names', () => {
    for (const one of worst) {
      assert.notEqual(listingSignals([one], 'domain')[0]?.id, 'listed_as_malicious', one.id)
    }
  })
})
