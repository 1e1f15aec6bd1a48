// A page that leads every visitor on by itself, over the lab internet.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { followHandover } from '../../src/evidence/site_session/next_document.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabHandler, type LabSite, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { domainTarget } from './lab_check.ts'
import { outcome, startVisit, type VisitOptions } from './lab_visit.ts'

const authority = createAuthority()
const refresh = (to: string) => `<meta http-equiv="refresh" content="0; url=${to}">`
const script = (to: string) => `<script>location.replace("${to}")</script>`
const frame = (to: string) => `<title>Bakery</title><iframe src="${to}" style="width:100%;height:100%"></iframe>`
const form = '<title>Log in</title><form action="send.php"><input type=password></form>'

/** By path; a path that is not here is 404. */
type Paths = Readonly<Record<string, string | LabHandler>>
const handler =
  (paths: Paths): LabHandler =>
  request => {
    const found = paths[request.url]
    return typeof found === 'function' ? found(request) : found === undefined ? { status: 404 } : { body: found }
  }

const sites: Readonly<Record<string, Paths>> = {
  'refresh.example': { '/': refresh('/home'), '/home': form },
  'script.example': { '/': script('/a/home'), '/a/home': form },
  'handler.example': { '/': `<body onload="location='/home'">`, '/home': form },
  'frame.example': { '/': frame('/in/home'), '/in/home': form },
  'frames-other.example': { '/': frame('https://other.example/kit/'), '/kit/': form },
  'leads-to-other.example': { '/': refresh('https://other.example/kit/') },
  'other.example': { '/kit/': form },
  'leads-inside.example': { '/': refresh('http://10.0.0.1/') },
  'leads-to-inside-name.example': { '/': refresh('http://inside.example/') },
  'leads-to-port.example': { '/': refresh('https://leads-to-port.example:8443/') },
  'redirects-on.example': {
    '/': script('/1'),
    '/1': () => ({ status: 302, headers: [['Location', '/2']] }),
    '/2': form,
  },
  'loop.example': { '/': refresh('/1'), '/1': refresh('/') },
  'comes-back.example': { '/': refresh('/1'), '/1': () => ({ status: 302, headers: [['Location', '/']] }) },
  'twice.example': { '/': refresh('/1'), '/1': refresh('/2'), '/2': form },
  'leads-nowhere.example': { '/': refresh('/gone') },
  'frames-nowhere.example': { '/': frame('/gone') },
  'frames-refusal.example': { '/': frame('/no'), '/no': () => ({ status: 403, body: form }) },
  'frames-picture.example': {
    '/': frame('/a.png'),
    '/a.png': () => ({ headers: [['Content-Type', 'image/png']], body: 'png' }),
  },
  'slow.example': { '/': refresh('/slow'), '/slow': () => new Promise(() => {}) },
  'challenge.example': { '/': refresh('/.well-known/sgcaptcha/?r=%2F'), '/.well-known/sgcaptcha/?r=%2F': form },
  'clicks.example': {
    '/': '<a href="/unsubscribe">Go</a><script>b.onclick=function(){location="/unsubscribe"}</script>',
  },
  'nothing-next.example': { '/': refresh('/none'), '/none': () => ({ status: 204 }) },
  'download-next.example': {
    '/': script('/a.zip'),
    '/a.zip': () => ({ headers: [['Content-Type', 'application/zip']], body: 'zip' }),
  },
  'policy.example': {
    '/': () => ({ headers: [['Content-Security-Policy', "default-src 'self'"]], body: script('/home') }),
    '/home': form,
  },
  'named-policy.example': {
    '/': `<meta http-equiv="Content-Security-Policy" content="img-src *; script-src 'none'">${script('/home')}`,
    '/home': form,
  },
  'nonce-policy.example': {
    '/': () => ({
      headers: [['Content-Security-Policy', "script-src 'nonce-a' 'unsafe-inline'"]],
      body: script('/home'),
    }),
    '/home': form,
  },
  'open-policy.example': {
    '/': () => ({ headers: [['Content-Security-Policy', "script-src 'self' 'unsafe-inline'"]], body: script('/home') }),
    '/home': form,
  },
  'no-script.example': { '/': '<script type="text/plain">location="/home"</script>', '/home': form },
  'waits.example': { '/': '<img src=a.png><meta http-equiv="refresh" content="5; url=/home">', '/home': form },
  'words.example': { '/': `<p>${'word '.repeat(60)}</p>${refresh('/home')}`, '/home': form },
  'shell.example': { '/': '<div id=root></div><script src=/app.js></script>' },
}
const addressOf = (host: string): string => `192.88.1.${Object.keys(sites).indexOf(host) + 1}`

