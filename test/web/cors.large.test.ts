// What a real browser lets the script of another origin's page see.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it, type TestContext } from 'node:test'
import { KEEP_ALL, startService } from '../service/api/service.ts'
import { launch, withoutBrowser } from './chromium.ts'

/** A page of another origin; its own, as a browser sends it. */
async function startPage(t: TestContext): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>An app</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** In the page: what its script learns of one request. */
async function ask([url, key]: readonly [string, string]) {
  try {
    const response = await fetch(url, { headers: { 'X-API-Key': key } })
    const { code, domain } = (await response.json()) as Record<string, string>
    const [cache, left] = ['x-cache', 'x-ratelimit-remaining'].map(name => response.headers.get(name))
    return { status: response.status, said: code ?? domain, cache, left }
  } catch (error) {
    return { refused: (error as Error).name }
  }
}

it('a page can read results, refusals and their headers if its origin is allowed, and nothing otherwise', {
  skip: withoutBrowser,
  timeout: 300_000,
}, async t => {
  const [origin, stranger] = [await startPage(t), await startPage(t)]
  const service = await startService(t, { cors_origins: [origin] })
  const browser = await launch()
  t.after(() => browser.close())
  const api = `http://127.0.0.1:${service.port}/api/v1/check`
  const seen = []
  for (const from of [origin, stranger]) {
    const page = await browser.newPage()
    await page.goto(from)
    for (const query of ['?domain=example.com', '?domain=com'])
      seen.push(await page.evaluate(ask, [api + query, service.key] as const))
  }
  assert.deepEqual(seen, [
    { status: 200, said: 'example.com', cache: 'MISS', left: '9999' },
    { status: 422, said: 'target-not-checkable', cache: null, left: '9999' },
    { refused: 'TypeError' },
    { refused: 'TypeError' },
  ])
  // The stranger's preflights came, and no more than those
  const requests = service.lines().map(({ method, status }) => `${method} ${status}`)
  assert.deepEqual(requests.slice(-2), ['OPTIONS 405', 'OPTIONS 405'])
})

/** In the page: what its script learns of requests that change something. */
async function change([url, key]: readonly [string, string]) {
  const seen = []
  const headers = { 'X-API-Key': key }
  const batch = { ...headers, 'Content-Type': 'application/json', Prefer: 'respond-async', 'X-Request-Id': 'mine' }
  for (const [path, init] of [
    ['/api/v1/checks', { method: 'POST', headers: batch, body: '{"targets": ["example.com"]}' }],
    ['/api/v1/shares/AAAAAAAAAAAA', { method: 'DELETE', headers }],
    ['/api/v1/results/AAAAAAAAAAAAAAAAAAAAAA/shares', { method: 'POST', headers }],
  ] as const) {
    try {
      const response = await fetch(url + path, init)
      await response.text()
      seen.push([
        response.status,
        ...['location', 'x-request-id'].map(name => response.headers.get(name)?.slice(0, 12)),
      ])
    } catch (error) {
      seen.push([(error as Error).name])
    }
  }
  return seen
}

it('a page can make jobs and links, and remove them, if its origin is allowed', {
  skip: withoutBrowser,
  timeout: 300_000,
}, async t => {
  const [origin, stranger] = [await startPage(t), await startPage(t)]
  const service = await startService(t, { cors_origins: [origin], jobs: {}, history: KEEP_ALL })
  const browser = await launch()
  t.after(() => browser.close())
  const seen = []
  for (const from of [origin, stranger]) {
    const page = await browser.newPage()
    await page.goto(from)
    const found = await page.evaluate(change, [`http://127.0.0.1:${service.port}`, service.key] as const)
    seen.push(found.map(([status, location, id], at) => (at === 0 ? [status, location, id] : [status])))
  }
  assert.deepEqual(seen, [
    [[202, '/api/v1/jobs', 'mine'], [404], [404]],
    [['TypeError', undefined, undefined], ['TypeError'], ['TypeError']],
  ])
})
