// The icon of a site: which file it is, and what is none.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import type { Icon } from '../../src/evidence/icon/facts.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabResponse, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const HERE = '93.184.216.34'
const authority = createAuthority()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const PNG = '\u0089PNG one'

interface Case {
  readonly what: string
  readonly head?: string
  readonly files?: Readonly<Record<string, LabResponse>>
  readonly icon: Omit<Icon, 'requests'>
  /** Requests besides that for the page. */
  readonly asked: readonly string[]
}

const at = (path: string) => `https://a.example${path}`
const image = (body: string | Buffer): LabResponse => ({ body, headers: [['Content-Type', 'image/png']] })
const found = (url: string | null, text: string) =>
  ({ url, status: 'found', reason: null, sha256: sha256(text) }) as const

const cases: readonly Case[] = [
  {
    what: '/favicon.ico where the page declares none',
    files: { '/favicon.ico': image(PNG) },
    icon: found(at('/favicon.ico'), PNG),
    asked: ['/favicon.ico'],
  },
  {
    what: 'the first that the page declares',
    head: '<link rel=stylesheet href=a.css><link rel="shortcut icon" href=img/i.png><link rel=icon href=b.png>',
    files: { '/img/i.png': image(PNG), '/favicon.ico': image('other') },
    icon: found(at('/img/i.png'), PNG),
    asked: ['/img/i.png'],
  },
  {
    what: 'in the page',
    head: `<link rel=icon href="data:image/png;base64,${Buffer.from('png').toString('base64')}">`,
    icon: found(null, 'png'),
    asked: [],
  },
  {
    what: 'SVG in the page',
    head: '<link rel=icon href="data:image/svg+xml,%3Csvg/%3E">',
    icon: found(null, '<svg/>'),
    asked: [],
  },
  {
    what: 'missing',
    icon: { url: at('/favicon.ico'), status: 'missing', reason: null, sha256: null },
    asked: ['/favicon.ico'],
  },
  {
    what: 'a page in place of an image',
    files: { '/favicon.ico': { body: '<!doctype html><title>Not found</title>' } },
    icon: { url: at('/favicon.ico'), status: 'missing', reason: 'not_an_image', sha256: null },
    asked: ['/favicon.ico'],
  },
  {
    what: 'too large to be seen whole',
    files: { '/favicon.ico': image(Buffer.alloc(300 * 1024, 1)) },
    icon: { url: at('/favicon.ico'), status: 'unknown', reason: 'too_large', sha256: null },
    asked: ['/favicon.ico'],
  },
  {
    what: 'of another site, which is not asked',
    head: '<link rel=icon href="https://brand.example/favicon.ico">',
    icon: { url: 'https://brand.example/favicon.ico', status: 'unknown', reason: 'other_site', sha256: null },
    asked: [],
  },
]

