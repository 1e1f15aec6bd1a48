import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import plugin, { checks } from '../../plugins/seo_health/index.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE, engineOf } from '../engine/engine_of.ts'
import {
  codesOf,
  entrancesOf,
  findingOf,
  link,
  meta,
  robotsOf,
  type Site,
  sectionOf,
  sitemapOf,
  sound,
  withMeta,
} from './seo_health_site.ts'

const page = (document: Site['document']): Site => ({ document })
const responses = (...given: NonNullable<Site['responses']>): Site => ({ responses: given })
const links = (...given: ReturnType<typeof link>[]): Site => page({ links: given })
const anchor = (href: string, text: string) => ({ href, text, rel: [] })
const https = 'https://example.com/'
const www = 'https://www.example.com/'
/** The sound page with one more meta element. */
const withMore = (more: ReturnType<typeof meta> & { readonly at?: 'body' | 'noscript' }) =>
  page({ metas: [...(sound.metas ?? []), more] })
const MISSING = sitemapOf({ status: 'missing', root: null })
const headed = (...levels: readonly number[]) => page({ headings: levels.map(level => ({ level, text: 'A' })) })

const ORGANIZATION = '{"@context":"https://schema.org","@type":"Organization","name":"Example"}'

describe('seo_health finds', () => {
  const cases: [says: string, site: Site, codes: string[]][] = [
    ['nothing at a sound page', {}, []],
    ['an error status', responses({ status: 500 }), ['http_error_status']],
    ['a page that asks not to be indexed', withMore(meta('robots', 'noindex')), ['noindex']],
    ['a header that asks so', responses({ headers: ['x-robots-tag: noindex'] }), ['noindex']],
    ['not what is asked of another crawler', responses({ headers: ['x-robots-tag: bingbot: noindex'] }), []],
    ['a page whose links are not to be followed', withMore(meta('robots', 'nofollow')), ['nofollow']],
    ['a page without a snippet', responses({ headers: ['x-robots-tag: max-snippet:0'] }), ['nosnippet']],
    ['a page that robots.txt forbids', { robots: robotsOf('User-agent: *\nDisallow: /') }, ['blocked_by_robots_txt']],
    ['not what is forbidden to another crawler', { robots: robotsOf('User-agent: bingbot\nDisallow: /') }, []],
    [
      'what is forbidden to the crawler that is asked for',
      { robots: robotsOf('User-agent: bingbot\nDisallow: /'), crawler: 'bingbot' },
      ['blocked_by_robots_txt'],
    ],
    ['a robots.txt that is missing', { robots: robotsOf(null, 'missing') }, ['missing_robots_txt']],
    ['not one that is refused', { robots: robotsOf(null, 'denied') }, []],
    ['not one that is unknown', { robots: robotsOf(null, 'unknown') }, []],
    ['a robots.txt that is a page', { robots: robotsOf('<!doctype html><p>Hello') }, ['robots_txt_not_text']],
    ['a robots.txt with lines that mean nothing', { robots: robotsOf('allow everything') }, ['robots_txt_faults']],
    [
      'a missing sitemap that robots.txt names',
      {
        robots: robotsOf('Sitemap: /map.xml'),
        sitemaps: [sitemapOf({ url: `${https}map.xml`, status: 'missing', root: null })],
      },
      ['missing_sitemap'],
    ],
    ['a missing sitemap', { sitemaps: [MISSING] }, ['missing_sitemap']],
    ['not one of which nothing is known', { sitemaps: [MISSING, sitemapOf({ status: 'unknown', root: null })] }, []],
    [
      'not one that robots.txt names on another site',
      {
        robots: robotsOf('Sitemap: https://cdn.example.net/sitemap.xml'),
        sitemaps: [MISSING],
      },
      [],
    ],
    ['not one that an unreadable robots.txt may name', { robots: robotsOf(null, 'denied'), sitemaps: [MISSING] }, []],
    ['not one that nobody looked for', { sitemaps: [] }, []],
    ['a sitemap that is named and missing', { sitemaps: [sitemapOf(), MISSING] }, ['broken_sitemap_reference']],
    [
      'a sitemap that is none',
      { robots: robotsOf('Sitemap: /sitemap.xml'), sitemaps: [sitemapOf({ root: null })] },
      ['invalid_sitemap'],
    ],
    ['not a sitemap with entries', { sitemaps: [sitemapOf({ content: 'entries' })] }, []],
    ['not a sitemap that was read in part', { sitemaps: [sitemapOf({ content: null })] }, []],
    ['a sitemap without entries', { sitemaps: [sitemapOf({ content: 'empty' })] }, ['empty_sitemap']],
    ['a sitemap that ends too early', { sitemaps: [sitemapOf({ content: 'incomplete' })] }, ['incomplete_sitemap']],
    ['a sitemap that is too large', { sitemaps: [sitemapOf({ content: 'oversized' })] }, ['oversized_sitemap']],
    [
      'several sitemaps with issues',
      { sitemaps: [sitemapOf({ content: 'empty' }), sitemapOf(), sitemapOf({ content: 'oversized' })] },
      ['empty_sitemap', 'oversized_sitemap'],
    ],
    [
      'a page in place of a sitemap',
      { robots: robotsOf('Sitemap: /sitemap.xml'), sitemaps: [sitemapOf({ root: 'html' })] },
      ['sitemap_is_html'],
    ],
    [
      'a page in the usual place of a sitemap that nobody has named',
      { sitemaps: [sitemapOf({ root: 'html' })] },
      ['missing_sitemap'],
    ],
    ['nothing where neither could be asked for', { crawl: null }, []],
    [
      'a page that is not encrypted',
      { ...links(link('canonical', 'http://example.com/')), ...responses({ url: 'http://example.com/' }) },
      ['not_https'],
    ],
    [
      'a way back to http',
      { ...links(), ...responses({ url: https, status: 301 }, { url: 'http://example.com/' }) },
      ['not_https', 'https_to_http', 'missing_canonical'],
    ],
    [
      'a move to www that is temporary',
      {
        ...links(link('canonical', www)),
        ...responses({ url: https, status: 302 }, { url: www }),
      },
      ['temporary_redirect_to_canonical_host'],
    ],
    [
      'not one that is permanent',
      {
        ...links(link('canonical', www)),
        ...responses({ url: https, status: 308 }, { url: www }),
      },
      [],
    ],
    [
      'not a temporary move to a language',
      { ...links(link('canonical', `${https}de`)), ...responses({ url: https, status: 302 }, { url: `${https}de` }) },
      [],
    ],
    ['a page at port 80 as well', { entrances: entrancesOf(200, 301) }, ['http_not_redirected']],
    ['a page at the other name as well', { entrances: entrancesOf(301, 200) }, ['www_not_redirected']],
    ['not entrances that are closed or refuse', { entrances: entrancesOf(null, 403) }, []],
    [
      'not the other name where the page is there',
      {
        ...links(link('canonical', www)),
        ...responses({ url: https, status: 301 }, { url: www }),
        entrances: entrancesOf(301, 200),
      },
      [],
    ],
    [
      'a chain of redirects',
      {
        ...links(link('canonical', `${https}d`)),
        ...responses(
          { url: https, status: 301 },
          { url: `${https}b`, status: 301 },
          { url: `${https}c`, status: 301 },
          { url: `${https}d` },
        ),
      },
      ['redirect_chain'],
    ],
    ['a refresh', withMore(meta('refresh', '0; url=/de')), ['meta_refresh']],
    ['a page without a canonical URL', links(), ['missing_canonical']],
    ['a canonical URL in the body', links({ ...link('canonical', '/'), at: 'body' }), ['missing_canonical']],
    ['a canonical URL in noscript', links({ ...link('canonical', '/'), at: 'noscript' }), ['missing_canonical']],
    ['a canonical URL for a medium', links({ ...link('canonical', '/'), media: 'print' }), ['missing_canonical']],
    ['a canonical URL for a language', links(link('canonical', '/', 'de')), ['missing_canonical']],
    ['a canonical URL for a type', links({ ...link('canonical', '/'), type: 'text/html' }), ['missing_canonical']],
    [
      'a second canonical URL in the body',
      links(link('canonical', https), { ...link('canonical', '/b'), at: 'body' }),
      [],
    ],
    [
      'a second canonical URL for a medium',
      links(link('canonical', https), { ...link('canonical', '/m'), media: '(max-width: 640px)' }),
      [],
    ],
    [
      'alternates in the body',
      links(link('canonical', https), { ...link('alternate', '/x', 'xx-yy'), at: 'body' }),
      [],
    ],
    ['directives in the body', withMore({ ...meta('robots', 'noindex'), at: 'body' }), []],
    ['directives in noscript', withMore({ ...meta('robots', 'noindex'), at: 'noscript' }), []],
    [
      'not where a header names it',
      { ...links(), ...responses({ headers: ['link: <https://example.com/>; rel="canonical"'] }) },
      [],
    ],
    ['a canonical URL that is none', links(link('canonical', 'https://')), ['invalid_canonical']],
    ['canonical URLs that differ', links(link('canonical', '/a'), link('canonical', '/b')), ['conflicting_canonicals']],
    ['not the same one twice', links(link('canonical', '/'), link('canonical', https)), []],
    ['not two places in one page', links(link('canonical', '/'), link('canonical', `${https}#top`)), []],
    ['a canonical URL on another site', links(link('canonical', 'https://example.net/')), ['canonical_on_other_site']],
    ['a canonical URL that is not encrypted', links(link('canonical', 'http://example.com/')), ['canonical_not_https']],
    ['a missing title', page({ title: null }), ['missing_title']],
    ['a title that a tool left', page({ title: 'React App' }), ['placeholder_title', 'title_too_short']],
    ['a title that is too short', page({ title: 'Acme' }), ['title_too_short']],
    ['no title of few wide letters', page({ title: '山田製作所' }), []],
    ['a title of many wide letters', page({ title: '山田製作所'.repeat(8) }), ['title_too_long']],
    ['a title that is too long', page({ title: 'Acme '.repeat(20) }), ['title_too_long']],
    ['not a title of ten characters, which may be wide', page({ title: '𝐀𝐜𝐦𝐞 𝐭𝐨𝐨𝐥𝐬' }), []],
    ['a missing description', page(withMeta('description', null)), ['missing_description']],
    ['a description that is too short', page(withMeta('description', 'Tools')), ['description_too_short']],
    ['no description of few wide letters', page(withMeta('description', '精密部品の加工'.repeat(4))), []],
    ['a description that is too long', page(withMeta('description', 'Tools '.repeat(50))), ['description_too_long']],
    [
      'a description that repeats the title',
      page({
        title: 'Acme makes tools for every workshop in the whole country',
        ...withMeta('description', 'ACME makes tools for every workshop in the whole country'),
      }),
      ['description_repeats_title'],
    ],
    ['several titles', page({ titles: 2 }), ['several_titles']],
    ['several descriptions', withMore(meta('description', 'Another description.')), ['several_descriptions']],
    ['a missing viewport', page(withMeta('viewport', null)), ['missing_viewport']],
    ['a viewport for no device', page(withMeta('viewport', 'user-scalable=no')), ['viewport_not_mobile']],
    ['a missing language', page({ lang: null }), ['missing_lang']],
    ['a language that is none', page({ lang: 'xx-yy' }), ['invalid_lang']],
    [
      'an alternate in no language',
      links(link('canonical', https), link('alternate', https, 'en'), link('alternate', '/jp', 'jp')),
      ['invalid_hreflang'],
    ],
    [
      'an alternate for no country',
      links(link('canonical', https), link('alternate', https, 'en-UK')),
      ['invalid_hreflang'],
    ],
    [
      'not alternates that are right',
      links(
        link('canonical', https),
        link('alternate', https, 'en-GB'),
        link('alternate', '/de', 'de'),
        link('alternate', '/zh', 'zh-Hant-TW'),
        link('alternate', '/', 'x-default'),
      ),
      [],
    ],
    [
      'alternates without the page itself',
      links(link('canonical', https), link('alternate', '/de', 'de')),
      ['hreflang_without_self'],
    ],
    ['a missing main heading', page({ headings: [{ level: 2, text: 'Tools' }] }), ['missing_h1']],
    ['a main heading without text', page({ headings: [{ level: 1, text: ' ' }] }), ['empty_h1']],
    ['several main headings', headed(1, 1), ['several_h1']],
    ['a level that is skipped', headed(1, 3), ['heading_levels_skipped']],
    [
      'links that say nothing',
      page({ anchors: [anchor(`${https}a`, ' Read  more '), anchor(`${https}b`, 'Our tools')] }),
      ['generic_link_text'],
    ],
    ['links that are scripts', page({ anchors: [anchor('JavaScript:void(0)', 'Menu')] }), ['links_not_crawlable']],
    ['images without an alternative text', page({ images: { total: 10, without_alt: 2 } }), ['images_without_alt']],
    ['not one in ten', page({ images: { total: 10, without_alt: 1 } }), []],
    ['structured data that is none', page({ json_ld: [ORGANIZATION, '{"@type":'] }), ['invalid_structured_data']],
    ['structured data that says nothing', page({ json_ld: ['{}'] }), ['meaningless_structured_data']],
    ['not structured data that was cut', page({ json_ld: [ORGANIZATION, `"${'x'.repeat(64 * 1024)}`] }), []],
    ['a page of scripts', page({ word_count: 3 }), ['little_text']],
    ['a page whose headings scripts may add', page({ word_count: 3, headings: [] }), ['missing_h1', 'little_text']],
    ['a page in an old encoding', page({ charset: 'windows-1252' }), ['not_utf8']],
    [
      'nothing missing in what was read only in part',
      page({ title: null, lang: null, metas: [], links: [], headings: [], word_count: 0, truncated: true }),
      [],
    ],
  ]
  for (const [says, site, codes] of cases) {
    it(says, () => assert.deepEqual(codesOf(site), codes))
  }

  it('every check in some case', () => {
    const found = new Set(cases.flatMap(([, , codes]) => codes))
    assert.deepEqual(
      checks.map(({ code }) => code).filter(code => !found.has(code)),
      [],
    )
  })
})

