import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { CrawlFiles } from '../../src/evidence/crawl_files/facts.ts'
import { robotsText, sitemapsNamed } from '../../src/evidence/crawl_files/robots_text.ts'
import { contentOf, createSitemapReader, rootOf } from '../../src/evidence/crawl_files/sitemap.ts'
import type { Flow, ResponseHead } from '../../src/network/http.ts'
import type { Limits } from '../../src/network/limits.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { close, request, requests, send, wait, waitingOnSocket } from '../../src/testing/lab_script.ts'
import { type LabResponse, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { assertCheap } from '../cpu.ts'
import { domainTarget } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const here = '93.184.216.34'
const urlset = '<?xml version="1.0"?>\n<!-- made -->\n<urlset xmlns="x"><url/></urlset>'
const authority = createAuthority()

describe('the crawl files of a site', () => {
  let web: LabWeb
  let dns: LabDns
  /** The site's responses by path; others get the page. */
  let paths: Record<string, LabResponse> = {}
  before(async () => {
    web = await startLabWeb([
      {
        host: 'a.example',
        addresses: [here],
        credentials: authority.issue({ names: ['a.example'] }),
        https: ({ url }) => paths[url] ?? { status: url === '/' ? 200 : 404, body: 'x' },
      },
    ])
    dns = await startLabDns({ zones: { 'a.example': { A: [here] }, 'odd.example': { A: ['192.88.1.1'] } } })
  })
  afterEach(() => web.place('192.88.1.1', 80, 'refused'))
  after(async () => {
    await web.close()
    await dns.close()
  })

  /** Without the requests. */
  async function see(...given: Parameters<typeof seeAll>): Promise<CrawlFiles | string> {
    const files = await seeAll(...given)
    if (typeof files === 'string') return files
    const { requests: _, ...seen } = files
    return seen
  }

  async function seeAll(
    answers: Record<string, LabResponse>,
    domain = 'a.example',
    limits: Partial<Limits> = {},
  ): Promise<CrawlFiles | string> {
    paths = answers
    web.seen.connections.length = 0
    web.seen.requests.length = 0
    const check = startVisit(web, dns, domainTarget(domain), { limits })
    const [files] = await Promise.all([outcome(check.gather('crawl_files')), outcome(check.gather('page'))])
    check.end()
    return files
  }
  const file = (path: string, status = 'found', reason: string | null = null) => ({
    url: `https://a.example${path}`,
    status,
    reason,
  })
  /** Both files of odd.example, found. */
  const odd = (text: string, content: string) => {
    const found = (path: string) => ({ url: `http://odd.example/${path}`, status: 'found', reason: null })
    return {
      robots: { ...found('robots.txt'), text },
      sitemaps: [{ ...found('sitemap.xml'), root: 'urlset', gzip: false, content }],
    }
  }
  const robots = (body: string | Buffer, more: Partial<LabResponse> = {}) => ({ '/robots.txt': { body, ...more } })

  it('use the page’s connection; robots.txt does not wait for the page', async () => {
    const seen = await see({ ...robots('User-agent: *\nDisallow: /x\n'), '/sitemap.xml': { body: urlset } })
    assert.deepEqual(seen, {
      robots: { ...file('/robots.txt'), text: 'User-agent: *\nDisallow: /x\n' },
      sitemaps: [{ ...file('/sitemap.xml'), root: 'urlset', gzip: false, content: 'empty' }],
    })
    assert.deepEqual(web.seen.connections, [`${here}:443`])
    assert.deepEqual(
      web.seen.requests.map(({ url }) => url),
      ['/', '/robots.txt', '/sitemap.xml'],
    )
  })

  it('have every answered request, redirects included, and no connection of their own', async () => {
    const to = (location: string) => ({ status: 302, headers: [['Location', location] as const] })
    const seen = await seeAll({ '/robots.txt': to('/r'), '/r': { body: 'Sitemap: /s' }, '/s': { status: 404 } })
    assert.deepEqual(
      typeof seen === 'object' && seen.requests?.map(({ url, status, connect_ms }) => [url, status, connect_ms]),
      [
        ['https://a.example/robots.txt', 302, null],
        ['https://a.example/r', 200, null],
        ['https://a.example/s', 404, null],
      ],
    )
  })

  const statuses: [status: number, told: string, reason: string | null][] = [
    [404, 'missing', null],
    [410, 'missing', null],
    [401, 'denied', null],
    [403, 'denied', null],
    [429, 'unknown', 'status_429'],
    [503, 'unknown', 'status_503'],
  ]
  for (const [status, told, reason] of statuses) {
    it(`are ${told} for the response ${status}`, async () => {
      const seen = await see({ ...robots('x', { status }), '/sitemap.xml': { status } })
      assert.deepEqual(seen, {
        robots: { ...file('/robots.txt', told, reason), text: null },
        sitemaps: [{ ...file('/sitemap.xml', told, reason), root: null, gzip: false, content: null }],
      })
    })
  }

  it('are found behind redirects, and unknown if those lead nowhere', async () => {
    const to = (location: string) => ({ status: 302, headers: [['Location', location] as const] })
    const seen = await see({ '/robots.txt': to('/r'), '/r': { body: 'Sitemap: /s' }, '/s': to('http://10.0.0.1/') })
    assert.deepEqual(seen, {
      robots: { ...file('/robots.txt'), text: 'Sitemap: /s' },
      sitemaps: [{ ...file('/s', 'unknown', 'redirect_to_non_public'), root: null, gzip: false, content: null }],
    })
  })

  it('are cut at their limits', async () => {
    const seen = await see(robots('#'.repeat(600 * 1024)))
    assert.equal(web.seen.requests.filter(({ url }) => url === '/robots.txt').length, 1)
    assert.equal(typeof seen === 'object' && seen.robots.text?.length, 16_664)
    const long = await see(robots(`${'#'.repeat(99)}\n`.repeat(6_000)))
    assert.equal(typeof long === 'object' && long.robots.text?.length, 500 * 1024)
  })

  it('name at most three sitemaps of their own site, which may be compressed', async () => {
    const lines = [1, 2, 3, 4].map(n => `sitemap: https://a.example/${n}.xml.gz`)
    const text = ['Sitemap: https://b.example/off.xml', 'Sitemap: http://127.0.0.1/', ...lines].join('\n')
    const packed = { body: gzipSync(urlset), headers: [['Content-Type', 'application/gzip'] as const] }
    const seen = await see({ ...robots(text), '/1.xml.gz': packed, '/2.xml.gz': { body: 'https://a.example/x\n' } })
    assert.deepEqual(typeof seen === 'object' && seen.sitemaps, [
      { ...file('/1.xml.gz'), root: 'urlset', gzip: true, content: 'empty' },
      { ...file('/2.xml.gz'), root: 'text', gzip: false, content: null },
      { ...file('/3.xml.gz', 'missing'), root: null, gzip: false, content: null },
    ])
    // The customary sitemap is not requested, because robots.txt names others.
    assert.equal(web.seen.requests.length, 5)
  })

  const elsewhere = ['http://a.example:22/x', 'https://a.example:6379/', 'ftp://a.example/', 'foo://a.example/']
  for (const url of [...elsewhere, 'https://user:secret@a.example/x']) {
    it(`are not requested at ${url}`, async () => {
      const seen = await see(robots(`Sitemap: ${url}`))
      const told = typeof seen === 'object' && seen.sitemaps.map(({ status, reason }) => [status, reason])
      assert.deepEqual(told, [['unknown', 'malformed_url']])
      assert.deepEqual(web.seen.connections, [`${here}:443`])
    })
  }

  it('are requested again when the server closes the connection after the page', async () => {
    const answer = (body: string) =>
      send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`)
    await web.script('192.88.1.1', 80, [request(), answer('<urlset>'), close()])
    const seen = await see({}, 'odd.example')
    assert.deepEqual(seen, odd('<urlset>', 'incomplete'))
  })

  const response = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const fake = response('User-agent: *\nDisallow: /\n')
  const genuine: Readonly<Record<string, string>> = {
    '/': response('<title>x</title>'),
    '/robots.txt': response('User-agent: *\nAllow: /\n'),
    '/sitemap.xml': response(urlset),
  }
  /** Answers each path after so many milliseconds, or never; notes what is requested. */
  const slowly = (pauses: Readonly<Record<string, number>>, asked: string[]) =>
    waitingOnSocket(async (path, socket) => {
      asked.push(path)
      const ms = pauses[path]
      if (ms === undefined) return
      await new Promise<void>(resolve => setTimeout(resolve, ms).unref())
      if (socket.writable) socket.write(genuine[path] ?? '')
    })
  const slow: [title: string, pauses: Readonly<Record<string, number>>, asked: string[], told: string][] = [
    [
      'come from a server that looks for requests on the socket only',
      { '/': 20, '/robots.txt': 20, '/sitemap.xml': 20 },
      ['/', '/robots.txt', '/sitemap.xml'],
      'found null found null',
    ],
    [
      'are unknown and not requested again when the server does not answer',
      { '/': 0 },
      ['/', '/robots.txt'],
      'unknown timeout unknown timeout',
    ],
    [
      'are kept as far as they came',
      { '/': 0, '/robots.txt': 0 },
      ['/', '/robots.txt', '/sitemap.xml'],
      'found null unknown timeout',
    ],
    [
      'are not waited for when they take much longer than the page',
      { '/': 0, '/robots.txt': 8_000, '/sitemap.xml': 0 },
      ['/', '/robots.txt'],
      'unknown timeout unknown timeout',
    ],
  ]
  for (const [title, pauses, expected, told] of slow) {
    it(title, async () => {
      const asked: string[] = []
      await web.script('192.88.1.1', 80, [slowly(pauses, asked), wait(9_000)])
      const seen = await see({}, 'odd.example')
      if (typeof seen === 'string') throw new Error(seen)
      const [sitemap] = seen.sitemaps
      assert.equal(
        [seen.robots.status, seen.robots.reason, sitemap?.status, sitemap?.reason].map(String).join(' '),
        told,
      )
      assert.deepEqual(asked, expected)
    })
  }

  const parts: [title: string, robots: string, sitemap: string, told: unknown[]][] = [
    [
      'unknown when they stop in the middle',
      'User-agent: *\nDisallow: /',
      '',
      ['unknown', 'timeout', null, 'unknown', 'timeout', null],
    ],
    [
      'found when a sitemap stops behind its root',
      '',
      '<urlset>',
      ['unknown', 'timeout', null, 'found', null, 'urlset'],
    ],
  ]
  for (const [title, robots, sitemap, told] of parts) {
    it(`are ${title}`, async () => {
      const answers: Record<string, string> = { '/robots.txt': robots, '/sitemap.xml': sitemap }
      const answer = requests((path, socket) => {
        const [length, body] = path === '/' ? [1, 'x'] : [99, answers[path] ?? '']
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`)
      })
      await web.script('192.88.1.1', 80, [answer, wait(9_000)])
      const seen = await see({}, 'odd.example', { robots_ms: 200, sitemap_ms: 200 })
      if (typeof seen === 'string') throw new Error(seen)
      const [map] = seen.sitemaps
      assert.deepEqual(
        [seen.robots.status, seen.robots.reason, seen.robots.text, map?.status, map?.reason, map?.root],
        told,
      )
    })
  }

  it('are found after 100 responses, also behind a redirect', async () => {
    const answer = (path: string) => {
      const [status, body] = path === '/' ? ['302 Found\r\nLocation: /home', ''] : ['200 OK', '<urlset>']
      return `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ${status}\r\nContent-Length: ${body?.length}\r\n\r\n${body}`
    }
    await web.script('192.88.1.1', 80, [requests((path, socket) => void socket.write(answer(path))), wait(9_000)])
    assert.deepEqual(await see({}, 'odd.example'), odd('<urlset>', 'incomplete'))
  })

  const answering: [title: string, answer: (path: string, socket: Socket) => void][] = [
    ['goes on to answer what it is asked', (path, socket) => socket.write(genuine[path] + (path === '/' ? fake : ''))],
    [
      'answers no more on that connection',
      (path, socket) => (path === '/' ? socket.end(genuine[path] + fake) : socket.write(genuine[path] ?? '')),
    ],
  ]
  for (const [title, answer] of answering) {
    it(`are requested again after an unrequested response, and ${title}`, async () => {
      await web.script('192.88.1.1', 80, [requests(answer), wait(9_000)])
      assert.deepEqual(await see({}, 'odd.example'), odd('User-agent: *\nAllow: /\n', 'empty'))
    })
  }

  it('are unavailable when the page failed on our side', async () => {
    await web.script('192.88.1.1', 80, [request(), wait(9_000)])
    assert.equal(await see({}, 'odd.example', { headers_ms: 50 }), 'Unavailable: timeout')
  })

  it('are not requested without a page', async () => {
    assert.equal(await see({}, 'odd.example'), 'NotApplicable: no_response')
  })
})

