// URLs over HTTP: what is cached and shared, and what nobody learns of them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnalysisUnavailable } from '../../../src/engine/analysis.ts'
import type { Checker } from '../../../src/service/api/answers.ts'
import { createMetrics, type ReadName } from '../../../src/service/api/metrics.ts'
import { createSectionWatch } from '../../../src/service/api/progress.ts'
import { createResultCache, type LocalResultCache } from '../../../src/store/result_cache.ts'
import { eventually, result, type Service, serviceOfSuite, startService } from './service.ts'

const LINK = 'https://site.com:8443/hidden-path?token=hidden-token'
const HIDDEN = /hidden/

const HOST = { risk_score: 80, threat_types: ['phishing'], checked_at: '2026-11-25T00:00:00Z' }
const SIGNAL = { id: 'phishing_page', group: 'content', points: 35, floor: null, title: 'A phishing page' }

const query = (url: string, more = '') => `/api/v1/check?url=${encodeURIComponent(url)}${more}`

async function ask(service: Service, path: string, headers?: Record<string, string>) {
  const response = await service.get(path, headers && { headers: { 'x-api-key': service.key, ...headers } })
  return { status: response.status, cache: response.headers.get('x-cache'), body: await response.text() }
}

/** Resolves with the given results in turn. */
function answering(...verdicts: readonly string[]) {
  const given: unknown[] = []
  const left = [...verdicts]
  const checker: Checker = {
    async check(_target, options) {
      given.push(options.given)
      const about = { ...HOST, verdict: left.shift(), signal_details: [{ ...SIGNAL, section: 'content_analysis' }] }
      return { result: { ...result, ...about }, class: 'complete' }
    },
  }
  return { checker, given }
}

/** Remembers every key that it is asked for. */
function watched(): { cache: LocalResultCache; keys: string[] } {
  const cache = createResultCache()
  const keys: string[] = []
  const noting =
    <Args extends readonly unknown[], Value>(method: (key: string, ...rest: Args) => Value) =>
    (key: string, ...rest: Args): Value => {
      keys.push(key)
      return method(key, ...rest)
    }
  return { cache: { ...cache, get: noting(cache.get), getStale: noting(cache.getStale), put: noting(cache.put) }, keys }
}

