// How the query string is parsed.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readQuery } from '../../../src/service/api/input.ts'
import { OPERATIONS } from '../../../src/service/api/operations.ts'
import type { Operation } from '../../../src/service/api/routes.ts'
import { parseQuery } from '../../../src/service/api/target_reader.ts'
import { assertCheap } from '../../cpu.ts'

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
  ['dom=x&domain_name=x&other=%E0%A4%A&%ff=1&x', null, null],
  ['utm=%&domain=a.b', 'a.b', null],
]

const links: readonly (readonly [raw: string, url: string, visit: boolean])[] = [
  ['url=https%3A%2F%2Fa.com%2F%3Fb%3D1%26c%3D2', 'https://a.com/?b=1&c=2', true],
  ['url=https://a.com/b?c=1', 'https://a.com/b?c=1', true],
  ['url=https://a.com/?b=1&visit=false', 'https://a.com/?b=1', false],
  ['visit=true&url=https://a.com/%2541', 'https://a.com/%41', true],
  ['url=https://a.com/b', 'https://a.com/b', true],
  ['url=https://a.com/b&', 'https://a.com/b', true],
  ['url=https://a.com/b&visit=false', 'https://a.com/b', false],
  ['utm=1&url=https://a.com/b', 'https://a.com/b', true],
  ['url=https%3A%2F%2Fa.com%2Fb&utm=1', 'https://a.com/b', true],
  ['url=https%3a%2f%2fa.com%2fb%26c&utm=1', 'https://a.com/b&c', true],
  ['url=https%3A%2F%2Fa.com%2F%3Fb%3D1&utm=1', 'https://a.com/?b=1', true],
  ['url=https%3A%2F%2Fa.com%2F%3Fq%3Da%2Bb', 'https://a.com/?q=a+b', true],
]

/** A query that asks for neither a new check nor a format. */
const PLAIN = { fresh: false, format: null, selected: {} }

const NOT_ENCODED =
  'The parameter url is not percent-encoded, so it ends at its first &. Encode all of it: encodeURIComponent(url) in JavaScript, quote(url, safe="") in Python, curl -G --data-urlencode "url=...".'

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
  ['url=', 'The parameter url is empty.'],
  ['url=https://a.com&url=https://a.com', 'The parameter url is repeated.'],
  ['url=https://a.com/?b=1&c=2', NOT_ENCODED],
  ['c=2&url=https://a.com/?b=1', NOT_ENCODED],
  ['url=https://a.com/b&c', NOT_ENCODED],
  ['url=https://a.com/b&c=1', NOT_ENCODED],
  ['url=https://a.com/b&c&visit=false', NOT_ENCODED],
  ['visit=false&url=https://a.com/b&c', NOT_ENCODED],
  ['url=https://a.com/b&=1', NOT_ENCODED],
  ['url=https://a.com/b&&c', NOT_ENCODED],
  ['url=https://a.com/%41&utm=1', NOT_ENCODED],
  ['url=https:%2F%2Fa.com/b&c', NOT_ENCODED],
  ['url=//a.com&c', NOT_ENCODED],
  ['url=https://a.com&c=1', NOT_ENCODED],
  ['%75rl=https://a.com/b&c', NOT_ENCODED],
  ['url=https://a.com/b&amp;c=1', NOT_ENCODED],
  ['domain=a.b&visit=no', 'The parameter visit is not true or false.'],
  ['domain=a.b&visit=false&visit=false', 'The parameter visit is repeated.'],
  ['domain=a.b&fresh=1', 'The parameter fresh is not true or false.'],
  ['domain=a.b&format=xml', 'The parameter format is not one of json, report, stix, misp.'],
  ['domain=a.b&format=mips', 'The parameter format is not one of json, report, stix, misp; did you mean "misp"?'],
  ['url=https://a.com/?b=1&format=json', NOT_ENCODED],
  ['domain=a.b&Visit=false', 'There is no parameter Visit; did you mean visit?'],
  ['frsh=true&domain=a.b', 'There is no parameter frsh; did you mean fresh?'],
  ['domain%00=a.b', 'There is no parameter domain; did you mean domain?'],
  ['url=https://a.com/?b=1&Visit=false', NOT_ENCODED],
  [`${'a&'.repeat(16)}domain=a.b`, 'The query string has more than 16 parameters.'],
]

