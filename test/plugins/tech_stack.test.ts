import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ipTarget } from '../evidence_of.ts'
import { find, namesOf, type Site, sectionOf } from './tech_stack_site.ts'

const CHALLENGE: Site = {
  status: 403,
  headers: ['server: cloudflare', 'cf-mitigated: challenge', 'x-powered-by: PHP/5.6'],
  html: '<title>Just a moment...</title><script src="/wp-content/x.js"></script>',
  zone: { 'example.com': { MX: [{ preference: 1, exchange: 'aspmx.l.google.com' }] } },
}

describe('tech_stack', () => {
  it('reports technologies with confidence and evidence', async () => {
    const section = await sectionOf({
      headers: ['server: nginx/1.27.1', 'set-cookie: csrftoken=SECRET; path=/'],
      html: '<script src="https://unpkg.com/react@18.3.1/umd/react.production.min.js"></script>',
    })
    assert.deepEqual(section, {
      evaluated_url: 'https://example.com/',
      status_code: 200,
      redirects: [],
      served_as: 'page',
      recognised_by: null,
      blocked: false,
      server: 'nginx',
      framework: 'Django',
      technologies: [
        {
          name: 'nginx',
          category: 'web_server',
          version: '1.27.1',
          confidence: 100,
          evidence: [{ in: 'header', name: 'server', value: 'nginx/1.27.1' }],
        },
        {
          name: 'Python',
          category: 'language',
          version: null,
          confidence: 75,
          evidence: [{ in: 'implied_by', name: null, value: 'Django' }],
        },
        {
          name: 'Django',
          category: 'web_framework',
          version: null,
          confidence: 75,
          evidence: [{ in: 'cookie', name: null, value: 'csrftoken' }],
        },
        {
          name: 'React',
          category: 'javascript_framework',
          version: '18.3.1',
          confidence: 100,
          evidence: [
            { in: 'file', name: null, value: 'react.production.min.js' },
            { in: 'package', name: null, value: 'react@18.3.1' },
          ],
        },
        {
          name: 'unpkg',
          category: 'cdn',
          version: null,
          confidence: 100,
          evidence: [
            { in: 'resource', name: null, value: 'https://unpkg.com/react@18.3.1/umd/react.production.min.js' },
          ],
        },
      ],
      third_parties: [{ host: 'unpkg.com', uses: ['script'], technologies: ['unpkg'], purposes: ['cdn'] }],
      third_parties_total: 1,
    })
  })

  it('reports nothing for a page without evidence', async () => {
    const { server, framework, technologies } = await sectionOf({})
    assert.deepEqual({ server, framework, technologies }, { server: null, framework: null, technologies: [] })
  })

  it('combines uncertain hints', async () => {
    const { technologies } = await sectionOf({
      html: '<div class="x"></div><link rel="stylesheet" href="/out/flow/a.css"><script src="/out/wave/b.js"></script>',
    })
    const found = technologies?.find(({ name }) => name === 'OXID eShop')
    assert.equal(found?.confidence, 91)
  })

  it('reads SPF records below the name', async () => {
    const zone = {
      'example.com': { TXT: ['v=spf1 redirect=_spf.example.com'] },
      '_spf.example.com': { TXT: ['v=spf1 include:_spf.google.com -all'] },
      '_spf.google.com': { TXT: ['v=spf1 include:sendgrid.net -all'] },
      'sendgrid.net': { TXT: ['v=spf1 -all'] },
    }
    assert.deepEqual(await namesOf({ zone }), ['Google Workspace'])
  })

  it('checks an address only by its page', async () => {
    const target = ipTarget('93.184.216.34')
    const site = { target, headers: ['server: Caddy'], evidence: { dns: null, mail_records: null } }
    const finding = await find(site)
    assert.equal('unknown' in finding, false)
    assert.deepEqual(await namesOf(site), ['Caddy', 'Go'])
  })

  it('gives the reason when a part of the evidence is missing', async () => {
    const reasons = [{ dns: null }, { mail_records: null }, { document: null }].map(evidence => find({ evidence }))
    assert.deepEqual(
      (await Promise.all(reasons)).map(finding => 'section' in finding && finding.unknown),
      ['no_dns', 'no_dns', 'no_document'],
    )
  })
})

