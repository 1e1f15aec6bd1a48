// Which links can be checked, and their canonical form.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseTarget, requestOf, unvetted, type Vetting } from '../../src/targets/target.ts'
import { anyText, anyUrl } from '../any_text.ts'

const PUBLIC: Vetting = { ...unvetted, url_ports: [80, 443, 8080, 8443] }

const ofUrl = (url: string, vetting = PUBLIC) => parseTarget({ domain: null, ip: null, url }, vetting)

const canonical: readonly (readonly [written: string, href: string, host: string])[] = [
  ['https://Example.COM', 'https://example.com/', 'example.com'],
  ['HTTPS://example.com./a', 'https://example.com/a', 'example.com'],
  ['https://example.com:443/a?b=c#d', 'https://example.com/a?b=c', 'example.com'],
  ['http://example.com:8080?b', 'http://example.com:8080/?b', 'example.com'],
  ['http://example.com:0080/', 'http://example.com/', 'example.com'],
  ['https://example.com/a/../b/%2e%2E/c', 'https://example.com/c', 'example.com'],
  ['https://example.com/%252e/%zz', 'https://example.com/%252e/%zz', 'example.com'],
  [
    'https://example.com/?u=https://other.example/@x\\y',
    'https://example.com/?u=https://other.example/@x\\y',
    'example.com',
  ],
  ['https://example.com?@other.com/', 'https://example.com/?@other.com/', 'example.com'],
  ['https://example.com/#@other.com/', 'https://example.com/', 'example.com'],
  ['https://example.com/caf\u00e9?q=\u00e9', 'https://example.com/caf%C3%A9?q=%C3%A9', 'example.com'],
  ['https://B\u00dcCHER.de/', 'https://xn--bcher-kva.de/', 'xn--bcher-kva.de'],
  ['https://\uff45xample.com/', 'https://example.com/', 'example.com'],
  ['http://8.8.8.8/x', 'http://8.8.8.8/x', '8.8.8.8'],
  ['https://[2606:4700:0:0::1111]:8443/x', 'https://[2606:4700::1111]:8443/x', '2606:4700::1111'],
  ['https://[::ffff:8.8.8.8]/', 'https://8.8.8.8/', '8.8.8.8'],
]

const refused: readonly (readonly [code: string, urls: readonly string[]])[] = [
  [
    'invalid-url',
    [
      '',
      'example.com',
      '//example.com/',
      'https:example.com',
      'https:/example.com',
      'https:///example.com',
      'https://',
      'https:\\\\example.com',
      'https://example.com\\@other.com/',
      'https://example.com\\.other.com/',
      'https://example.com/\\other.com',
      'ftp://example.com/',
      'javascript:alert(1)//https://example.com',
      'data:text/html,https://example.com',
      'file:///etc/passwd',
      'view-source:https://example.com/',
      'https://user@example.com/',
      'https://user:secret@example.com/',
      'https://@example.com/',
      'https://example.com@other.com/',
      'https://ex%61mple.com/',
      'https://example.com:/',
      'https://example.com:0/',
      'https://example.com:65536/',
      'https://example.com:443443/',
      'https://example.com:+80/',
      'https://example.com:80:80/',
      'https://2606:4700::1111/',
      'https://[2606:4700::1111/',
      'https://[2606:4700::1111]x/',
      'https://[8.8.8.8]/',
      'https://[]/',
      ' https://example.com/',
      'https://example.com/\n',
      'ht\ttps://example.com/',
      'https://exam\nple.com/',
      'https://example.com/a\tb',
      'https://example.com/a b',
      'https://example.com/\u0000',
      'https://example.com/\u00a0',
      'https://example.com/\ud800',
      `https://example.com/${'a'.repeat(2_048)}`,
      `https://example.com/${'\u00e9'.repeat(400)}`,
    ],
  ],
  [
    'invalid-domain',
    [
      'https://0x7f000001/',
      'https://127.1/',
      'https://2130706433/',
      'https://0177.0.0.1/',
      'https://\u2460\u2461\u2466.1/',
      'https://*.example.com/',
      'https://a..b.com/',
      'https://___.example.com/',
      'https://exa<mple.com/',
      'https://example\uff0fcom.net/',
      `https://${'a'.repeat(64)}.com/`,
    ],
  ],
  ['invalid-ip', ['https://[1:2]/', 'https://[fe80::1::2]/']],
  [
    'target-not-checkable',
    ['https://localhost/', 'https://printer.local/', 'https://co.uk/', 'http://example.com:25/'],
  ],
]

