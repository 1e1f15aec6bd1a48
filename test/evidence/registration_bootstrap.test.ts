import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { whoisServer } from '../../src/evidence/registration/whois.ts'
import {
  blockEntry,
  domainQuery,
  networkBases,
  networkQuery,
  parseBootstrap,
  rdapBases,
} from '../../src/knowledge/datasets/bootstrap.ts'
import { anyUrl } from '../any_text.ts'

const file = (services: unknown, more: object = {}) =>
  JSON.stringify({ version: '1.0', publication: '2026-11-01T00:00:00Z', services, ...more })

const iana = file([
  [['br'], ['https://rdap.registry.br/']],
  [['com', 'NET', 'xn--p1ai'], ['https://rdap.com.test/v1']],
  [['sub.example.com'], ['https://rdap.sub.test/']],
  [['org'], ['http://plain.org.test/rdap/', 'https://rdap.org.test/rdap/']],
])

const bases = (text: string, domain: string) => {
  const bootstrap = parseBootstrap(text)
  return bootstrap === null ? null : rdapBases(bootstrap, domain)
}

describe('the RDAP bootstrap file', () => {
  const lookups = [
    ['www.EXAMPLE.BR', ['https://rdap.registry.br/'], 'whatever the case'],
    ['example.net.', ['https://rdap.com.test/v1'], 'whatever the case of the entry, and with a final dot'],
    ['sub.sub.example.com', ['https://rdap.sub.test/'], 'by the longest entry'],
    ['other.example.com', ['https://rdap.com.test/v1'], 'by the entry above when the longer is a sibling'],
    ['example.notcom', [], 'by labels, not by the end of the text'],
    ['xsub.example.com', ['https://rdap.com.test/v1'], 'by whole labels below a longer entry'],
    ['пример.рф', [], 'by A-labels only'],
    ['xn--e1afmkfd.xn--p1ai', ['https://rdap.com.test/v1'], 'by A-labels'],
    ['example.org', ['https://rdap.org.test/rdap/', 'http://plain.org.test/rdap/'], 'with https before http'],
    ['example.zz', [], 'not at all when no entry fits: that is no error'],
  ] as const
  for (const [domain, expected, how] of lookups) {
    it(`finds the service of ${domain} ${how}`, () => assert.deepEqual(bases(iana, domain), expected))
  }

  it('has a default for all names when it lists the root', () => {
    const text = file([
      [[''], ['https://default.test/']],
      [['com'], ['https://com.test/']],
    ])
    assert.deepEqual(bases(text, 'example.zz'), ['https://default.test/'])
    assert.deepEqual(bases(text, 'example.com'), ['https://com.test/'])
  })

  it('states when it was published', () => {
    assert.equal(parseBootstrap(iana)?.publication, '2026-11-01T00:00:00Z')
    assert.equal(parseBootstrap(file([[['com'], ['https://com.test/']]], { publication: 7 }))?.publication, null)
  })

  const useless = {
    'an empty file': '',
    'a syntax error': '{"version":"1.0","services":[[["com"],["https://a.test/"]]',
    'an error page': '<!doctype html><title>404</title>',
    'a list': '[]',
    'no services': '{"version":"1.0"}',
    'an empty list of services': file([]),
    'nothing but an empty service': file([[]]),
    'nothing but bad URLs': file([[['com'], ['http://example.org/%%', 'ftp://a.test/', 7]]]),
  }
  for (const [what, text] of Object.entries(useless)) {
    it(`is null for ${what}, so that the previous copy is kept`, () => assert.equal(parseBootstrap(text), null))
  }

  it('skips an empty service among valid ones', () => {
    assert.deepEqual(bases(file([[], null, [['a']], [['com'], ['https://com.test/']]]), 'a.com'), ['https://com.test/'])
  })

  const refused = [
    'http://example.org/%%',
    'ftp://example.org/',
    'https://user@example.org/',
    'https://example.org:9000/',
    'https://example.org/?x',
    'not a URL',
  ]
  for (const url of refused) {
    it(`skips only the URL ${url}`, () => {
      assert.deepEqual(bases(file([[['com'], [url, 'https://com.test/']]]), 'a.com'), ['https://com.test/'])
    })
  }

  it('never throws, and contains only http and https URLs', () => {
    const json = fc.jsonValue().map(value => JSON.stringify(value))
    const services = fc.array(fc.tuple(fc.array(fc.string()), fc.array(fc.oneof(anyUrl(), fc.string()))))
    fc.assert(
      fc.property(fc.oneof(fc.string(), json, services.map(file)), fc.domain(), (text, domain) => {
        for (const base of bases(text, domain) ?? []) assert.match(new URL(base).protocol, /^https?:$/)
      }),
    )
  })
})

