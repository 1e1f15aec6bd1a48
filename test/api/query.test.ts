// How the query string is parsed.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseQuery } from '../../src/api/target_reader.ts'
import { assertCheap } from '../cpu.ts'

const read: readonly (readonly [raw: string, domain: string | null, ip: string | null])[] = [
  ['', null, null],
  ['domain=example.com', 'example.com', null],
  ['ip=8.8.8.8', null, '8.8.8.8'],
  ['domain=example.com&ip=8.8.8.8', 'example.com', '8.8.8.8'],
  ['ip=%3A%3A1', null, '::1'],
  ['ip=::1', null, '::1'],
  ['domain=ex%61mple.com', 'example.com', null],
  ['domain=example.com%252eevil.com', 'example.com%2eevil.com', null],
  ['%64omain=example.com', 'example.com', null],
  ['domain=%20a', ' a', null],
  ['domain=a+b', 'a b', null],
  ['domain=a%2Bb', 'a+b', null],
  ['domain=a=b', 'a=b', null],
  ['domain=%E9%A3%9F%E7%8B%AE.com', '\u98df\u72ee.com', null],
  ['&&domain=a.b&', 'a.b', null],
  ['domain[]=x&domain[a]=b&__proto__=x&constructor[prototype][y]=z', null, null],
  ['Domain=x&domain%00=x&other=%E0%A4%A&%ff=1&x', null, null],
  ['utm=%&domain=a.b', 'a.b', null],
]

const refused: readonly (readonly [raw: string, detail: string])[] = [
  ['domain=', 'The parameter domain is empty.'],
  ['domain', 'The parameter domain is empty.'],
  ['ip=&domain=a.b', 'The parameter ip is empty.'],
  ['domain=a.b&domain=a.b', 'The parameter domain is repeated.'],
  ['domain=a.b&ip=1.1.1.1&i%70=1.1.1.1', 'The parameter ip is repeated.'],
  ['domain=%E0%A4%A', 'The parameter domain is not percent-encoded UTF-8.'],
  ['domain=%C0%AE', 'The parameter domain is not percent-encoded UTF-8.'],
  ['domain=%ED%A0%80.com', 'The parameter domain is not percent-encoded UTF-8.'],
  ['domain=%', 'The parameter domain is not percent-encoded UTF-8.'],
  [`${'a&'.repeat(16)}domain=a.b`, 'The query string has more than 16 parameters.'],
]

describe('a query', () => {
  for (const [raw, domain, ip] of read) {
    it(`${JSON.stringify(raw)} has ${domain ?? 'no domain'} and ${ip ?? 'no ip'}`, () => {
      assert.deepEqual(parseQuery(raw), { ok: true, domain, ip })
    })
  }

  for (const [raw, detail] of refused) {
    it(`${JSON.stringify(raw.slice(0, 40))} is refused: ${detail}`, () => {
      assert.deepEqual(parseQuery(raw), { ok: false, detail })
    })
  }

  it('has at most sixteen parameters', () => {
    assert.deepEqual(parseQuery(`${'a=1&'.repeat(15)}domain=a.b`), { ok: true, domain: 'a.b', ip: null })
  })

  it('is parsed like URLSearchParams, where that is strict enough', () => {
    const value = fc.string({ minLength: 1, unit: 'grapheme' })
    fc.assert(
      fc.property(value, value, (domain, ip) => {
        assert.deepEqual(parseQuery(`${new URLSearchParams({ domain, ip })}`), { ok: true, domain, ip })
      }),
    )
  })

  it('never throws', () => {
    const text = fc.array(fc.constantFrom('domain', 'ip', '=', '&', '%', '%E9', '+', '\u00ff', '[]', 'a'), {
      maxLength: 40,
    })
    fc.assert(fc.property(text, pieces => typeof parseQuery(pieces.join('')).ok === 'boolean'))
  })

  it('of thousands of parameters costs less than scanning 200 KiB of text', () => {
    for (const raw of ['a&'.repeat(2_000), 'a&'.repeat(8_000), '&'.repeat(16_000), `domain=${'%41'.repeat(5_000)}`]) {
      assertCheap(() => parseQuery(raw), 0.1, 20)
    }
  })
})