describe('the icon of a site', () => {
  let web: LabWeb
  let dns: LabDns
  let answers: Readonly<Record<string, LabResponse>> = {}
  before(async () => {
    web = await startLabWeb([
      {
        host: 'a.example',
        addresses: [HERE],
        credentials: authority.issue({ names: ['a.example'] }),
        https: ({ url }) => answers[url] ?? { status: 404, body: 'x' },
      },
    ])
    dns = await startLabDns({ zones: { 'a.example': { A: [HERE] } } })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  for (const { what, head = '', files = {}, icon, asked } of cases) {
    it(`is ${what}`, async () => {
      const headers = [['Content-Type', 'text/html']] as const
      answers = {
        '/': { headers, body: `<!doctype html><html><head>${head}</head><body>Text</body></html>` },
        ...files,
      }
      web.seen.requests.length = 0
      const check = startVisit(web, dns, domainTarget('a.example'))
      const seen = await outcome(check.gather('icon'))
      check.end()
      assert.ok(typeof seen === 'object', String(seen))
      const { requests, ...rest } = seen
      assert.deepEqual(rest, icon)
      assert.deepEqual(
        web.seen.requests.map(({ url }) => url).filter(url => url !== '/'),
        asked,
      )
      assert.deepEqual(
        requests.map(({ url, purpose }) => [url, purpose]),
        asked.map(path => [at(path), 'icon']),
      )
    })
  }
})

/** Answers the icon never; over HTTP/2. */
describe('an icon that nothing else is waited for with', () => {
  let web: LabWeb
  let dns: LabDns
  let head = ''
  before(async () => {
    web = await startLabWeb([
      {
        host: 'a.example',
        addresses: [HERE],
        credentials: authority.issue({ names: ['a.example'] }),
        protocols: ['h2'],
        https: ({ url }) =>
          url === '/late.png'
            ? new Promise(() => {})
            : { headers: [['Content-Type', url === '/' ? 'text/html' : 'image/png']], body: url === '/' ? head : PNG },
      },
    ])
    dns = await startLabDns({ zones: { 'a.example': { A: [HERE] } } })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  const table: [what: string, page: string, status: string, reason: string | null][] = [
    ['is found where it was requested beside the page', 'x', 'found', null],
    [
      'is given up where the page declares it and the rest is in',
      '<link rel=icon href=late.png>',
      'unknown',
      'timeout',
    ],
  ]
  for (const [what, page, status, reason] of table) {
    it(what, async () => {
      head = page
      const check = startVisit(web, dns, domainTarget('a.example'), {
        rest: Promise.resolve(),
        extra_roots: authority.certificate,
      })
      const seen = await outcome(check.gather('icon'))
      check.end()
      assert.ok(typeof seen === 'object', String(seen))
      assert.deepEqual([seen.status, seen.reason], [status, reason])
    })
  }
})

describe('an icon whose path begins like the name of another host', () => {
  it('is requested of the site alone, also by the next check', async t => {
    const web = await startLabWeb([
      {
        host: 'b.example',
        addresses: [HERE],
        credentials: authority.issue({ names: ['b.example'] }),
        protocols: ['h2'],
        https: ({ url }) =>
          url === '/'
            ? {
                headers: [['Content-Type', 'text/html']],
                body: '<link rel=icon href="https://b.example//c.example/i.png">',
              }
            : image(PNG),
      },
    ])
    const dns = await startLabDns({ zones: { 'b.example': { A: [HERE] } } })
    t.after(() => Promise.all([web.close(), dns.close()]))
    for (const earlier of [['/favicon.ico'], []]) {
      web.seen.requests.length = 0
      const check = startVisit(web, dns, domainTarget('b.example'), { extra_roots: authority.certificate })
      const seen = await outcome(check.gather('icon'))
      check.end()
      assert.ok(typeof seen === 'object', String(seen))
      assert.deepEqual([seen.url, seen.status], ['https://b.example//c.example/i.png', 'found'])
      assert.deepEqual(
        web.seen.requests.map(({ url }) => url),
        ['/', ...earlier, '//c.example/i.png'],
      )
    }
  })
})

describe('the structure of a page', () => {
  const structureOf = (markup: string, isCut = false) => {
    const parser = createPageParser('https://a.example/', 'text/html')
    parser.write(Buffer.from(markup))
    return parser.end(isCut).structure
  }
  const page =
    '<html><body class=a><form><input type=EMAIL name=x><input type=password><button>Go</button></form></body></html>'
  const structure = sha256('html\nbody\nform\ninput email\ninput password\nbutton \n')

  for (const [what, markup, expected] of [
    ['is made of the names of elements and the types of fields', page, structure],
    [
      'does not depend on texts, names and classes',
      page.replace('class=a', 'class=b').replace('=x', '=y').replace('Go', 'Los'),
      structure,
    ],
    ['leaves out comments', page.replace('<form>', '<form><!-- x -->'), structure],
    [
      'tells one element more',
      page.replace('<form>', '<p><form>'),
      sha256('html\nbody\np\nform\ninput email\ninput password\nbutton \n'),
    ],
  ] as const)
    it(what, () => assert.equal(structureOf(markup), expected))

  it('is the same however the page arrives, and unknown of one that was cut', () => {
    const long = `${page}${'<div><p>'.repeat(3_000)}`
    assert.equal(
      structureOf(long),
      sha256(`html\nbody\nform\ninput email\ninput password\nbutton \n${'div\np\n'.repeat(3_000)}`),
    )
    assert.equal(structureOf(page, true), null)
  })
})