describe('the RDAP bootstrap files of address space', () => {
  const v4 = file([
    [['41.0.0.0/8'], ['https://rdap.africa.test/']],
    [
      ['1.0.0.0/8', '193.0.0.0/8'],
      ['https://rdap.asia.test/', 'http://rdap.asia.test/'],
    ],
    [['193.0.0.0/16'], ['https://rdap.europe.test/']],
    [['com', '10.0.0.0', '300.0.0.0/8', '62.0.0.0/33', '2a00::/12', 7], ['https://wrong.test/']],
  ])
  const v6 = file([
    [['2001:1400::/23', '2A00:0::/12'], ['https://rdap.europe.test/']],
    [['2001:1480::/26'], ['https://rdap.part.test/']],
    [['fe80::%1/10', '41.0.0.0/8'], ['https://wrong.test/']],
  ])
  const lookups = [
    [4, v4, '41.255.255.255', ['https://rdap.africa.test/']],
    [4, v4, '42.0.0.0', []],
    [4, v4, '193.0.255.255', ['https://rdap.europe.test/']],
    [4, v4, '193.1.0.0', ['https://rdap.asia.test/', 'http://rdap.asia.test/']],
    [4, v4, '255.0.0.0', []],
    [4, v4, '10.0.0.0', []],
    [6, v6, '2001:1400::', ['https://rdap.europe.test/']],
    [6, v6, '2001:1480::1', ['https://rdap.part.test/']],
    [6, v6, '2001:15ff:ffff::', ['https://rdap.europe.test/']],
    [6, v6, '2001:1600::', []],
    [6, v6, '2a0f::1', ['https://rdap.europe.test/']],
  ] as const
  for (const [version, text, ip, expected] of lookups) {
    it(`map ${ip} to ${expected[0] ?? 'nothing'} by the longest prefix`, () => {
      const bootstrap = parseBootstrap(text, blockEntry(version))
      assert.deepEqual(bootstrap && networkBases(bootstrap, ip), expected)
    })
  }

  it('have no entries for the other IP version or for names', () => {
    const only = (entry: string) => file([[[entry], ['https://rdap.test/']]])
    assert.deepEqual(
      [
        parseBootstrap(only('com'), blockEntry(4)),
        parseBootstrap(only('2a00::/12'), blockEntry(4)),
        parseBootstrap(only('41.0.0.0/8'), blockEntry(6)),
        parseBootstrap(only('41.0.0.0/8')),
      ],
      [null, null, null, null],
    )
  })

  it('never throw for any entries', () => {
    const entries = fc.array(
      fc.oneof(
        fc.string(),
        fc.ipV4(),
        fc.tuple(fc.ipV6(), fc.nat(200)).map(pair => pair.join('/')),
      ),
    )
    fc.assert(
      fc.property(entries, fc.oneof(fc.ipV4(), fc.constant('2a00::1')), (some, ip) => {
        for (const version of [4, 6] as const) {
          const bootstrap = parseBootstrap(file([[some, ['https://rdap.test/']]]), blockEntry(version))
          if (bootstrap !== null) networkBases(bootstrap, ip)
        }
      }),
    )
  })

  it('lead to a query with the address unchanged', () => {
    assert.equal(networkQuery('https://rdap.test/v1', '193.0.14.1'), 'https://rdap.test/v1/ip/193.0.14.1')
    assert.equal(networkQuery('https://rdap.test/', '2a00::1'), 'https://rdap.test/ip/2a00::1')
  })
})

describe('the query for a domain', () => {
  const queries = [
    ['https://rdap.nic.test', 'example.ar', 'https://rdap.nic.test/domain/example.ar'],
    ['https://rdap.nic.test/', 'example.ar', 'https://rdap.nic.test/domain/example.ar'],
    ['https://rdap.nic.test/v1', 'example.ar', 'https://rdap.nic.test/v1/domain/example.ar'],
    ['https://rdap.nic.test/', 'example/../com', 'https://rdap.nic.test/domain/example%2F..%2Fcom'],
  ] as const
  for (const [base, domain, expected] of queries) {
    it(`for ${domain} below ${base} is ${expected}`, () => assert.equal(domainQuery(base, domain), expected))
  }
})

describe('the WHOIS servers', () => {
  const servers = [
    ['example.jp', { host: 'whois.jprs.jp', query: 'example.jp/e' }],
    ['example.de', { host: 'whois.denic.de', query: '-T dn,ace example.de' }],
    ['example.co.uk', { host: 'whois.nic.uk', query: 'example.co.uk' }],
    ['example.ac.uk', { host: 'whois.ja.net', query: 'example.ac.uk' }],
    ['xn--e1afmkfd.xn--p1ai', { host: 'whois.tcinet.ru', query: 'xn--e1afmkfd.xn--p1ai' }],
    ['example.com', null],
    ['example.invalidtld', null],
  ] as const
  for (const [domain, expected] of servers) {
    it(`for ${domain} are ${expected === null ? 'unknown' : expected.host}`, () => {
      assert.deepEqual(whoisServer(domain), expected)
    })
  }
})