describe('the text of a robots.txt', () => {
  const table: [title: string, octets: Buffer, text: string][] = [
    ['keeps lines apart however they end', Buffer.from('a\rb\r\nc\nd'), 'a\nb\nc\nd'],
    ['loses its byte order mark', Buffer.from('\ufeffUser-agent: *'), 'User-agent: *'],
    ['loses control characters', Buffer.from('a\0b\u001bc\td'), 'abc\td'],
    ['replaces what is not UTF-8', Buffer.from([0x61, 0xe9, 0x62]), 'a\ufffdb'],
    ['may be empty', Buffer.alloc(0), ''],
  ]
  for (const [title, octets, text] of table) it(title, () => assert.equal(robotsText(octets), text))

  it('is read quickly for any octets and any number of sitemaps', () => {
    const read = (octets: Buffer) => sitemapsNamed(robotsText(octets), 'https://a.example')
    const lines = Buffer.from('Sitemap: https://off.example/x\n'.repeat(16_000))
    assert.deepEqual(read(lines), [])
    assertCheap(() => read(lines))
    assertCheap(() => read(Buffer.from(' '.repeat(500 * 1024))))
    const late = (before: number) =>
      Buffer.from(`${'Sitemap: https://off.example/x\n'.repeat(before)}Sitemap: /late.xml`)
    assert.deepEqual([read(late(99)).length, read(late(100)).length], [1, 0])
    fc.assert(fc.property(fc.uint8Array(), octets => void read(Buffer.from(octets))))
  })
})