describe('the score', () => {
  it('is 100 for a good page', () => assert.equal(sectionOf({}).score, 100))

  it('is 90 without a sitemap', () => {
    const { score, issues } = sectionOf({ sitemaps: [MISSING] })
    assert.equal(score, 90)
    assert.deepEqual(issues, [
      {
        code: 'missing_sitemap',
        severity: 'warning',
        message: 'No sitemap was found at the location in robots.txt or at /sitemap.xml.',
        impact: 10,
      },
    ])
  })

  it('gives details in the issue', () => {
    assert.equal(
      sectionOf(responses({ status: 404 })).issues?.[0]?.message,
      'The page returns an error status (status 404).',
    )
  })

  it('says how wide characters count', () => {
    const [issue] = sectionOf(page({ title: '山田製作所'.repeat(8) })).issues ?? []
    assert.match(issue?.message ?? '', /\(40 characters, as wide as 80 letters\)\.$/)
  })

  it('does not report a missing heading that scripts may add', () => {
    const drawn = page({ word_count: 3, headings: [], scripts: [{ src: '/app.js', type: 'module', integrity: false }] })
    const { issues } = sectionOf(drawn)
    assert.deepEqual(
      issues?.map(({ code, message }) => [code, message]),
      [
        ['missing_h1', 'The page has no main heading (before scripts run).'],
        ['little_text', 'Without scripts the page has fewer than 50 words (3 words).'],
      ],
    )
  })

  it('is never below zero', () => {
    const { score, issues } = sectionOf({
      document: { metas: [meta('robots', 'noindex')], title: null, lang: null, headings: [], links: [], text: '' },
      responses: [{ url: 'http://example.com/', status: 500 }],
      robots: robotsOf('User-agent: *\nDisallow: /'),
    })
    assert.ok((issues ?? []).reduce((sum, { impact }) => sum + impact, 0) > 100)
    assert.equal(score, 0)
  })

  it('is the same whether robots.txt is refused or valid', () => {
    const scores = [robotsOf(null, 'denied'), robotsOf('')].map(robots => sectionOf({ robots }).score)
    assert.deepEqual(scores, [100, 100])
  })

  const silent = (failure: string) => ({ url: 'http://example.com/', status: null, failure, location: null })
  const unseen: [what: string, site: Site, reason: string][] = [
    ['robots.txt is reset', { robots: { ...robotsOf(null, 'unknown'), reason: 'reset' } }, 'robots_txt_reset'],
    ['robots.txt fails', { robots: { ...robotsOf(null, 'unknown'), reason: 'status_503' } }, 'robots_txt_status_503'],
    [
      'the sitemap is reset',
      { sitemaps: [sitemapOf({ status: 'unknown', reason: 'reset', root: null })] },
      'sitemap_reset',
    ],
    [
      'one of two sitemaps is silent',
      { sitemaps: [sitemapOf(), sitemapOf({ status: 'unknown', reason: 'timeout', root: null })] },
      'sitemap_timeout',
    ],
    ['neither could be requested', { crawl: null }, 'no_crawl_files'],
    ['plain HTTP is reset', { entrances: { http: silent('reset'), www: null } }, 'plain_http_reset'],
    [
      'the other name is silent',
      { entrances: { ...entrancesOf(301, 301), www: silent('connect_timeout') } },
      'other_host_connect_timeout',
    ],
    ['no entrance could be requested', { entrances: null }, 'entrances_no_response'],
    ['the end of the page was not read', page({ truncated: true }), 'page_too_large'],
  ]
  for (const [what, site, reason] of unseen) {
    it(`is unknown, with the reason, if ${what}`, () => {
      const finding = findingOf(site)
      assert.ok('section' in finding)
      assert.deepEqual([finding.section.score, finding.section.issues, finding.unknown], [null, null, reason])
    })
  }

  it('is known if plain HTTP is closed and the other name does not exist', () => {
    const entrances = { http: silent('refused'), www: silent('not_found') }
    const finding = findingOf({ entrances })
    assert.ok('section' in finding)
    assert.deepEqual([finding.section.score, finding.unknown], [100, null])
  })

  it('is unknown also beside issues, which are listed', () => {
    const { score, issues } = sectionOf({ crawl: null, ...page({ title: null }) })
    assert.deepEqual([score, issues?.map(({ code }) => code)], [null, ['missing_title']])
  })
})