describe('of what stands in the page’s place', () => {
  it('only the delivery network and DNS are reported', async () => {
    const finding = await find(CHALLENGE)
    assert.ok('section' in finding)
    const { blocked, server, framework, technologies } = finding.section
    assert.deepEqual({ blocked, server, framework }, { blocked: true, server: null, framework: null })
    assert.deepEqual(
      technologies?.map(({ name }) => name),
      ['Cloudflare', 'Google Workspace'],
    )
    assert.deepEqual(finding.signals, [])
  })
})

describe('the server', () => {
  const cases: readonly [headers: readonly string[], server: string | null][] = [
    [['server: nginx'], 'nginx'],
    [['server: Apache/2.4.6 (CentOS) PHP/5.4.16'], 'Apache HTTP Server'],
    [['server: cloudflare', 'x-varnish: 1'], 'Cloudflare'],
    [['server: GitHub.com'], 'GitHub Pages'],
    [['server: homemade/1.0'], 'homemade/1.0'],
    [['server:'], null],
    [['x-powered-by: Undertow/1'], 'Undertow'],
    [['x-varnish: 1'], null],
    [[], null],
  ]
  for (const [headers, server] of cases) {
    it(`is ${server} by ${headers.join(', ') || 'no header'}`, async () => {
      assert.equal((await sectionOf({ headers })).server, server)
    })
  }
})

describe('an icon of Ionic', () => {
  it('is used without the framework too', async () => {
    assert.deepEqual(await namesOf({ html: '<ion-icon name="logo"></ion-icon>' }), ['Ionicons'])
    assert.deepEqual(await namesOf({ html: '<ion-app><ion-content></ion-content></ion-app>' }), ['Ionic'])
  })
})

describe('a frame', () => {
  const cases: readonly [title: string, src: string, names: string[]][] = [
    ['of another site does not tell how this one is made', 'https://blog.example.net/wp-content/a.pdf', []],
    ['of the site does', 'https://blog.example.com/wp-content/a.pdf', ['PHP', 'WordPress', 'MySQL']],
    ['of another site tells a service by its host', 'https://www.youtube.com/embed/x', ['YouTube']],
  ]
  for (const [title, src, names] of cases) {
    it(title, async () => assert.deepEqual(await namesOf({ html: `<iframe src="${src}"></iframe>` }), names))
  }
})

describe('the framework', () => {
  const cases: readonly [title: string, site: Site, framework: string | null][] = [
    [
      'that pages are made with comes before that of the browser',
      { headers: ['x-powered-by: Express'], html: '<div data-reactroot></div>' },
      'Express',
    ],
    ['is that of the browser when there is no other', { html: '<div data-reactroot></div>' }, 'React'],
    ['that was seen comes before one that is implied', { html: '<div wire:id="x"></div>' }, 'Livewire'],
    ['is none that is less likely than not', { headers: ['set-cookie: XSRF-TOKEN=<26>'] }, null],
    [
      'of the browser comes before one at the server that is less likely than not',
      { headers: ['set-cookie: XSRF-TOKEN=<26>'], html: '<div data-reactroot></div>' },
      'React',
    ],
    ['is none of a page that uses none', { headers: ['server: nginx'] }, null],
  ]
  for (const [title, site, framework] of cases) {
    it(title, async () => assert.equal((await sectionOf(site)).framework, framework))
  }
})