describe('a URL as a target', () => {
  for (const [written, href, host] of canonical) {
    it(`${JSON.stringify(written)} is checked as ${href}`, () => {
      const parsed = ofUrl(written)
      assert.ok(parsed.ok, JSON.stringify(parsed))
      const { url, domain, ip } = parsed.target
      assert.deepEqual([url?.href, domain ?? ip], [href, host])
      const { pathname, search, protocol, port } = new URL(href)
      assert.deepEqual(
        [`${url?.scheme}:`, url?.path, url?.query ?? '', url?.port],
        [protocol, pathname, search.slice(1), Number(port) || (protocol === 'http:' ? 80 : 443)],
      )
    })
  }

  for (const [code, urls] of refused) {
    it(`is refused as ${code}`, () => {
      for (const url of urls) {
        const parsed = ofUrl(url)
        assert.equal(parsed.ok ? 'accepted' : parsed.code, code, JSON.stringify(url))
      }
    })
  }

  it('has the domain or the address of its host, and the owner of the domain', () => {
    const parsed = ofUrl('https://user.github.io/x')
    assert.ok(parsed.ok)
    const { kind, domain, ip, registrable, registered } = parsed.target
    assert.deepEqual(
      [kind, domain, ip, registrable, registered],
      ['domain', 'user.github.io', null, 'user.github.io', 'github.io'],
    )
    const address = ofUrl('http://8.8.8.8/')
    assert.deepEqual(address.ok && [address.target.kind, address.target.ip], ['ip', '8.8.8.8'])
  })

  it('is refused when its host may not be contacted, with the same answer as the host alone', () => {
    const vetting: Vetting = { ...PUBLIC, refuse: () => 'private_use', refuseName: () => 'denied' }
    assert.deepEqual(ofUrl('http://10.0.0.1/', vetting), parseTarget({ domain: null, ip: '10.0.0.1' }, vetting))
    assert.deepEqual(
      ofUrl('http://[::ffff:10.0.0.1]/', vetting),
      parseTarget({ domain: null, ip: '10.0.0.1' }, vetting),
    )
    assert.deepEqual(ofUrl('https://a.com/', vetting), parseTarget({ domain: 'a.com', ip: null }, vetting))
  })

  it('cannot be combined with a domain or an ip', () => {
    for (const [domain, ip] of [
      ['example.com', null],
      [null, '8.8.8.8'],
    ] as const) {
      const parsed = parseTarget({ domain, ip, url: 'https://example.com/' }, PUBLIC)
      assert.deepEqual(!parsed.ok && [parsed.status, parsed.code], [400, 'conflicting-targets'])
    }
  })

  it('may have the ports that the installation allows, whatever the scheme', () => {
    const vetting: Vetting = { ...PUBLIC, url_ports: [8000] }
    assert.equal(ofUrl('https://example.com:8000/', vetting).ok, true)
    assert.equal(ofUrl('https://example.com/', vetting).ok, false)
    assert.equal(ofUrl('http://example.com:443/').ok, true)
  })

  it('never throws, agrees with the URL standard about the host, and accepts its own output', () => {
    const parts = ['https://', 'http:', '/', '\\', '@', ':80', '[::1]', '%2f', '?', '#', '.', 'a.com', '\u3002', '\t']
    const text = fc.oneof(
      anyText(),
      anyUrl(),
      anyText().map(rest => `https://${rest}`),
      fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map(all => all.join('')),
    )
    fc.assert(
      fc.property(text, url => {
        const parsed = ofUrl(url, unvetted)
        if (!parsed.ok) return
        const { target } = parsed
        const opened = new URL(url)
        assert.equal(opened.username + opened.password, '')
        const host = opened.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
        if (!host.startsWith('::ffff:')) assert.equal(target.domain ?? target.ip, host)
        assert.equal(`${target.url?.path}?${target.url?.query ?? ''}`, `${opened.pathname}?${opened.search.slice(1)}`)
        assert.deepEqual(parseTarget(requestOf(target), unvetted), parsed)
      }),
      { numRuns: 2_000 },
    )
  })
})
