import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { artifactUri } from '../../src/bulk/sarif.ts'

describe('the file of a SARIF location', () => {
  for (const [what, file, uri] of [
    ['below', 'lists/names.txt', 'lists/names.txt'],
    ['below, by its whole path', '/srv/here/names.txt', 'names.txt'],
    ['below, in what would end a path', 'week #7?/50% of us.txt', 'week%20%237%3F/50%25%20of%20us.txt'],
    ['below, in what would be a scheme', 'mail:names.txt', 'mail%3Anames.txt'],
    ['below, in what begins as the way up does', '..names.txt', '..names.txt'],
    ['elsewhere', '../there/names #7.txt', 'file:///srv/there/names%20%237.txt'],
  ] as const) {
    it(`is a URI reference when it is ${what}`, () => {
      assert.equal(artifactUri(file, '/srv/here'), uri)
    })
  }
})
