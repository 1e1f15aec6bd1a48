// Lines that people paste into their configuration: made of what was seen, and never of text of the target.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixesFor as recordsFor } from '../../plugins/dns_security/fixes.ts'
import type { Section as Dns } from '../../plugins/dns_security/schema.ts'
import { fixesFor as headersFor } from '../../plugins/security_headers/fixes.ts'
import type { Section as Headers } from '../../plugins/security_headers/section.ts'
import { readResult } from '../golden/files.ts'
import { graded } from './security_headers_graded.ts'

const shop = readResult('shop') as unknown as { dns_security: Dns; security_headers: Headers }

const dns = (changes: object): Dns => ({ ...shop.dns_security, caa: null, ...changes })
const records = (changes: object, domain: string | null = 'shop.lab') =>
  Object.fromEntries(recordsFor(dns(changes), domain).map(({ title, code }) => [title, code]))

const MX = { status: 'found', total: 1, hosts: [{ preference: 1, exchange: 'mx.shop.lab', addresses: null }] }
const NO_MX = { status: 'none', total: 0, hosts: [] }
const MISSING = { status: 'missing', effective_policy: null, aggregate_reports: null, found_at: null }
const WATCHING = {
  status: 'valid',
  effective_policy: 'none',
  found_at: 'shop.lab',
  aggregate_reports: ['mailto:a@shop.lab', 'mailto:x"; drop@shop.lab', 'https://shop.lab/'],
}
const DONE = { mta_sts: { status: 'valid' }, tls_rpt: { status: 'valid' } }

describe('the records to paste', () => {
  const cases: readonly (readonly [what: string, changes: object, records: Readonly<Record<string, string>>])[] = [
    ['nothing that is there', { mx: MX, ...DONE }, {}],
    [
      'mail that is received, without SPF and DMARC',
      { mx: MX, spf: { status: 'missing' }, dmarc: MISSING, ...DONE },
      {
        SPF: 'shop.lab. 3600 IN TXT "v=spf1 mx -all"',
        DMARC: '_dmarc.shop.lab. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:postmaster@shop.lab"',
      },
    ],
    [
      'a name without mail',
      { mx: NO_MX, spf: { status: 'missing' }, dmarc: MISSING, ...DONE },
      {
        SPF: 'shop.lab. 3600 IN TXT "v=spf1 -all"',
        DMARC: '_dmarc.shop.lab. 3600 IN TXT "v=DMARC1; p=reject"',
        'Null MX, if it receives no mail': 'shop.lab. 3600 IN MX 0 .',
      },
    ],
    [
      'a policy that only watches, with the reports that are plain addresses',
      { mx: MX, dmarc: WATCHING, ...DONE },
      {
        'DMARC that stops spoofed mail': '_dmarc.shop.lab. 3600 IN TXT "v=DMARC1; p=quarantine; rua=mailto:a@shop.lab"',
      },
    ],
    [
      'mail servers without MTA-STS and TLS-RPT',
      { mx: MX },
      {
        'MTA-STS: record': '_mta-sts.shop.lab. 3600 IN TXT "v=STSv1; id=1"',
        'MTA-STS: https://mta-sts.shop.lab/.well-known/mta-sts.txt':
          'version: STSv1\nmode: testing\nmx: mx.shop.lab\nmax_age: 604800',
        'TLS-RPT': '_smtp._tls.shop.lab. 3600 IN TXT "v=TLSRPTv1; rua=mailto:postmaster@shop.lab"',
      },
    ],
    [
      'mail servers whose names no line may hold',
      { mx: { ...MX, hosts: [{ ...MX.hosts[0], exchange: 'a b\n' }] } },
      {},
    ],
    ['mail servers that are not all named', { mx: { ...MX, total: 60 } }, {}],
    [
      'no CAA records',
      { mx: MX, ...DONE, caa: { found_at: null, records: [] } },
      { CAA: 'shop.lab. 3600 IN CAA 0 issue "letsencrypt.org" ; the name of your own authority' },
    ],
    ['what is unknown', { mx: { status: 'unknown', total: null, hosts: null }, spf: { status: 'missing' } }, {}],
  ]
  for (const [what, changes, expected] of cases) {
    it(`are right for ${what}`, () => assert.deepEqual(records(changes), expected))
  }

  it('are none for an address', () => assert.deepEqual(records({ spf: { status: 'missing' } }, null), {}))
})

