// What can be checked at all, and who a name belongs to.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createGuard } from '../../src/network/guard.ts'
import { parseTarget, requestOf, unvetted } from '../../src/targets/target.ts'
import { anyText } from '../any_text.ts'

const ofDomain = (domain: string) => parseTarget({ domain, ip: null }, unvetted)

const owners: readonly (readonly [domain: string, registrable: string, registered: string])[] = [
  ['WwW.example.COM', 'example.com', 'example.com'],
  ['example.net', 'example.net', 'example.net'],
  ['foo_bar.com', 'foo_bar.com', 'foo_bar.com'],
  ['_dmarc.example.com', 'example.com', 'example.com'],
  ['www.ck', 'www.ck', 'www.ck'],
  ['www.www.ck', 'www.ck', 'www.ck'],
  ['city.kobe.jp', 'city.kobe.jp', 'city.kobe.jp'],
  ['a.b.example.uk.com', 'example.uk.com', 'uk.com'],
  ['uk.com', 'uk.com', 'uk.com'],
  ['a.b.ide.kyoto.jp', 'b.ide.kyoto.jp', 'b.ide.kyoto.jp'],
  ['www.test.k12.ak.us', 'test.k12.ak.us', 'test.k12.ak.us'],
  ['b.example.unlisted', 'example.unlisted', 'example.unlisted'],
  ['user.github.io', 'user.github.io', 'github.io'],
  ['github.io', 'github.io', 'github.io'],
  ['x.blogspot.com', 'x.blogspot.com', 'blogspot.com'],
  ['b.s3.amazonaws.com', 'b.s3.amazonaws.com', 'amazonaws.com'],
  ['www.\u98df\u72ee.\u516c\u53f8.cn', 'xn--85x722f.xn--55qx5d.cn', 'xn--85x722f.xn--55qx5d.cn'],
]

const notCheckable = {
  'a single label': ['com', 'localhost', 'LOCALHOST.', 'ck', 'aa', 'constructor'],
  'a public suffix': [
    'kyoto.jp',
    'ide.kyoto.jp',
    'k12.ak.us',
    '\u516c\u53f8.cn',
    'xn--55qx5d.cn',
    'test.ck',
    'c.mm',
    'c.kobe.jp',
    'co.uk',
  ],
  'special-use': [
    'foo.localhost',
    'printer.local',
    'x.internal',
    '1.0.0.127.in-addr.arpa',
    'x.ip6.arpa',
    'x.onion',
    'x.alt',
    'x.test',
    '1.2.3.example',
    'x.invalid',
    'router.home.arpa',
    'home.arpa',
    'X.Y.LOCALHOST.',
  ],
}

describe('a domain target', () => {
  for (const [domain, registrable, registered] of owners) {
    it(`${domain} belongs to ${registrable} and was registered as ${registered}`, () => {
      const parsed = ofDomain(domain)
      assert.ok(parsed.ok && parsed.target.kind === 'domain')
      assert.deepEqual([parsed.target.registrable, parsed.target.registered], [registrable, registered])
    })
  }

  for (const [reason, domains] of Object.entries(notCheckable)) {
    it(`is not checkable when it is ${reason}`, () => {
      for (const domain of domains) {
        const parsed = ofDomain(domain)
        assert.ok(!parsed.ok, domain)
        assert.deepEqual([parsed.status, parsed.code], [422, 'target-not-checkable'], domain)
        assert.ok(parsed.detail.includes(reason), `${domain}: ${parsed.detail}`)
      }
    })
  }

  it('that only resembles a special-use name is an ordinary target', () => {
    for (const domain of ['example.com', 'mytest.com', 'local.net', 'test.example.org', 'onion.ly']) {
      assert.equal(ofDomain(domain).ok, true, domain)
    }
  })

  it('holds the ip requested with it', () => {
    assert.deepEqual(parseTarget({ domain: 'Example.com.', ip: '::ffff:8.8.8.8' }, unvetted), {
      ok: true,
      target: {
        kind: 'domain',
        domain: 'example.com',
        ip: '8.8.8.8',
        registrable: 'example.com',
        registered: 'example.com',
        url: null,
        visit: true,
      },
    })
  })
})

