import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { gatherAddresses } from '../../src/evidence/addresses/gather.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import type { Limits } from '../../src/network/limits.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { hello, request, type Step, send, wait } from '../../src/testing/lab_script.ts'
import { type LabHandler, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget, inLab } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const here = '93.184.216.34'
const authority = createAuthority()
const credentials = authority.issue({ names: ['a.example'] })
const twice = gzipSync(gzipSync('<p>hi</p>'))
const urlset = '<urlset/>'.padEnd(500)

const paths: Record<string, ReturnType<LabHandler>> = {
  '/': { status: 302, headers: [['Location', '/home']] },
  '/home': {
    body: twice,
    headers: [['Content-Encoding', 'gzip, gzip'] as const, ...Array.from({ length: 20 }, () => ['X', 'y'] as const)],
  },
  '/robots.txt': { body: '#'.repeat(500) },
  '/sitemap.xml': { body: gzipSync(urlset) },
}

/** What a check sees, in a few words, so that one lowered limit has one visible effect. */
interface Sight {
  readonly page: string
  readonly robots: string
  readonly sitemap: string
}

const whole: Sight = { page: '302 200', robots: 'found 500', sitemap: 'found urlset' }

const told = ({ exchanges, failure, stopped }: Page): string =>
  [...exchanges.flatMap(({ status, truncated }) => [status, truncated]), failure, stopped].filter(Boolean).join(' ')

describe('lowered limits', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    web = await startLabWeb([
      { host: 'a.example', addresses: [here], credentials, https: ({ url }) => paths[url] ?? { status: 404 } },
    ])
    dns = await startLabDns({ zones: { 'a.example': { A: [here] }, 'odd.example': { A: ['192.88.1.1'] } } })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  async function see(limits: Partial<Limits>, domain = 'a.example'): Promise<Sight | string> {
    const check = startVisit(web, dns, domainTarget(domain), { limits })
    const [files, page] = await Promise.all([outcome(check.gather('crawl_files')), outcome(check.gather('page'))])
    check.end()
    if (typeof page === 'string') return page
    const seen = told(page)
    if (typeof files === 'string') return seen
    const { robots, sitemaps } = files
    return {
      page: seen,
      robots: `${robots.status} ${robots.text?.length ?? robots.reason}`,
      sitemap: sitemaps.map(({ status, reason, root }) => `${status} ${reason ?? root}`).join(),
    }
  }

  const table: [limits: Partial<Limits>, seen: Partial<Sight> | string][] = [
    [{}, {}],
    [{ redirects: 0 }, { page: '302 too_many_redirects' }],
    [{ page_bytes: 10 }, { page: '302 200 too_large' }],
    [{ content_codings: 1 }, { page: '302 200 bad_encoding' }],
    [{ header_lines: 20 }, '302 headers_too_large'],
    [{ header_bytes: 150 }, '302 headers_too_large'],
    [{ robots_bytes: 100 }, { robots: 'found 100' }],
    [{ sitemap_bytes: 8 }, { sitemap: 'found null' }],
    [{ page_requests: 1 }, '302 too_many_requests'],
    [{ connections: 0 }, 'Unavailable: too_many_connections'],
  ]
  for (const [limits, seen] of table) {
    it(`apply to the check: ${JSON.stringify(limits)}`, async () => {
      assert.deepEqual(await see(limits), typeof seen === 'string' ? seen : { ...whole, ...seen })
    })
  }

  const slow: [limits: Partial<Limits>, steps: Step[], secure: boolean, seen: string][] = [
    [{ tls_ms: 50 }, [hello(), wait(9_000)], false, 'refused'],
    [{ headers_ms: 50 }, [request(), wait(9_000)], true, 'timeout'],
    [{ body_ms: 50 }, [request(), send('HTTP/1.1 200 OK\r\n\r\n'), wait(9_000)], true, '200 timeout'],
    [
      { informational_responses: 1 },
      [request(), send('HTTP/1.1 102 P\r\n\r\n'.repeat(2)), wait(9_000)],
      true,
      'protocol_error',
    ],
  ]
  for (const [limits, steps, secure, seen] of slow) {
    it(`shorten a wait: ${JSON.stringify(limits)}`, async () => {
      await web.script('192.88.1.1', 443, steps, secure ? credentials : undefined)
      const check = startVisit(web, dns, domainTarget('odd.example'), { limits })
      const page = await outcome(check.gather('page'))
      check.end()
      assert.equal(typeof page === 'string' ? page : told(page), seen)
    })
  }

  it('apply to the addresses of a name', async () => {
    const zones = { 'a.example': { A: [here, '93.184.216.35', '93.184.216.36'] } }
    const limits = { addresses_considered: 2, addresses_dialled: 1 }
    const { evidence } = await inLab({ zones, limits }, domainTarget('a.example'), gatherAddresses)
    assert.deepEqual([evidence.answers.length, evidence.dialable.length], [2, 1])
  })
})