describe('the headers to paste', () => {
  const unrecognised: Headers = { ...shop.security_headers, served_by: null }
  const fixes = headersFor(unrecognised, 'shop.lab')
  const codeOf = (language: string) => fixes.find(fix => fix.language === language)?.code

  it('are those that are missing or weak, for each server', () => {
    assert.deepEqual(
      fixes.map(({ language, title }) => [language, title]),
      ['nginx', 'apache', 'caddy', 'iis', 'cloudflare', 'cloudfront', 'fastly', 'netlify', 'vercel'].map(language => [
        language,
        'Response headers',
      ]),
    )
    assert.deepEqual(JSON.parse(codeOf('cloudflare') ?? '').action_parameters.headers['Referrer-Policy'], {
      operation: 'set',
      value: 'strict-origin-when-cross-origin',
    })
    assert.deepEqual(JSON.parse(codeOf('cloudfront') ?? ''), {
      Name: 'security-headers',
      SecurityHeadersConfig: {
        StrictTransportSecurity: {
          Override: true,
          AccessControlMaxAgeSec: 31_536_000,
          IncludeSubdomains: false,
          Preload: false,
        },
        ReferrerPolicy: { Override: true, ReferrerPolicy: 'strict-origin-when-cross-origin' },
      },
      CustomHeadersConfig: {
        Quantity: 1,
        Items: [{ Header: 'Permissions-Policy', Value: 'camera=(), microphone=(), geolocation=()', Override: true }],
      },
    })
    assert.match(codeOf('fastly') ?? '', /^set resp\.http\.Strict-Transport-Security = "max-age=31536000";$/m)
    assert.match(codeOf('netlify') ?? '', /^\/\*\n {2}Strict-Transport-Security: max-age=31536000$/m)
    assert.deepEqual(JSON.parse(codeOf('vercel') ?? '').headers[0].headers[0], {
      key: 'Strict-Transport-Security',
      value: 'max-age=31536000',
    })
    assert.equal(
      codeOf('nginx'),
      [
        'add_header Strict-Transport-Security "max-age=31536000" always;',
        'add_header Referrer-Policy "strict-origin-when-cross-origin" always;',
        'add_header Permissions-Policy "camera=(), microphone=(), geolocation=()" always;',
      ].join('\n'),
    )
    assert.match(codeOf('iis') ?? '', /^ {4}<add name="Referrer-Policy" value="strict-origin-when-cross-origin" \/>$/m)
  })

  for (const [what, headers, expected] of [
    ['nginx', ['server: nginx/1.25.3'], ['nginx']],
    ['OpenResty, which is nginx', ['server: openresty'], ['nginx']],
    ['Apache', ['server: Apache/2.4.58 (Debian)'], ['apache']],
    ['Caddy', ['server: Caddy'], ['caddy']],
    ['IIS', ['server: Microsoft-IIS/10.0'], ['iis']],
    ['Cloudflare', ['server: cloudflare', 'cf-ray: 8f0-FRA'], ['cloudflare']],
    ['Cloudflare before Netlify', ['cf-ray: 8f0-FRA', 'x-nf-request-id: 01H'], ['cloudflare', 'netlify']],
    [
      'CloudFront before Apache',
      ['server: Apache', 'via: 1.1 4a.cloudfront.net (CloudFront)'],
      ['cloudfront', 'apache'],
    ],
    ['Fastly before nginx', ['server: nginx', 'x-served-by: cache-fra-1'], ['fastly', 'nginx']],
    ['Vercel', ['server: Vercel', 'x-vercel-id: fra1::x'], ['vercel']],
    [
      'nothing for GitHub Pages, whose owners cannot set headers',
      ['server: GitHub.com', 'x-served-by: cache-fra-1'],
      [],
    ],
    ['nothing for Apache Traffic Server and Coyote', ['server: Apache-Coyote/1.1'], []],
    ['nothing unknown', ['server: Werkzeug/3.0'], []],
  ] as const) {
    it(`begin with ${what}`, () => {
      const section = { ...shop.security_headers, served_by: graded(headers).served_by } as Headers
      assert.deepEqual(section.served_by ?? [], expected)
      const languages = headersFor(section, 'shop.lab').map(({ language }) => language)
      assert.deepEqual(languages.slice(0, expected.length), expected)
      assert.equal(new Set(languages).size, 9)
    })
  }

  it('keep the flags of the present policy, and try a policy for content without enforcing it', () => {
    const { hsts, csp } = shop.security_headers
    const changed = {
      ...unrecognised,
      hsts: { ...hsts, include_sub_domains: true },
      csp: { ...csp, present: false },
    } as Headers
    const [nginx] = headersFor(changed, null)
    assert.match(nginx?.code ?? '', /Strict-Transport-Security "max-age=31536000; includeSubDomains"/)
    assert.match(nginx?.code ?? '', /^add_header Content-Security-Policy-Report-Only "default-src 'self';/m)
  })

  it('come with the redirect to HTTPS when HTTP has none', () => {
    const https = { ...shop.security_headers.https, used: true, redirects_from_http: false }
    const redirects = headersFor({ ...shop.security_headers, https } as Headers, 'shop.lab').filter(
      ({ title }) => title === 'Redirect to HTTPS',
    )
    assert.deepEqual(
      redirects.map(({ language }) => language),
      ['nginx', 'apache', 'caddy', 'iis', 'cloudfront'],
    )
    assert.match(redirects[0]?.code ?? '', /server_name shop\.lab;/)
  })
})