describe('the section', () => {
  it('shows the facts', () => {
    const { evaluated_url, redirects, issues, ...section } = sectionOf({
      responses: [
        { url: 'http://example.com/', status: 301 },
        { url: https, headers: ['x-robots-tag: noarchive'] },
      ],
      document: {
        json_ld: [
          '{"@context":"https://schema.org","@graph":[{"@type":"WebSite"},{"@type":["Store","Organization"]}]}',
        ],
        images: { total: 2, without_alt: 0 },
        anchors: [anchor(`${https}a`, 'here')],
      },
      robots: robotsOf('User-agent: *\nAllow: /\nDisallow: /private'),
      sitemaps: [sitemapOf({ url: `${https}sitemap.xml.gz`, root: 'sitemapindex', gzip: true })],
    })
    assert.deepEqual(section, {
      status_code: 200,
      served_as: 'page',
      recognised_by: null,
      blocked: false,
      score: 98,
      indexable: true,
      directives: ['noarchive'],
      robots_txt: { status: 'found', reason: null, crawler: 'Googlebot', allows_page: true, rule: 'Allow: /' },
      sitemaps: [{ url: `${https}sitemap.xml.gz`, status: 'found', root: 'sitemapindex', gzip: true }],
      canonical: { url: https, points_to: 'itself' },
      hreflang: [],
      title_count: null,
      title_length: 30,
      description_count: 1,
      description_length: 79,
      lang: 'en-GB',
      viewport: 'width=device-width, initial-scale=1',
      h1_count: 1,
      word_count: 80,
      images: { total: 2, without_alt: 0 },
      links: { total: 1, generic_text: 1, not_crawlable: 0 },
      structured_data: { blocks: 1, invalid: 0, meaningless: 0, types: ['WebSite', 'Store', 'Organization'] },
    })
  })

  const indexable: [says: string, site: Site, is: boolean | null][] = [
    ['without a robots.txt', { robots: robotsOf(null, 'missing') }, true],
    ['when nobody knows what robots.txt says', { robots: robotsOf(null, 'unknown') }, null],
    ['when robots.txt could not be asked for', { crawl: null }, null],
    [
      'not when the page says no, whatever robots.txt says',
      { crawl: null, ...responses({ headers: ['x-robots-tag: none'] }) },
      false,
    ],
    ['not when robots.txt says no', { robots: robotsOf('User-agent: *\nDisallow: /') }, false],
    ['not with an error status', responses({ status: 410 }), false],
  ]
  for (const [says, site, is] of indexable) {
    it(`says whether the page may be indexed: ${says}`, () => assert.equal(sectionOf(site).indexable, is))
  }

  const inPlace = [
    ['block', { unavailable: 'page_withheld' }],
    ['challenge', { unavailable: 'page_withheld' }],
    ['login_wall', { unavailable: 'page_withheld' }],
    ['parking', { notApplicable: 'parked_page' }],
    ['soft_404', { notApplicable: 'missing_page' }],
  ] as const
  for (const [kind, finding] of inPlace) {
    it(`does not grade a response in place of the page: ${kind}`, () => {
      assert.deepEqual(findingOf({ kind, document: { title: null } }), finding)
    })
  }

  it('does not grade a redirect that was not followed', () => {
    assert.deepEqual(findingOf(responses({ status: 302 })), { notApplicable: 'redirecting_page' })
  })

  it('does not apply to what is not HTML', () => {
    assert.deepEqual(findingOf(page({ is_html: false })), { notApplicable: 'not_html' })
  })

  it('is unavailable without a document', () => {
    assert.deepEqual(findingOf({ document: null }), { unavailable: 'no_document' })
  })

  it('does not apply if nothing answers', () => {
    const refused = { exchanges: [], failure: 'refused', stopped: null, stopped_at: null }
    const evidence = {
      page: refused,
      served: describeServed(refused, null),
      document: null,
      crawl_files: null,
      entrances: null,
    }
    const context = { target: EXAMPLE, options: { crawler: 'Googlebot' }, now: new Date(0), missing: {} }
    assert.deepEqual(plugin.analyze(evidence, context), { notApplicable: 'refused', signals: [] })
  })

  it('is accepted by the engine, with the crawler as configured by default', async () => {
    const visited = pageOf({})
    const document = documentOf(sound)
    const evidence = {
      page: visited,
      document,
      served: describeServed(visited, document),
      crawl_files: { robots: robotsOf(''), sitemaps: [sitemapOf()] },
      entrances: entrancesOf(301, 301),
    }
    const { result } = await engineOf([plugin], { evidence }).check(EXAMPLE)
    const section = result['seo_health'] as { score: number; robots_txt: { crawler: string } }
    assert.deepEqual([section.score, section.robots_txt.crawler], [100, 'Googlebot'])
    assert.equal(result['risk_score'], 0)
  })
})