describe('a URL', () => {
  it('is checked with its host, and answered like a domain', async t => {
    const service = await startService(t)
    const [first, second] = [await ask(service, query(LINK)), await ask(service, query(`${LINK}#fragment`))]
    assert.deepEqual([first.status, first.cache, second.status, second.cache], [200, 'MISS', 200, 'HIT'])
    const [target] = service.checked
    assert.deepEqual(
      [target?.kind, target?.domain, target?.url?.href, target?.visit],
      ['domain', 'site.com', LINK, true],
    )
    assert.equal(service.checked.length, 1)
  })

  it('is another target than its host, than other pages there, and than itself unvisited', async t => {
    const service = await startService(t)
    for (const path of [query(LINK), query(`${LINK}2`), query(LINK, '&visit=false'), '/api/v1/check?domain=site.com'])
      assert.equal((await ask(service, path)).cache, 'MISS', path)
    assert.deepEqual(
      service.checked.map(({ url, visit }) => [url === null, visit]),
      [
        [false, true],
        [false, true],
        [false, false],
        [true, true],
      ],
    )
  })

  const codes: readonly (readonly [path: string, status: number, code: string])[] = [
    [query('https://user:hidden@site.com/'), 400, 'invalid-url'],
    [query('https://127.1/hidden'), 400, 'invalid-domain'],
    [query('https://site.com:22/hidden'), 422, 'target-not-checkable'],
    [query('https://10.0.0.1/hidden'), 422, 'target-not-public'],
    [query(LINK, '&domain=site.com'), 400, 'conflicting-targets'],
    [query(LINK, '&visit=hidden'), 400, 'invalid-parameter'],
    [query(`https://site.com/hidden${'a'.repeat(2_048)}`), 400, 'invalid-url'],
    [query(`https://site.com/hidden${'a'.repeat(8_192)}`), 414, 'uri-too-long'],
  ]
  const refuse = (address: string) => (address.startsWith('10.') ? 'private_use' : null)
  const suite = serviceOfSuite({ vetting: { refuse, url_ports: [443, 8443] } })
  for (const [path, status, code] of codes) {
    it(`is refused as ${code}: ${decodeURIComponent(path).slice(18, 70).trim()}`, async () => {
      const service = suite()
      const answer = await ask(service, path)
      assert.deepEqual([answer.status, JSON.parse(answer.body).code], [status, code])
      assert.doesNotMatch(answer.body + JSON.stringify(service.lines()), HIDDEN)
    })
  }

  it('of the longest length is accepted when every character is percent-encoded', async t => {
    const service = await startService(t)
    const url = `https://site.com/?${'a'.repeat(2_048 - 18)}`
    const encoded = [...url].map(one => `%${one.charCodeAt(0).toString(16)}`).join('')
    assert.equal((await ask(service, `/api/v1/check?url=${encoded}`)).status, 200)
  })

  it('leaves neither path nor query in log, metrics, cache keys and progress, however its check ends', async t => {
    const failures = [
      null,
      new AnalysisUnavailable({ reason: 'resolver_timeout' }),
      new TypeError(`cannot read ${LINK}`),
      new Error(`${LINK} (${LINK})`),
    ]
    const { cache, keys } = watched()
    const metrics = createMetrics()
    metrics.read(new Proxy({}, { get: () => () => 7 }) as Record<ReadName, () => number>)
    const service = await startService(t, {
      cache,
      metrics: { of: metrics, read_here: true },
      watch: createSectionWatch().watch,
      checker: {
        async check(_target, { observe }) {
          observe?.({ outcomes: new Map() } as never)
          const failure = failures.shift()
          if (failure) throw failure
          return { result, class: 'complete' }
        },
      },
    })
    const seen: string[] = []
    for (const [nth, accept] of [
      'application/json',
      'text/event-stream',
      'text/event-stream',
      'application/json',
    ].entries())
      seen.push((await ask(service, query(`${LINK}${nth}`), { accept })).body)
    seen.push(await (await service.get('/metrics', { headers: {} })).text(), JSON.stringify(service.lines()), ...keys)
    assert.deepEqual(failures, [])
    assert.ok(keys.length > 4)
    for (const text of seen) assert.doesNotMatch(text, HIDDEN)
    assert.deepEqual(
      service.lines().flatMap(({ target }) => target ?? []),
      Array.from({ length: 4 }, () => 'https://site.com:8443/…'),
    )
  })

  it('is not cached when the operator does not want it, but still checked once at a time', async t => {
    const { cache, keys } = watched()
    let finish = () => {}
    const finished = new Promise<void>(resolve => {
      finish = resolve
    })
    const service = await startService(t, {
      cache,
      cache_urls: false,
      checker: {
        async check() {
          await finished
          return { result, class: 'complete' }
        },
      },
    })
    const together = [ask(service, query(LINK)), ask(service, query(LINK))]
    await eventually(() => service.checked.length > 0)
    setTimeout(finish, 50)
    const answers = [...(await Promise.all(together)), await ask(service, query(LINK))]
    assert.deepEqual(
      answers.map(answer => answer.cache),
      ['MISS', 'MISS', 'MISS'],
    )
    assert.equal(service.checked.length, 2)
    assert.equal(cache.size, 0)
    // Only the front page of the host was looked for.
    for (const key of keys) assert.match(key, /^\["domain","site\.com"/)
    assert.equal((await ask(service, '/api/v1/check?domain=site.com')).cache, 'MISS')
    assert.equal((await ask(service, '/api/v1/check?domain=site.com')).cache, 'HIT')
  })

  it('comes with the result of its host when that is cached, which is never checked for it', async t => {
    const { checker, given } = answering('safe', 'malicious', 'safe', 'safe')
    const service = await startService(t, { checker })
    for (const path of [query(LINK), '/api/v1/check?domain=site.com', query(`${LINK}2`), query('https://other.com/')])
      await ask(service, path)
    const host_result = { ...HOST, verdict: 'malicious', signals: [SIGNAL] }
    assert.deepEqual(given, [{}, {}, { host_result }, {}])
    assert.equal(service.checked.length, 4)
  })

  it('counts against the quota like any other target', async t => {
    const service = await startService(t, { plans: { startup: { quota: 2, period: 'month' } } })
    const statuses = []
    for (const path of [query('ftp://a.com/'), query(LINK), query(LINK), query(LINK)])
      statuses.push((await ask(service, path)).status)
    assert.deepEqual(statuses, [400, 200, 200, 429])
  })
})
