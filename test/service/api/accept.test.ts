// Which Accept headers allow a JSON response.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { preferredForm } from '../../../src/service/api/negotiation.ts'

const taken = [
  undefined,
  '',
  '*/*',
  'application/json',
  'APPLICATION/JSON',
  'application/*',
  'application/json; charset=utf-8',
  'application/json;q=0.1, text/html',
  'text/html, application/xhtml+xml, */*;q=0.8',
  'text/*, application/*;q=0.001',
]

const refused = [
  'text/html',
  'text/*',
  'application/xml, text/plain;q=0.5',
  'application/json;q=0',
  'application/json;q=0, */*',
  '*/*;q=0',
  'application/problem+json',
  'application/json;version=2',
  'json',
]

describe('an Accept header', () => {
  for (const accept of taken) {
    it(`allows JSON when it is ${JSON.stringify(accept)}`, () => assert.equal(preferredForm(accept), 'json'))
  }
  for (const accept of refused) {
    it(`does not allow JSON when it is ${JSON.stringify(accept)}`, () => assert.equal(preferredForm(accept), null))
  }

  it('of more than 1 KiB is ignored', () => {
    assert.equal(preferredForm(`${'a/b, '.repeat(200)}*/*`), 'json')
    assert.equal(preferredForm(`${'a/b, '.repeat(205)}*/*`), null)
  })
})
