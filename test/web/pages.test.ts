// What a browser is sent: headers, copies, and a page whose parts are all there.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { landModule } from '../../build/land.ts'
import { htmlPage, openWeb } from '../../src/service/api/web.ts'
import { exchange, startService } from '../service/api/service.ts'

const data = { verdicts: [[71, 'malicious'] as const, [0, 'safe'] as const], titles: { own: '</script>' } }
const docs = ['/docs', '/docs/reference'].map(path => [path, htmlPage('<!doctype html>')] as const)
const pages = new Map([...openWeb(data), ...docs])
const anonymous = { headers: {} }

/** Static imports: those that a browser loads at once. */
const importsIn = (text: string) => [...text.matchAll(/^(?:import|export) [^'"]*from '([^']+)'/gm)]

const html = String(pages.get('/')?.body)
const assets = [...pages.keys()].filter(path => path.startsWith('/assets/'))

it('the outline of the map is that of its source', () => {
  assert.equal(String(pages.get('/assets/world_map_outline.js')?.body), landModule())
})

describe('the page', () => {
  it('is isolated by its headers, as is every asset', async t => {
    const service = await startService(t, { pages })
    for (const path of ['/', '/docs', '/assets/page.js', '/assets/style.css', '/assets/icon.svg']) {
      const { status, headers } = await service.get(path, anonymous)
      assert.equal(status, 200)
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map(one => [one.split(' ')[0], one]),
      )
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]) {
        assert.equal(policy.get(directive.split(' ')[0]), directive)
      }
      assert.deepEqual(
        ['x-content-type-options', 'referrer-policy', 'x-frame-options', 'cache-control'].map(name =>
          headers.get(name),
        ),
        ['nosniff', 'no-referrer', 'DENY', 'no-cache'],
      )
    }
  })

  const types: readonly (readonly [path: string, type: string])[] = [
    ['/', 'text/html; charset=utf-8'],
    ['/assets/page.js', 'text/javascript; charset=utf-8'],
    ['/assets/sections.js', 'text/javascript; charset=utf-8'],
    ['/assets/style.css', 'text/css; charset=utf-8'],
    ['/assets/icon.svg', 'image/svg+xml'],
  ]
  for (const [path, type] of types) {
    it(`serves ${path} as ${type}`, async t => {
      const service = await startService(t, { pages })
      const response = await service.get(path, anonymous)
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, type])
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), pages.get(path)?.body)
    })
  }

  it('is not sent again if unchanged', async t => {
    const service = await startService(t, { pages })
    const etag = (await service.get('/', anonymous)).headers.get('etag') ?? ''
    for (const [tag, status] of [
      [etag, 304],
      [`W/${etag}`, 304],
      [`"x", ${etag}`, 304],
      ['*', 304],
      ['"x"', 200],
    ] as const) {
      const response = await service.get('/', { headers: { 'if-none-match': tag } })
      assert.deepEqual([response.status, response.headers.get('etag')], [status, etag])
      assert.equal((await response.text()).length > 0, status === 200)
    }
  })

  it('is compressed for clients that accept it, as a representation of its own', async t => {
    const service = await startService(t, { pages })
    const plain = await service.get('/', { headers: { 'accept-encoding': 'identity' } })
    const packed = await service.get('/', { headers: { 'accept-encoding': 'br;q=1.0, gzip;q=0.8, *;q=0.1' } })
    const headersOf = ({ headers }: Response) =>
      ['content-encoding', 'content-length', 'vary'].map(name => headers.get(name))
    const { body, gzip, etag } = pages.get('/') ?? assert.fail()
    assert.deepEqual(headersOf(plain), [null, `${body.length}`, 'Accept-Encoding'])
    assert.deepEqual(headersOf(packed), ['gzip', `${gzip.length}`, 'Accept-Encoding'])
    assert.deepEqual([await plain.text(), await packed.text()], [html, html])
    assert.deepEqual(
      [plain, packed].map(({ headers }) => headers.get('etag')),
      [etag, etag.replace(/"$/, '-gzip"')],
    )
    const refused = await service.get('/', { headers: { 'accept-encoding': 'gzip;q=0' } })
    assert.equal(refused.headers.get('content-encoding'), null)
  })

  it('answers HEAD without a body, and only reading methods', async t => {
    const service = await startService(t, { pages })
    const head = await service.get('/', { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
    assert.deepEqual(
      [head.status, await head.text(), head.headers.get('content-length')],
      [200, '', String(Buffer.byteLength(html))],
    )
    assert.equal((await service.get('/', { method: 'POST', ...anonymous })).status, 405)
  })

  it('is the same for any query, and serves no other files', async t => {
    const service = await startService(t, { pages })
    assert.equal((await service.get('/?x=1', anonymous)).status, 200)
    for (const path of [
      '/index.html',
      '/assets/',
      '/assets/tsconfig.json',
      '/assets/../package.json',
      '/assets/%2e%2e/package.json',
      '/docs/',
    ]) {
      const answer = await exchange(service.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 404 .*"code":"not-found"/s, path)
    }
  })

  it('references only existing assets, and none of other origins', () => {
    const named = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path = '']) => path)
    assert.deepEqual(
      named.filter(path => !pages.has(path)),
      [],
    )
    for (const path of assets.filter(path => path.endsWith('.js'))) {
      const text = String(pages.get(path)?.body)
      const imported = importsIn(text).map(([, to = '']) => new URL(to, `http://x${path}`).pathname)
      assert.deepEqual(
        imported.filter(to => !pages.has(to)),
        [],
        path,
      )
    }
    for (const path of assets)
      assert.doesNotMatch(String(pages.get(path)?.body), /https?:\/\/(?!127\.0\.0\.1|www\.w3\.org)[a-z]/, path)
  })

  it('is small: what a first visit loads has at most 128 KB, and 47 KB compressed', () => {
    const loaded = new Set(['/', '/assets/page.js'])
    for (const path of loaded) {
      const text = String(pages.get(path)?.body)
      const named = path === '/' ? [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)] : importsIn(text)
      for (const [, to = ''] of named) loaded.add(new URL(to, `http://x${path}`).pathname)
    }
    const total = (coding: 'body' | 'gzip') =>
      [...loaded].reduce((sum, path) => sum + (pages.get(path)?.[coding].length ?? 0), 0)
    const [octets, packed] = [total('body'), total('gzip')]
    assert.ok(loaded.size > 20 && octets <= 128_000 && packed <= 47_000, `${loaded.size} files: ${octets}, ${packed}`)
  })

  it('has no inline script or style', () => {
    assert.doesNotMatch(html, / on\w+=| style=|<style|javascript:/i)
    assert.deepEqual(
      [...html.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>/g)].map(([, attributes]) => attributes),
      [' type="application/json" id="data"'],
    )
  })

  it('has the service’s ranges and titles, as safely embedded data', () => {
    const [, embedded = ''] = /id="data">(.*?)<\/script>/.exec(html) ?? []
    assert.deepEqual(JSON.parse(embedded), data)
  })

  it('creates elements from text only', () => {
    for (const path of assets.filter(path => path.endsWith('.js'))) {
      assert.doesNotMatch(
        String(pages.get(path)?.body),
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\(|indexedDB|cookie\s*=/,
        path,
      )
      assert.equal(/sessionStorage/.test(String(pages.get(path)?.body)), path === '/assets/key.js', path)
      assert.equal(/localStorage/.test(String(pages.get(path)?.body)), path === '/assets/target_lists.js', path)
    }
  })
})
