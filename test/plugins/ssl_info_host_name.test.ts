import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { namesHost, sharedWildcard } from '../../plugins/ssl_info/host_name.ts'
import { domainTarget } from '../evidence_of.ts'
import { certificate } from './ssl_info_judged.ts'

describe('the names of a certificate', () => {
  const rows: readonly [readonly string[], string, boolean][] = [
    [['example.com'], 'example.com', true],
    [['other.example', 'example.com'], 'example.com', true],
    [['example.com'], 'abc.example.com', false],
    [['abc.example.com'], 'example.com', false],
    [['example.com'], 'example.com.evil.test', false],
    [['example.com'], 'notexample.com', false],
    [['*.example.com'], 'foo.example.com', true],
    [['*.example.com'], 'xn--bcher-kva.example.com', true],
    [['*.example.com'], 'foo_bar.example.com', true],
    [['*.example.com'], 'example.com', false],
    [['*.example.com'], 'foo.bar.example.com', false],
    [['*.example.com'], 'wrong.host.badssl.test', false],
    [['*.com'], 'example.com', false],
    [['*'], 'example.com', false],
    [['*.'], 'example.com', false],
    [['*.co.uk'], 'example.co.uk', false],
    [['*.example.co.uk'], 'www.example.co.uk', true],
    [['*.s3.amazonaws.com'], 'bucket.s3.amazonaws.com', true],
    [['*.github.io'], 'shop.github.io', true],
    [['*.*.example.com'], 'a.b.example.com', false],
    [['foo.*.example.com'], 'foo.bar.example.com', false],
    [['ba*.example.com'], 'baz.example.com', false],
    [['*z.example.com'], 'baz.example.com', false],
    [['xn--*-1b3c148a.example.com'], 'xn--bliss-1b3c148a.example.com', false],
    [['example.com.'], 'example.com', false],
    [['.example.com'], 'foo.example.com', false],
    [['example.com\\x00.evil.test'], 'example.com', false],
    [['\\xc3\\xa9.example.com'], 'xn--9ca.example.com', false],
    [['xn--n1aae7f7o.test'], 'xn--n1aae7f7o.test', true],
    [[''], 'example.com', false],
    [[], 'example.com', false],
    [[`${'a'.repeat(63)}.${'b'.repeat(63)}.test`], `${'a'.repeat(63)}.${'b'.repeat(63)}.test`, true],
  ]
  for (const [names, host, expected] of rows) {
    it(`${names.join(' ') || 'none'} ${expected ? 'cover' : 'do not cover'} ${host}`, () => {
      assert.equal(namesHost({ dns_names: names }, host), expected)
    })
  }

  it('cover equal names, and one more label by a wildcard, and nothing else', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
    const labels = fc.array(label, { minLength: 2, maxLength: 4 }).map(parts => [...parts, 'test'].join('.'))
    fc.assert(
      fc.property(labels, labels, (pattern, host) => {
        assert.equal(namesHost({ dns_names: [pattern] }, host), pattern === host)
        assert.equal(namesHost({ dns_names: [`*.${pattern}`] }, host), host.slice(host.indexOf('.') + 1) === pattern)
        assert.ok(namesHost({ dns_names: [`*.${pattern}`] }, `a.${pattern}`))
      }),
    )
  })
})

describe('a wildcard shared by customers', () => {
  const rows: readonly [readonly string[], string, string | null][] = [
    [['*.github.io', 'github.io'], 'shop.github.io', '*.github.io'],
    [['*.s3.amazonaws.com'], 'bucket.s3.amazonaws.com', '*.s3.amazonaws.com'],
    [['*.github.io', 'shop.github.io'], 'shop.github.io', null],
    [['*.shop.github.io'], 'www.shop.github.io', null],
    [['*.example.com'], 'www.example.com', null],
    [['other.example'], 'www.example.com', null],
  ]
  for (const [dns_names, host, expected] of rows) {
    it(`is ${expected ?? 'none'} in ${dns_names.join(' ')} for ${host}`, () => {
      assert.equal(sharedWildcard(certificate({ dns_names }), domainTarget(host)), expected)
    })
  }
})