describe('the documentation', () => {
  it('lists every check as in the code', () => {
    const text = readFileSync(join(import.meta.dirname, '../../plugins/seo_health/README.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `(\w+)` +\| (error|warning|info) +\| (\d+) +\| (.*?) +\|$/gm)]
    assert.deepEqual(
      rows.map(([, code, severity, impact, message]) => ({ code, severity, impact: Number(impact), message })),
      checks.map(({ code, severity, impact, message }) => ({ code, severity, impact, message })),
    )
  })

  it('uses each code for one check only', () => {
    assert.equal(new Set(checks.map(({ code }) => code)).size, checks.length)
  })
})

describe('a block of JSON-LD', () => {
  const CONTEXT = '"@context":"https://schema.org"'
  const rows: readonly (readonly [what: string, block: string, found: 'sound' | 'meaningless' | 'invalid'])[] = [
    ['with context and type', ORGANIZATION, 'sound'],
    ['with the older name of the context', '{"@context":"http://schema.org/","@type":"Person"}', 'sound'],
    ['with the name of another host', '{"@context":"https://www.schema.org","@type":"Person"}', 'sound'],
    ['with the scheme of the page', '{"@context":"//schema.org","@type":"Person"}', 'sound'],
    [
      'with the file of the context',
      '{"@context":"https://schema.org/docs/jsonldcontext.json","@type":"Person"}',
      'sound',
    ],
    ['with a vocabulary', '{"@context":{"@vocab":"https://schema.org/"},"@type":"Person"}', 'sound'],
    [
      'with several contexts',
      '{"@context":["https://schema.org",{"x":"https://x.example/"}],"@type":"Person"}',
      'sound',
    ],
    ['with a graph', `{${CONTEXT},"@graph":[{"@type":"WebSite"},{"@type":"WebPage"}]}`, 'sound'],
    ['with a graph of one', `{${CONTEXT},"@graph":{"@type":"WebSite"}}`, 'sound'],
    ['that is a list', `[{${CONTEXT},"@type":"Person"},{${CONTEXT},"@type":"Event"}]`, 'sound'],
    ['with several types', `{${CONTEXT},"@type":["Store","Organization"]}`, 'sound'],
    ['without a context', '{"@type":"Organization"}', 'meaningless'],
    ['with another context', '{"@context":"https://www.w3.org/ns/activitystreams","@type":"Person"}', 'meaningless'],
    [
      'with a context that only looks like it',
      '{"@context":"https://schema.org.evil.example","@type":"Person"}',
      'meaningless',
    ],
    ['without a type', `{${CONTEXT},"name":"Example"}`, 'meaningless'],
    ['with a type that is no name', `{${CONTEXT},"@type":"<b>"}`, 'meaningless'],
    ['with a graph without types', `{${CONTEXT},"@graph":[{"name":"Example"}]}`, 'meaningless'],
    ['that is a list whose context is beside it', `[{${CONTEXT}},{"@type":"Person"}]`, 'meaningless'],
    ['that is empty', '{}', 'meaningless'],
    ['that is a word', '"Organization"', 'meaningless'],
    ['that is null', 'null', 'meaningless'],
    ['that is cut', '{"@context":', 'invalid'],
    ['that is a script', 'var a = {}', 'invalid'],
  ]
  for (const [what, block, found] of rows)
    it(`${what} is ${found}`, () => {
      const codes = { sound: [], meaningless: ['meaningless_structured_data'], invalid: ['invalid_structured_data'] }
      assert.deepEqual(codesOf(page({ json_ld: [block] })), codes[found])
    })
})