describe('an ip target', () => {
  it('is only the canonical address', () => {
    assert.deepEqual(parseTarget({ domain: null, ip: '2606:4700:0:0::1111' }, unvetted), {
      ok: true,
      target: {
        kind: 'ip',
        domain: null,
        ip: '2606:4700::1111',
        registrable: null,
        registered: null,
        url: null,
        visit: true,
      },
    })
  })

  it('is vetted by the guard in its canonical form', () => {
    const seen: string[] = []
    const refuse = (address: string) => {
      seen.push(address)
      return null
    }
    for (const ip of ['::ffff:10.0.0.1', 'FE80:0::1']) parseTarget({ domain: null, ip }, { ...unvetted, refuse })
    assert.deepEqual(seen, ['10.0.0.1', 'fe80::1'])
  })

  it('gets the same answer for every refusal of the guard', () => {
    const refusing = (reason: string) => ({ ...unvetted, refuse: () => reason })
    const denying = { ...unvetted, refuseName: (name: string) => (name === 'example.com' ? 'denied' : null) }
    const answers = [
      parseTarget({ domain: null, ip: '10.0.0.1' }, refusing('private_use')),
      parseTarget({ domain: null, ip: '::1' }, refusing('loopback')),
      parseTarget({ domain: 'example.com', ip: '169.254.169.254' }, refusing('metadata')),
      parseTarget({ domain: null, ip: '8.8.8.8' }, refusing('denied')),
      parseTarget({ domain: 'Example.COM.', ip: null }, denying),
      parseTarget({ domain: 'example.com', ip: '8.8.8.8' }, denying),
    ]
    for (const answer of answers) {
      assert.deepEqual(answer, {
        ok: false,
        status: 422,
        code: 'target-not-public',
        detail: 'The target is not globally reachable, or this service is configured not to check it.',
      })
    }
  })
})

describe('an address that is reserved', () => {
  const rows: readonly (readonly [ip: string, purpose: string | null])[] = [
    ['10.0.0.1', 'private use'],
    ['100.64.0.1', 'shared address space'],
    ['169.254.169.254', 'cloud metadata'],
    ['192.0.2.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['2001:db8::1', 'documentation'],
    ['fc00::1', 'unique local'],
    ['8.8.8.8', null],
  ]
  for (const [ip, purpose] of rows)
    it(`${ip} is refused ${purpose === null ? 'without a reason when it is denied' : `as ${purpose}`}, whatever is configured`, () => {
      for (const guard of [createGuard({ deny: [ip] }), ...(purpose === null ? [] : [createGuard()])]) {
        const parsed = parseTarget({ domain: null, ip }, guard)
        const why =
          purpose === null
            ? ', or this service is configured not to check it.'
            : `: ${ip} is a special address (${purpose}).`
        assert.equal(parsed.ok ? null : parsed.detail, `The target is not globally reachable${why}`)
      }
    })
})

describe('a request without a target', () => {
  it('reports a missing target', () => {
    assert.deepEqual(parseTarget({ domain: null, ip: null }, unvetted), {
      ok: false,
      status: 400,
      code: 'missing-target',
      detail: 'Specify a domain, an ip or a url.',
    })
  })
})

describe('an invalid spelling', () => {
  it('is reported by the name of its parameter', () => {
    const codes = [
      [{ domain: 'http://example.com', ip: null }, 'invalid-domain'],
      [{ domain: '', ip: null }, 'invalid-domain'],
      [{ domain: null, ip: '127.1' }, 'invalid-ip'],
      [{ domain: null, ip: '' }, 'invalid-ip'],
      [{ domain: 'example.com', ip: 'example.com' }, 'invalid-ip'],
    ] as const
    for (const [asked, code] of codes) {
      const parsed = parseTarget(asked, unvetted)
      assert.ok(!parsed.ok)
      assert.deepEqual([parsed.status, parsed.code], [400, code])
    }
  })

  it('never throws, and accepts its own output', () => {
    const text = fc.option(fc.oneof(anyText(), fc.domain(), fc.ipV4(), fc.ipV6()), { nil: null })
    fc.assert(
      fc.property(text, text, (domain, ip) => {
        const parsed = parseTarget({ domain, ip }, unvetted)
        if (parsed.ok) assert.deepEqual(parseTarget(requestOf(parsed.target), unvetted), parsed)
      }),
      { numRuns: 500 },
    )
  })
})
