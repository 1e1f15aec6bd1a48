import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  hostExpressions,
  type Page,
  pathAndQuery,
  pathExpressions,
  readPage,
  urlExpressions,
} from '../../src/targets/url_expressions.ts'

function pageOf(written: string): Page {
  const [, rest = ''] = /^http:\/\/[^/?#\\]*(.*)$/.exec(written) ?? []
  return { host: new URL(written).hostname, ...readPage(rest) }
}
const canonical = (written: string): string => {
  const page = pageOf(written)
  return page.host + pathAndQuery(page)
}

/** What Safe Browsing asks of every implementation, for the parts that the URL parser leaves to us. */
const spellings: readonly (readonly [written: string, expected: string])[] = [
  ['http://host/%25%32%35', 'host/%25'],
  ['http://host/%25%32%35%25%32%35', 'host/%25%25'],
  ['http://host/%2525252525252525', 'host/%25'],
  ['http://host/asdf%25%32%35asd', 'host/asdf%25asd'],
  ['http://host/%%%25%32%35asd%%', 'host/%25%25%25asd%25%25'],
  [
    'http://168.188.99.26/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61%79%2E%63%6F%6D/',
    '168.188.99.26/.secure/www.ebay.com/',
  ],
  [
    'http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdata/',
    '195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdata/',
  ],
  [
    'http://host.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B',
    'host.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+',
  ],
  ['http://3279880203/blah', '195.127.0.11/blah'],
  ['http://www.google.com/blah/..', 'www.google.com/'],
  ['http://www.google.com/a/%2e%2e/b/%252e/c', 'www.google.com/b/c'],
  ['http://www.google.com/a/b/%252e%252e', 'www.google.com/a/'],
  ['http://www.google.com/a/%2e', 'www.google.com/a/'],
  ['http://www.google.com/%2e%2e/%2e%2e/', 'www.google.com/'],
  ['http://www.evil.com/blah#frag', 'www.evil.com/blah'],
  ['http://www.GOOgle.com/Blah', 'www.google.com/Blah'],
  ['http://www.google.com/q?r?s', 'www.google.com/q?r?s'],
  ['http://evil.com/foo?bar;', 'evil.com/foo?bar;'],
  ['http://www.gotaport.com:1234/', 'www.gotaport.com/'],
  ['http://host.com/ab%23cd', 'host.com/ab%23cd'],
  ['http://host.com/ab%00%7f%ff', 'host.com/ab%00%7F%FF'],
  ['http://host.com//twoslashes?more//slashes', 'host.com/twoslashes?more//slashes'],
  ['http://host.com/a?b=%2541%20/../c', 'host.com/a?b=A%20/../c'],
  ['http://host.com/ü', 'host.com/%C3%BC'],
  ['http://host.com/a%3fb', 'host.com/a%3Fb'],
  ['http://host.com/a\\b/..\\c', 'host.com/a/c'],
  ['http://host.com', 'host.com/'],
  ['http://host.com?a', 'host.com/?a'],
]

const expressions: readonly (readonly [written: string, expected: readonly string[]])[] = [
  [
    'http://a.b.c/1/2.html?param=1',
    [
      'a.b.c/1/2.html?param=1',
      'a.b.c/1/2.html',
      'a.b.c/1/',
      'a.b.c/',
      'b.c/1/2.html?param=1',
      'b.c/1/2.html',
      'b.c/1/',
      'b.c/',
    ],
  ],
  [
    'http://a.b.c.d.e.f.g/1.html',
    ['a.b.c.d.e.f.g', 'c.d.e.f.g', 'd.e.f.g', 'e.f.g', 'f.g'].flatMap(host => [`${host}/1.html`, `${host}/`]),
  ],
  ['http://1.2.3.4/1/', ['1.2.3.4/1/', '1.2.3.4/']],
  ['http://b.c/1/2/3/4/5/6?q', ['b.c/1/2/3/4/5/6?q', 'b.c/1/2/3/4/5/6', 'b.c/1/2/3/', 'b.c/1/2/', 'b.c/1/', 'b.c/']],
]

describe('the canonical form of a page', () => {
  for (const [written, expected] of spellings) {
    it(`of ${written} is ${expected}`, () => assert.equal(canonical(written), expected))
  }

  const text = fc.string({ unit: fc.constantFrom(...'%2e5F/.?ab&=;\\ é'.split('')), maxLength: 40 })

  it('is its own canonical form, whatever the spelling', () => {
    fc.assert(
      fc.property(text, rest => {
        const once = readPage(`/${rest}`)
        assert.deepEqual(readPage(pathAndQuery(once)), once)
      }),
    )
  })

  it('is the same for a link as written and as the URL parser writes it', () => {
    fc.assert(
      fc.property(text, rest => {
        const { pathname, search } = new URL(`http://host.com/${rest}`)
        assert.deepEqual(readPage(`/${rest}`), readPage(pathname + search))
      }),
    )
  })

  it('is that of repeated unescaping', () => {
    const again = (octets: string): string => {
      const next = octets.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
      return next === octets ? octets : again(next)
    }
    const escaped = (octets: string) =>
      octets.replace(/[^!-~]|[#%]/g, one => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    const written = fc.string({ unit: fc.constantFrom(...'%2e5Fab'.split('')), maxLength: 40 })
    fc.assert(fc.property(written, query => assert.equal(readPage(`/?${query}`).query ?? '', escaped(again(query)))))
  })

  it('is the same for a path that is escaped any number of times', () => {
    const plain = fc.stringMatching(/^[a-z0-9._~-]{1,20}$/)
    fc.assert(
      fc.property(plain, fc.integer({ min: 1, max: 4 }), (name, times) => {
        let written = name
        for (let n = 0; n < times; n++) {
          written = [...written].map(one => `%${one.charCodeAt(0).toString(16)}`).join('')
        }
        assert.equal(canonical(`http://host.com/a/${written}`), canonical(`http://host.com/a/${name}`))
      }),
    )
  })

  it('of a megabyte of nested escapes is found in linear time', () => {
    assert.equal(readPage(`/%${'25'.repeat(500_000)}`).path, '/%25')
  })
})

describe('the expressions of a URL', () => {
  for (const [written, expected] of expressions) {
    it(`are those documented for ${written}`, () => assert.deepEqual(urlExpressions(pageOf(written)), expected))
  }

  it('are thirty at most, each once, and begin with the page itself', () => {
    const label = fc.stringMatching(/^[a-z]{1,3}$/)
    const host = fc.array(label, { minLength: 2, maxLength: 12 }).map(labels => labels.join('.'))
    const path = fc.array(fc.stringMatching(/^[a-z]{0,3}$/), { maxLength: 9 }).map(parts => `/${parts.join('/')}`)
    fc.assert(
      fc.property(host, path, fc.option(fc.stringMatching(/^[a-z=&]{0,6}$/)), (host, path, query) => {
        const page = { host, ...readPage(query === null ? path : `${path}?${query}`) }
        const found = urlExpressions(page)
        assert.ok(found.length <= 30)
        assert.equal(new Set(found).size, found.length)
        assert.equal(found[0], page.host + pathAndQuery(page))
        assert.ok(found.every(one => hostExpressions(host).some(name => one.startsWith(`${name}/`))))
        const paths = pathExpressions(page)
        assert.ok(paths.slice(1).every(one => page.path === one || (one.endsWith('/') && page.path.startsWith(one))))
      }),
    )
  })
})