describe('unsupported software', () => {
  const cases: readonly [header: string, software: string | null][] = [
    ['x-powered-by: PHP/7.4.33', 'PHP 7.4.33 until 2022-11-28'],
    ['x-powered-by: PHP/8.1.30', 'PHP 8.1.30 until 2025-12-31'],
    ['x-powered-by: PHP/8.2.1', null],
    ['x-powered-by: PHP/8', null],
    ['x-powered-by: PHP/99.1', null],
    ['x-powered-by: PHP', null],
    ['server: Microsoft-IIS/8.5', 'Microsoft IIS 8.5 until 2023-10-10'],
    ['server: Microsoft-IIS/10.0', null],
    ['server: Apache/2.2.34', 'Apache HTTP Server 2.2.34 until 2017-12-31'],
    ['server: Apache/2.4.1', null],
    ['server: x OpenSSL/1.0.2k', 'OpenSSL 1.0.2k until 2019-12-31'],
    ['server: x OpenSSL/1.1', null],
    ['server: x OpenSSL/1.1.1w', 'OpenSSL 1.1.1w until 2023-09-11'],
    ['x-generator: Drupal 7 (http://drupal.org)', 'Drupal 7 until 2025-01-05'],
    ['x-generator: Drupal 10 (https://www.drupal.org)', null],
  ]
  for (const [header, software] of cases) {
    it(`is ${software ?? 'not'} reported for ${header}`, async () => {
      const { signals = [] } = await find({ headers: [header] })
      const told = signals.map(
        ({ evidence }) => evidence?.['software'] as { name: string; version: string; supported_until: string }[],
      )
      const said = told
        .flat()
        .map(({ name, version, supported_until }) => `${name} ${version} until ${supported_until}`)
      assert.deepEqual(said, software === null ? [] : [software])
    })
  }

  it('is reported in one signal', async () => {
    const { signals } = await find({ headers: ['server: Apache/2.2.15 PHP/5.3.3'] })
    assert.deepEqual(signals, [
      {
        id: 'unsupported_software',
        detail:
          'No longer supported by the vendor: Apache HTTP Server 2.2.15 (until 31 December 2017), PHP 5.3.3 (until 21 July 2016).',
        evidence: {
          software: [
            { name: 'Apache HTTP Server', version: '2.2.15', supported_until: '2017-12-31' },
            { name: 'PHP', version: '5.3.3', supported_until: '2016-07-21' },
          ],
        },
      },
    ])
  })
})

describe('an operator’s fingerprints', () => {
  const own = { name: 'House CMS', category: 'cms', marks: [{ in: 'header', name: 'x-house' }], implies: ['PHP'] }

  it('find technologies in addition to the built-in ones', async () => {
    const names = await namesOf({ fingerprints: [own], headers: ['x-house: 1', 'server: nginx'] })
    assert.deepEqual(names, ['nginx', 'PHP', 'House CMS'])
  })

  it('add marks to a known technology', async () => {
    const more = {
      name: 'nginx',
      category: 'cms',
      marks: [{ in: 'cookie', text: 'edge', how: 'is' }],
      implies: ['No such'],
    }
    const { technologies } = await sectionOf({ fingerprints: [more], headers: ['set-cookie: edge=1'] })
    assert.deepEqual(
      technologies?.map(({ name, category }) => [name, category]),
      [['nginx', 'web_server']],
    )
  })

  const faulty: readonly [string, unknown][] = [
    ['without marks', { name: 'x', category: 'cms' }],
    ['of no category', { ...own, category: 'thing' }],
    ['with a header that has no name', { ...own, marks: [{ in: 'header', text: 'x' }] }],
    ['with a cookie that has no text', { ...own, marks: [{ in: 'cookie' }] }],
    ['with a pattern in no place', { ...own, marks: [{ in: 'elsewhere', text: 'x' }] }],
    ['with an unknown key', { ...own, website: 'x' }],
  ]
  for (const [title, fingerprint] of faulty) {
    it(`are refused ${title}`, () => assert.rejects(find({ fingerprints: [fingerprint] })))
  }
})
