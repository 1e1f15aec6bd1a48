import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { identify, isTenant, withoutWww } from '../../src/targets/identity.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'

describe('the identity of a host', () => {
  const rows: readonly [host: string, owner: string, suffix: string, kind: 'own' | 'tenant' | 'shared'][] = [
    ['example.com', 'example.com', 'com', 'own'],
    ['www.example.com', 'example.com', 'com', 'own'],
    ['a.b.example.co.uk', 'example.co.uk', 'co.uk', 'own'],
    ['www.shop.example.com', 'example.com', 'com', 'own'],
    ['tenant.github.io', 'tenant.github.io', 'github.io', 'tenant'],
    ['a.tenant.github.io', 'tenant.github.io', 'github.io', 'tenant'],
    ['tenant.weebly.com', 'tenant.weebly.com', 'weebly.com', 'tenant'],
    ['www.tenant.weebly.com', 'tenant.weebly.com', 'weebly.com', 'tenant'],
    ['a.b.tenant.weebly.com', 'tenant.weebly.com', 'weebly.com', 'tenant'],
    ['diary.blogspot.sn', 'diary.blogspot.sn', 'blogspot.sn', 'tenant'],
    ['weebly.com', 'weebly.com', 'com', 'shared'],
    ['www.weebly.com', 'weebly.com', 'com', 'shared'],
    ['github.io', 'github.io', 'io', 'shared'],
    ['www.github.io', 'github.io', 'io', 'shared'],
    ['co.uk', 'co.uk', '', 'shared'],
    ['www.co.uk', 'www.co.uk', 'co.uk', 'own'],
    ['www.com', 'www.com', 'com', 'own'],
    ['www.www.com', 'www.com', 'com', 'own'],
  ]
  for (const [host, owner, suffix, kind] of rows) {
    it(`of ${host} is ${owner}`, () => {
      const found = identify(host)
      assert.deepEqual(
        [found.owner, found.suffix, found.tenant ? 'tenant' : found.shared ? 'shared' : 'own'],
        [owner, suffix, kind],
      )
    })
  }

  it('of a site is that of its www', () => {
    for (const host of ['example.com', 'tenant.github.io', 'tenant.weebly.com', 'shop.example.co.uk']) {
      assert.deepEqual(identify(`www.${host}`), identify(host))
    }
    assert.equal(withoutWww('www.login.example.com'), 'login.example.com')
  })

  it('ends in its owner, and the owner in its suffix', () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,8}$/)
    const end = fc.constantFrom('com', 'co.uk', 'github.io', 'weebly.com', 'blogspot.de', 'zz')
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), end, (labels, suffix) => {
        const found = identify([...labels, suffix].join('.'))
        assert.ok(`.${found.host}`.endsWith(`.${found.owner}`) && `.${found.owner}`.endsWith(`.${found.suffix}`))
      }),
    )
  })

  it('is that of a target', () => {
    const targetOf = (domain: string) => {
      const parsed = parseTarget({ domain, ip: null }, unvetted)
      assert.ok(parsed.ok && parsed.target.kind === 'domain')
      const { registrable, registered } = parsed.target
      return [registrable, registered, isTenant(parsed.target)]
    }
    assert.deepEqual(targetOf('a.tenant.weebly.com'), ['tenant.weebly.com', 'weebly.com', true])
    assert.deepEqual(targetOf('www.weebly.com'), ['weebly.com', 'weebly.com', false])
    assert.deepEqual(targetOf('www.github.io'), ['github.io', 'github.io', false])
    assert.deepEqual(targetOf('a.tenant.github.io'), ['tenant.github.io', 'github.io', true])
    assert.deepEqual(targetOf('www.example.co.uk'), ['example.co.uk', 'example.co.uk', false])
  })
})
