import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { readSubject } from '../../../src/knowledge/datasets/feed/subject.ts'
import { formatPrefix, prefixOf, readPrefixes } from '../../../src/network/address_prefix.ts'
import { anyText, anyUrl } from '../../any_text.ts'

const label63 = 'a'.repeat(63)

const names: readonly (readonly [written: string, name: string | null])[] = [
  ['evil.example', 'evil.example'],
  ['EVIL.Example.', 'evil.example'],
  ['*.evil.example', 'evil.example'],
  ['.evil.example', 'evil.example'],
  ['http://user:secret@evil.example:8080/#f', 'evil.example'],
  ['https://evil.example\\', 'evil.example'],
  ['https://evil.example', 'evil.example'],
  ['hxxp://evil.example/', 'evil.example'],
  ['evil[.]example', 'evil.example'],
  ['hxxps[:]//login[.]evil[.]example/', 'login.evil.example'],
  ['evil.example:443', 'evil.example'],
  ['www.evil.example', 'evil.example'],
  ['https://www.login.evil.co.uk//./', 'login.evil.co.uk'],
  ['www.weebly.com', 'weebly.com'],
  ['www.com', 'www.com'],
  ['www.co.uk', 'www.co.uk'],
  ['_dmarc.evil.example', '_dmarc.evil.example'],
  ['münchen.example', 'xn--mnchen-3ya.example'],
  ['3com.example', '3com.example'],
  [`${label63}.example`, `${label63}.example`],
  [`${label63}a.example`, null],
  [`${Array(4).fill(label63).join('.')}.example`, null],
  ['com', null],
  ['*', null],
  ['*.com', null],
  ['', null],
  ['localhost', null],
  ['-evil.example', null],
  ['evil..example', null],
  ['evil example', null],
  ['<html>', null],
  ['1.2.3', null],
  ['evil.123', null],
  ['evil.example\0', null],
  ['http://', null],
  ['a'.repeat(5_000), null],
]

const pages: readonly (readonly [written: string, name: string, page: string])[] = [
  ['http://user:secret@evil.example:8080/path?q#f', 'evil.example', '/path?q'],
  ['https://evil.example\\@good.example/', 'evil.example', '/@good.example/'],
  ['https://www.login.evil.co.uk/a', 'login.evil.co.uk', '/a'],
  ['hxxps://EVIL.example/A/%2e%2e/B%2541/', 'evil.example', '/BA/'],
  ['https://evil.example?id=1', 'evil.example', '/?id=1'],
]

const prefixes: readonly (readonly [written: string, shown: readonly string[] | null])[] = [
  ['192.0.2.1', ['192.0.2.1/32']],
  ['192.0.2.77/24', ['192.0.2.0/24']],
  ['http://192.0.2.1:8080/a.exe', ['192.0.2.1/32']],
  ['192.0.2.1:443', ['192.0.2.1/32']],
  ['192.0.2.0-192.0.2.9', ['192.0.2.0/29', '192.0.2.8/31']],
  ['192.0.2.9-192.0.2.0', null],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['0.0.0.0/0', null],
  ['64.0.0.0/7', null],
  ['0.0.0.0-255.255.255.255', null],
  ['192.0.2.0/33', null],
  ['192.0.2.0/', null],
  ['192.0.2', null],
  ['192.0.2.256', null],
  ['192.0.02.1', null],
  ['2001:DB8::1', ['2001:db8::1/128']],
  ['2001:db8:ffff::/33', ['2001:db8:8000::/33']],
  ['[2001:db8::1]:443', ['2001:db8::1/128']],
  ['http://[2001:db8::1]/a', ['2001:db8::1/128']],
  ['http://[2001:DB8:0:0::0001]/a', ['2001:db8::1/128']],
  ['::ffff:192.0.2.1', ['192.0.2.1/32']],
  ['::ffff:c000:200/120', ['192.0.2.0/24']],
  ['http://[::ffff:192.0.2.1]/a', ['192.0.2.1/32']],
  ['::ffff:0:0/96', null],
  ['2001:db8::-2001:db8::3', ['2001:db8::/126']],
  ['::/0', null],
  ['fe80::1%eth0', null],
]

describe('a value of a feed', () => {
  for (const [written, name] of names) {
    it(`${JSON.stringify(written.slice(0, 60))} is ${name === null ? 'refused' : 'a name'}`, () => {
      assert.deepEqual(readSubject(written), name === null ? null : { name })
    })
  }
  for (const [written, name, page] of pages) {
    it(`${written} is a page of ${name}`, () => assert.deepEqual(readSubject(written), { name, page }))
  }
  for (const [written, shown] of prefixes) {
    it(`${written} is ${shown === null ? 'refused' : shown.join(' and ')}`, () => {
      const subject = readSubject(written)
      assert.deepEqual(subject === null || 'name' in subject ? null : subject.prefixes.map(formatPrefix), shown)
    })
  }

  it('never throws', () => {
    const texts = fc.oneof(anyText(), anyUrl(), fc.ipV4(), fc.ipV6(), fc.domain())
    fc.assert(fc.property(texts, text => void readSubject(text)))
  })
})

describe('prefixes', () => {
  const v4 = fc.ipV4()
  const v6 = fc.ipV6().filter(address => ipaddr.IPv6.isValid(address) && !address.includes('.'))

  it('contain an address exactly when its prefix of that length is the same', () => {
    const cases = fc.oneof(
      fc.record({ a: v4, b: v4, length: fc.integer({ min: 8, max: 32 }), version: fc.constant(4 as const) }),
      fc.record({ a: v6, b: v6, length: fc.integer({ min: 19, max: 128 }), version: fc.constant(6 as const) }),
    )
    fc.assert(
      fc.property(cases, ({ a, b, length, version }) => {
        const same = prefixOf(a, version, length)?.key === prefixOf(b, version, length)?.key
        const [one, other] = [ipaddr.parse(a), ipaddr.parse(b)]
        assert.equal(same, other.match([one, length] as never))
      }),
    )
  })

  it('of a range contain its ends and nothing outside', () => {
    const number = fc.integer({ min: 1, max: 2 ** 24 - 2 })
    fc.assert(
      fc.property(number, fc.integer({ min: 0, max: 100_000 }), (first, more) => {
        const text = (value: number) => `20.${value >>> 16}.${(value >>> 8) & 255}.${value & 255}`
        const last = Math.min(first + more, 2 ** 24 - 2)
        const found = readPrefixes(`${text(first)}-${text(last)}`) ?? []
        const holds = (value: number) => found.some(({ length, key }) => prefixOf(text(value), 4, length)?.key === key)
        assert.deepEqual([first - 1, first, last, last + 1].map(holds), [false, true, true, false])
        const size = found.reduce((sum, { length }) => sum + 2 ** (32 - length), 0)
        assert.equal(size, last - first + 1)
      }),
    )
  })
})