describe('the content of a sitemap', () => {
  const MIB = 1024 * 1024
  const open = '<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
  const entry = '<url><loc>https://a.example/</loc></url>'
  const one = `${open}${entry}</urlset>\n`
  const index = '<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>'

  const many = `${open}${Array.from({ length: 5_000 }, (_, n) => entry.replace('/<', `/${n * 7_919}<`)).join('')}</urlset>`

  interface Given {
    readonly body: string | Buffer
    readonly headers?: readonly (readonly [string, string])[]
    readonly truncated?: string
    /** Octets of a chunk. */
    readonly chunk?: number
  }
  const rows: readonly (readonly [what: string, given: Given, content: string | null])[] = [
    ['entries', { body: one }, 'entries'],
    ['entries of an index', { body: index }, 'entries'],
    ['entries with a prefix', { body: '<s:urlset><s:url><s:loc>x</s:loc></s:url></s:urlset>' }, 'entries'],
    ['entries before a comment', { body: `${one}<!-- made at noon -->\n` }, 'entries'],
    ['entries in chunks of one octet', { body: one, chunk: 1 }, 'entries'],
    ['entries, compressed', { body: gzipSync(one) }, 'entries'],
    ['no entry', { body: `${open}</urlset>` }, 'empty'],
    ['no entry of an index', { body: '<sitemapindex></sitemapindex >' }, 'empty'],
    ['a root that ends at once', { body: '<urlset xmlns="x" />' }, 'empty'],
    ['entries without locations', { body: `${open}<url/></urlset>` }, 'empty'],
    ['no entry, compressed', { body: gzipSync(`${open}</urlset>`) }, 'empty'],
    ['no end', { body: `${open}${entry}` }, 'incomplete'],
    ['an end within an entry', { body: `${open}${entry}<url><loc>https://a.exa` }, 'incomplete'],
    ['an end within the end of the root', { body: one.slice(0, -4) }, 'incomplete'],
    ['text behind the root', { body: `${one}<b>Warning</b>: memory` }, 'incomplete'],
    ['half of a compressed file', { body: gzipSync(many).subarray(0, 9_000) }, 'incomplete'],
    ['more than crawlers take', { body: open, headers: [['content-length', `${50 * MIB + 1}`]] }, 'oversized'],
    ['as much as crawlers take', { body: one, headers: [['content-length', `${50 * MIB}`]] }, 'entries'],
    ['more octets than were read', { body: `${open}${entry}`, truncated: 'too_large' }, 'entries'],
    ['more octets than were read, and no entry yet', { body: open, truncated: 'too_large' }, null],
    ['less than was sent', { body: `${open}${entry}`, truncated: 'timeout' }, 'entries'],
    ['less than was sent, and no entry yet', { body: open, truncated: 'closed' }, null],
    ['the URLs of a list', { body: 'https://a.example/\n' }, null],
    ['the items of a feed', { body: '<rss></rss>' }, null],
    ['a page', { body: '<!doctype html><loc>' }, null],
    ['nothing', { body: '' }, null],
  ]
  for (const [what, { body, headers = [], truncated = null, chunk = 1 << 20 }, content] of rows)
    it(`is ${content} of one with ${what}`, async () => {
      const reader = createSitemapReader(MIB)
      const take = reader.receive({} as ResponseHead, {} as Flow)
      const octets = Buffer.from(body)
      for (let at = 0; at < octets.length; at += chunk) take?.(octets.subarray(at, at + chunk))
      assert.equal(contentOf(await reader.end(), { headers, truncated }), content)
    })
})

describe('the root of a sitemap', () => {
  const table: [head: string, root: string | null][] = [
    [urlset, 'urlset'],
    ['\u00ef\u00bb\u00bf <s:sitemapindex>', 'sitemapindex'],
    ['<?xml?><?xml-stylesheet href="x"?><urlset>', 'urlset'],
    ['https://a.example/\nhttps://a.example/b', 'text'],
    ['<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>', null],
    ['<?xml version="1.0"?><rss version="2.0">', 'feed'],
    ['<feed xmlns="http://www.w3.org/2005/Atom">', 'feed'],
    ['<html><urlset>', 'html'],
    ['\n<!-- a --><!DOCTYPE HTML PUBLIC "x"><p>', 'html'],
    ['<!doctype html>', 'html'],
    ['<htmlish>', null],
    ['<!-- <urlset>', null],
    ['', null],
  ]
  for (const [head, root] of table)
    it(`of ${JSON.stringify(head.slice(0, 40))} is ${root}`, () => assert.equal(rootOf(head), root))
})
