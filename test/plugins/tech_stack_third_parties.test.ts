// The hosts of others in the markup of a page, and what the page does with them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentFrom, sectionOf } from './tech_stack_site.ts'

describe('a page at example.com', () => {
  type Row = readonly [what: string, html: string, hosts: readonly string[]]
  const rows: readonly Row[] = [
    [
      'runs a script of another host',
      '<script src="https://cdn.other.example/a.js"></script>',
      ['cdn.other.example script'],
    ],
    [
      'runs a script of its own',
      '<script src="/a.js"></script><script src="https://static.example.com/b.js"></script>',
      [],
    ],
    ['runs a script of its name under another suffix', '<script src="https://static.example.net/b.js"></script>', []],
    ['frames another host', '<iframe src="https://video.other.example/1"></iframe>', ['video.other.example frame']],
    [
      'frames its name under another suffix',
      '<iframe src="https://a.example.net/1"></iframe>',
      ['a.example.net frame'],
    ],
    [
      'sends a form to another host',
      '<form action="https://list.other.example/join"><input></form>',
      ['list.other.example form'],
    ],
    ['sends a form home', '<form action="/join"><input></form>', []],
    [
      'has a style of another host',
      '<link rel=stylesheet href="//fonts.other.example/css">',
      ['fonts.other.example style'],
    ],
    [
      'has an icon of another host',
      '<link rel="shortcut icon" href="https://i.other.example/f.ico">',
      ['i.other.example file'],
    ],
    ['prepares a connection', '<link rel=preconnect href="https://fonts.other.example">', ['fonts.other.example hint']],
    ['links to another page', '<link rel=canonical href="https://b.example/"><a href="https://c.example/">c</a>', []],
    [
      'shows a picture of another host',
      '<img src="https://p.other.example/1.png" alt="">',
      ['p.other.example picture'],
    ],
    ['shows a picture that it holds', '<img src="data:image/png;base64,AAAA" alt="">', []],
    [
      'shows pictures of its base',
      '<base href="https://p.other.example/x/"><img src="1.png">',
      ['p.other.example picture'],
    ],
    [
      'uses a host for several things',
      '<link rel=dns-prefetch href="//x.example"><img src="//x.example/1.png"><script src="//x.example/a.js"></script>',
      ['x.example script picture hint'],
    ],
    [
      'uses several, those whose scripts run first',
      '<img src="//a.example/1"><link rel=stylesheet href="//b.example/1"><script src="//d.example/1"></script><script src="//c.example/1"></script>',
      ['c.example script', 'd.example script', 'b.example style', 'a.example picture'],
    ],
    ['names a port', '<script src="https://x.example:8443/a.js"></script>', ['x.example script']],
    ['names what is no host', '<script src="https://"></script><script src="ftp://x.example/a.js"></script>', []],
  ]
  for (const [what, html, hosts] of rows)
    it(`${what}: ${hosts.join(', ') || 'none'}`, async () => {
      const { third_parties, third_parties_total } = await sectionOf({ html })
      assert.deepEqual(
        third_parties?.map(({ host, uses }) => [host, ...uses].join(' ')),
        hosts,
      )
      assert.equal(third_parties_total, hosts.length)
    })

  it('says what the services of a host are for', async () => {
    const html =
      '<script src="https://www.googletagmanager.com/gtm.js?id=GTM-1"></script><script src="https://js.stripe.com/v3/"></script>' +
      '<script src="https://cdn.jsdelivr.net/npm/jquery@3.7.1/dist/jquery.min.js"></script>'
    const { third_parties } = await sectionOf({ html })
    const seen = third_parties?.map(({ host, technologies, purposes }) => [host, technologies, purposes])
    assert.deepEqual(seen, [
      ['cdn.jsdelivr.net', ['jsDelivr'], ['cdn']],
      ['js.stripe.com', ['Stripe'], ['payment']],
      ['www.googletagmanager.com', ['Google Tag Manager'], ['tag_manager']],
    ])
  })

  it('lists fifty, and counts all', async () => {
    const html = Array.from({ length: 80 }, (_, n) => `<script src="https://h${n}.other.example/a.js"></script>`).join(
      '',
    )
    const { third_parties, third_parties_total } = await sectionOf({ html })
    assert.deepEqual([third_parties?.length, third_parties_total], [50, 80])
  })

  it('is unknown where the page was not read, or nothing was found in the part that was', async () => {
    const parts = [null, { ...documentFrom('<p>Hello'), truncated: true }]
    for (const document of parts) {
      const { third_parties, third_parties_total } = await sectionOf({ evidence: { document } })
      assert.deepEqual([third_parties, third_parties_total], [null, null])
    }
  })
})
