import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCatalogue } from '../../plugins/tech_stack/catalogue.ts'
import { detect } from '../../plugins/tech_stack/detect.ts'
import type { CluePattern } from '../../plugins/tech_stack/fingerprint.ts'
import { fingerprints } from '../../plugins/tech_stack/fingerprints/fingerprints.ts'
import { namesHost } from '../../plugins/tech_stack/provenance.ts'
import { ofDocument } from '../../plugins/tech_stack/subjects.ts'
import { documentFrom, namesOf, sectionOf } from './tech_stack_site.ts'

/** The page is `https://example.com/`. */
const cases: readonly [what: string, html: string, found: readonly string[]][] = [
  ['a connection opened early', '<link rel="preconnect" href="https://connect.facebook.net">', []],
  ['a name looked up early', '<link rel="dns-prefetch" href="//connect.facebook.net">', []],
  [
    'the Facebook SDK',
    '<script src="https://connect.facebook.net/en_US/sdk.js#xfbml=1"></script>',
    ['Facebook Widgets'],
  ],
  ['the pixel', '<script src="https://connect.facebook.net/en_US/fbevents.js"></script>', ['Meta Pixel']],
  ['an SDK of anything', '<script src="/js/sdk.js"></script>', []],
  ['a WordPress script of another site', '<script src="https://other.example/wp-content/a.js"></script>', []],
  [
    'a WordPress script of the site',
    '<script src="https://cdn.example.com/wp-content/a.js"></script>',
    ['PHP', 'WordPress', 'MySQL'],
  ],
  [
    'a WordPress script under the same name elsewhere',
    '<script src="https://static.example.net/wp-content/a.js"></script>',
    ['PHP', 'WordPress', 'MySQL'],
  ],
  [
    'a WordPress script that an image proxy serves for the site',
    '<link rel="stylesheet" href="https://c0.other.net/www.example.com/wp-content/a.css">',
    ['PHP', 'WordPress', 'MySQL'],
  ],
  ['a WordPress page of another site in a frame', '<iframe src="https://other.org/wp-content/x.html"></iframe>', []],
  ['a link to a page about WordPress', '<link rel="canonical" href="https://other.org/wp-content/x.html">', []],
  [
    'the interface that WordPress announces',
    '<link rel="https://api.w.org/" href="https://example.com/wp-json/">',
    ['PHP', 'WordPress', 'MySQL'],
  ],
  ['a canonical URL that is about a library', '<link rel="canonical" href="https://example.com/jquery/3.1.0/">', []],
  ['the storage of another site', '<script src="https://s3.amazonaws.com/other/a.js"></script>', []],
  ['the framework of another site', '<script src="https://other.org/_next/static/a.js"></script>', []],
  ['a form of another site', '<form action="https://other.org/a.action;jsessionid=1"></form>', []],
  ['a start script', '<script src="/x/Bootstrap.js"></script>', []],
  ['a library on any host', '<script src="https://other.org/bootstrap.min.js"></script>', ['Bootstrap']],
  ['an attribute of anybody', '<div data-page="2"></div>', []],
]

describe('tech_stack judges evidence by its site', () => {
  for (const [what, html, found] of cases) {
    it(what, async () => assert.deepEqual(await namesOf({ html }), found))
  }

  it('is never certain from a hint alone', async () => {
    const html = `<link rel="preconnect" href="https://fonts.gstatic.com">
      <link rel="dns-prefetch" href="//fonts.googleapis.com"><link rel="preconnect" href="https://js.stripe.com">`
    const { technologies } = await sectionOf({ html })
    assert.deepEqual(
      technologies?.map(({ name, confidence }) => [name, confidence]),
      [
        ['Stripe', 25],
        ['Google Fonts', 25],
      ],
    )
  })

  it('is certain if the resource is loaded too', async () => {
    const html = `<link rel="preconnect" href="https://fonts.gstatic.com">
      <link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">`
    const { technologies } = await sectionOf({ html })
    assert.deepEqual(
      technologies?.map(({ confidence }) => confidence),
      [100],
    )
  })

  it('tells the newest version where an old copy lies beside it', async () => {
    const html = '<script src="/jquery-1.2.6.js"></script><script src="/jquery-1.10.2.js"></script>'
    assert.deepEqual(await namesOf({ html }), ['jQuery 1.10.2'])
  })

  it('names the server by its own product, not by a library of it', async () => {
    const { server } = await sectionOf({ headers: ['server: WEBrick/1.8.1 (Ruby/3.2.3/2024-01-18) OpenSSL/3.0.13'] })
    assert.equal(server, 'WEBrick')
    const unknown = await sectionOf({ headers: ['server: House/1.0 OpenSSL/3.0.13'] })
    assert.equal(unknown.server, 'House/1.0 OpenSSL/3.0.13')
  })

  it('finds Inertia.js by its response headers', async () => {
    assert.deepEqual(await namesOf({ headers: ['vary: Accept-Encoding, X-Inertia'] }), ['Inertia.js'])
  })
})

/** What a site is made with or runs on. */
const OWN: ReadonlySet<string> = new Set([
  'web_server',
  'operating_system',
  'language',
  'runtime',
  'web_framework',
  'static_site_generator',
  'cms',
  'control_panel',
  'cache',
  'hosting',
])
const catalogue = createCatalogue(fingerprints)
const byUrl = fingerprints.flatMap(({ name, category, marks }) =>
  marks.flatMap(mark => (mark.in === 'resource' || mark.in === 'file' ? [{ name, category, mark }] : [])),
)

/** A URL that the mark matches: on the mark's own host if it names one, otherwise on another site's. */
const urlWith = ({ in: place, how, text, path, version }: CluePattern): string => {
  const rest = `${text}${version ?? ''}1.2.3${path}`
  if (how === 'within') return `https://${text}/${path}`
  if (/^[^/]*\.[a-z]/i.test(text) && place === 'resource') return `https://${rest}`
  return `https://other-site.net${place === 'file' || !text.startsWith('/') ? '/' : ''}${rest}`
}
const found = (name: string, html: string) =>
  detect(catalogue, ofDocument(documentFrom(html))).find(one => one.name === name)

describe('whatever fingerprint a URL has', () => {
  it('a file of another site shows nothing that this site is made with', () => {
    const made = byUrl.filter(({ category, mark }) => OWN.has(category) && !namesHost(mark))
    const wrong = made.filter(({ name, mark }) => found(name, `<script src="${urlWith(mark)}"></script>`))
    assert.ok(made.length > 40, String(made.length))
    assert.deepEqual(
      wrong.map(({ name, mark }) => `${name}: ${mark.text}`),
      [],
    )
  })

  for (const rel of ['preconnect', 'dns-prefetch', 'prefetch']) {
    it(`a hint (${rel}) gives at most 25 percent`, () => {
      const sure = byUrl.filter(({ name, mark }) => {
        const confidence = found(name, `<link rel="${rel}" href="${urlWith(mark)}">`)?.confidence ?? 0
        return confidence > 25
      })
      assert.deepEqual(
        sure.map(({ name, mark }) => `${name}: ${mark.text}`),
        [],
      )
    })
  }

  it('a link to a page of another site shows nothing', () => {
    const wrong = byUrl.filter(({ name, mark }) => found(name, `<link rel="alternate" href="${urlWith(mark)}">`))
    assert.deepEqual(
      wrong.map(({ name, mark }) => `${name}: ${mark.text}`),
      [],
    )
  })
})