describe('a query', () => {
  for (const [raw, domain, ip] of read) {
    it(`${JSON.stringify(raw)} has ${domain ?? 'no domain'} and ${ip ?? 'no ip'}`, () => {
      assert.deepEqual(parseQuery(raw), { ok: true, requested: { domain, ip, url: null, visit: true }, ...PLAIN })
    })
  }

  for (const [raw, url, visit] of links) {
    it(`${JSON.stringify(raw)} has the url ${url}`, () => {
      assert.deepEqual(parseQuery(raw), { ok: true, requested: { domain: null, ip: null, url, visit }, ...PLAIN })
    })
  }

  for (const [raw, detail] of refused) {
    it(`${JSON.stringify(raw.slice(0, 40))} is refused: ${detail}`, () => {
      assert.deepEqual(parseQuery(raw), { ok: false, detail })
    })
  }

  for (const format of ['json', 'report', 'stix', 'misp']) {
    it(`asks for the format ${format}, also before a link`, () => {
      const requested = { domain: null, ip: null, url: 'https://a.com/?b=1', visit: true }
      const query = parseQuery(`format=${format}&url=https://a.com/?b=1`)
      assert.deepEqual(query, { ok: true, requested, fresh: false, format, selected: {} })
    })
  }

  it('selects fields and sections, which a link that is not encoded may have, too', () => {
    const query = parseQuery('domain=a.b&fields=verdict%2Csignals&sections=cookies')
    const requested = { domain: 'a.b', ip: null, url: null, visit: true }
    const selected = { fields: 'verdict,signals', sections: 'cookies' }
    assert.deepEqual(query, { ok: true, requested, ...PLAIN, selected })
    assert.deepEqual(parseQuery('url=https://a.com/?b=1&fields=verdict'), { ok: false, detail: NOT_ENCODED })
  })

  it('has at most sixteen parameters', () => {
    const requested = { domain: 'a.b', ip: null, url: null, visit: true }
    assert.deepEqual(parseQuery(`${'a=1&'.repeat(15)}domain=a.b`), { ok: true, requested, ...PLAIN })
  })

  it('is parsed like URLSearchParams, where that is strict enough', () => {
    const value = fc.string({ minLength: 1, unit: 'grapheme' })
    fc.assert(
      fc.property(value, value, value, (domain, ip, url) => {
        const requested = { domain, ip, url, visit: true }
        assert.deepEqual(parseQuery(`${new URLSearchParams({ domain, ip, url })}`), {
          ok: true,
          requested,
          ...PLAIN,
        })
      }),
    )
  })

  it('never throws', () => {
    const text = fc.array(
      fc.constantFrom('domain', 'ip', 'url', 'visit', 'format', '=', '&', '%', '%E9', '+', '\u00ff', '[]', 'a'),
      {
        maxLength: 40,
      },
    )
    fc.assert(fc.property(text, pieces => typeof parseQuery(pieces.join('')).ok === 'boolean'))
  })

  it('of thousands of parameters costs less than scanning 200 KiB of text', () => {
    for (const raw of ['a&'.repeat(2_000), 'a&'.repeat(8_000), '&'.repeat(16_000), `domain=${'%41'.repeat(5_000)}`]) {
      assertCheap(() => parseQuery(raw), 0.1, 20)
    }
  })
})

describe('a parameter of an operation', () => {
  const asked = Object.entries<Operation>(OPERATIONS).flatMap(([operation, { query }]) =>
    Object.keys(query?.properties ?? {}).map(name => [operation, name, query] as const),
  )
  for (const [operation, name, query = assert.fail('has a query')] of asked) {
    const faultOf = (text: string): string => {
      if (operation === 'check') {
        const parsed = parseQuery(text)
        return parsed.ok ? '' : parsed.detail
      }
      try {
        readQuery({ req: { url: `/?${text}` } as never }, { query })
        return ''
      } catch (error) {
        return (error as Error).message
      }
    }
    it(`${name} of ${operation} is not ignored when its name is written almost so`, () => {
      const spellings = [name.toUpperCase(), `${name}s`, name.slice(1), `${name.slice(0, -1)}_`]
      for (const spelling of spellings)
        assert.match(faultOf(`${spelling}=1`), /^There is no parameter .+; did you mean /)
      assert.doesNotMatch(faultOf('utm_source=1'), /There is no parameter/)
    })
  }
})
