import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areSisters } from '../../plugins/content_analysis/traits.ts'

describe('sister sites', () => {
  const cases: readonly [title: string, one: string, other: string, are: boolean][] = [
    ['are one name under two suffixes', 'www.house-of-tools.com', 'login.house-of-tools.co.uk', true],
    ['have one owner in the table of brands', 'login.live.com', 'www.microsoft.com', true],
    ['are not two owners', 'www.paypal.com', 'www.facebook.com', false],
    ['are not short names under two suffixes', 'abc.com', 'abc.net', false],
    ['are not tenants of one name', 'house.github.io', 'house.gitlab.io', false],
    ['are not a tenant and the platform’s owner', 'x.blob.core.windows.net', 'www.microsoft.com', false],
    ['are not names below another', 'paypal.com.evil.net', 'paypal.com', false],
    ['are not addresses', '192.0.2.1', '192.0.2.2', false],
  ]
  for (const [title, one, other, are] of cases) {
    it(title, () => assert.deepEqual([areSisters(one, other), areSisters(other, one)], [are, are]))
  }
})