describe('a page that leads every visitor on', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    web = await startLabWeb(
      Object.entries(sites).map(([host, paths]): LabSite => {
        const credentials = authority.issue({ names: [host] })
        return { host, addresses: [addressOf(host)], credentials, https: handler(paths) }
      }),
    )
    const zones = Object.keys(sites).map(host => [host, { A: [addressOf(host)] }])
    dns = await startLabDns({ zones: { ...Object.fromEntries(zones), 'inside.example': { A: ['10.0.0.1'] } } })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })
  beforeEach(() => {
    web.seen.requests.length = 0
    web.seen.connections.length = 0
  })

  async function see(host: string, options: VisitOptions = {}) {
    const check = startVisit(web, dns, domainTarget(host), { extra_roots: authority.certificate, ...options })
    const [page, document] = await Promise.all([outcome(check.gather('page')), outcome(check.gather('document'))])
    check.end()
    assert.ok(typeof page === 'object' && typeof document === 'object', `${page} ${document}`)
    const short = (url: string) => url.replace(`https://${host}`, '')
    return {
      requests: web.seen.requests.map(request => `${request.method} ${short(`https://${request.host}${request.url}`)}`),
      exchanges: page.exchanges.map(({ url, status }) => `${status} ${short(url)}`),
      by: page.handover?.by ?? null,
      framed: page.handover?.frame?.map(({ url, status }) => `${status} ${short(url)}`),
      stopped: page.stopped,
      page,
      document,
      asks: document.forms.length > 0,
    }
  }

  const followed: [host: string, by: string, exchanges: string[]][] = [
    ['refresh.example', 'refresh', ['200 /', '200 /home']],
    ['script.example', 'script', ['200 /', '200 /a/home']],
    ['handler.example', 'script', ['200 /', '200 /home']],
    ['leads-to-other.example', 'refresh', ['200 /', '200 https://other.example/kit/']],
    ['open-policy.example', 'script', ['200 /', '200 /home']],
    ['redirects-on.example', 'script', ['200 /', '302 /1', '200 /2']],
  ]
  for (const [host, by, exchanges] of followed) {
    it(`is followed once at ${host}, and judged by what visitors see`, async () => {
      const seen = await see(host)
      assert.deepEqual([seen.exchanges, seen.by, seen.asks], [exchanges, by, true])
      assert.deepEqual(seen.page.handover, { by, seconds: by === 'refresh' ? 0 : null, alone: true, at: 0 })
      assert.equal(seen.requests.length, exchanges.length)
    })
  }

  it('is followed once only', async () => {
    const seen = await see('twice.example')
    assert.deepEqual([seen.exchanges, seen.asks], [['200 /', '200 /1'], false])
  })

  it('is judged by the error page that it leads to, as after a redirect', async () => {
    const seen = await see('leads-nowhere.example')
    assert.deepEqual([seen.exchanges, seen.by], [['200 /', '404 /gone'], 'refresh'])
  })

  const framed: [host: string, frame: string, action: string][] = [
    ['frame.example', '200 /in/home', 'https://frame.example/in/'],
    ['frames-other.example', '200 https://other.example/kit/', 'https://other.example/kit/'],
  ]
  for (const [host, frame, base] of framed) {
    it(`keeps its address at ${host} and shows what is in its frame`, async () => {
      const { document, ...seen } = await see(host)
      assert.deepEqual([seen.exchanges, seen.framed, seen.by, seen.asks], [['200 /'], [frame], 'frame', true])
      assert.deepEqual([document.url, document.title], [`https://${host}/`, 'Bakery'])
      assert.equal(new URL(document.forms[0]?.action ?? '', document.base ?? '').href, `${base}send.php`)
    })
  }

  const stays: [why: string, host: string, options?: VisitOptions][] = [
    ['an address that is not public', 'leads-inside.example'],
    ['a name with such an address', 'leads-to-inside-name.example'],
    ['a port that redirects may not lead to', 'leads-to-port.example'],
    ['a document that does not answer', 'slow.example', { limits: { headers_ms: 300 } }],
    ['a frame that is an error page', 'frames-nowhere.example'],
    ['a frame that refuses us', 'frames-refusal.example'],
    ['a frame that is a picture', 'frames-picture.example'],
    ['a document that leads back', 'comes-back.example'],
    ['a response without a document', 'nothing-next.example'],
    ['a file to download', 'download-next.example'],
    ['a document behind more redirects than are followed', 'refresh.example', { limits: { redirects: 0 } }],
    ['a document for which no request is left', 'refresh.example', { limits: { page_requests: 1 } }],
  ]
  for (const [why, host, options] of stays) {
    it(`stays what was seen before ${why}`, async () => {
      const seen = await see(host, options)
      assert.deepEqual([seen.exchanges, seen.by, seen.asks], [['200 /'], null, false])
    })
  }

  it('stays what was seen where no time is left', async () => {
    const page = { ...pageOf({ url: 'https://shop.example/' }) }
    const document = documentOf({ url: 'https://shop.example/', metas: [{ name: 'refresh', content: '0; url=/x' }] })
    const seen = { navigation: page, document }
    const visit = () => assert.fail('sends a request')
    assert.equal(await followHandover(seen, { redirects: 5, left_ms: 499, visit }), seen)
  })

  it('never makes a connection to an address that is not public', async () => {
    for (const host of ['leads-inside.example', 'leads-to-inside-name.example']) await see(host)
    assert.deepEqual(
      web.seen.connections.filter(connection => connection.startsWith('10.')),
      [],
    )
  })

  it('ends where a document leads back to it by itself', async () => {
    const seen = await see('loop.example')
    assert.deepEqual(
      [seen.exchanges, seen.requests],
      [
        ['200 /', '200 /1'],
        ['GET /', 'GET /1'],
      ],
    )
  })

  const policies = ['policy.example', 'named-policy.example', 'nonce-policy.example']
  const others = ['no-script.example', 'waits.example']
  for (const host of ['challenge.example', 'clicks.example', 'words.example', 'shell.example', ...policies, ...others])
    it(`sends no request more at ${host}`, async () => {
      const seen = await see(host)
      assert.deepEqual([seen.requests, seen.by], [['GET /'], null])
    })
})
