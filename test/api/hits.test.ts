// Cached answers that pass Koa by, compared with the same answers through it, over real sockets.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { passHits } from '../../src/api/hits.ts'
import { createLifecycle } from '../../src/api/lifecycle.ts'
import { createRateLimit } from '../../src/api/limits.ts'
import { createLog } from '../../src/api/log.ts'
import { createMetrics } from '../../src/api/metrics.ts'
import type { BareContext } from '../../src/api/request_state.ts'
import { StoreError } from '../../src/store/store.ts'
import { exchange, type Parts, startService } from './service.ts'

const PATH = '/api/v1/check'
const CACHED = 'domain=a.com'

const request = (line: string, headers: readonly string[]) =>
  [`${line} HTTP/1.1`, 'Connection: close', ...headers, '', ''].join('\r\n')

const answerBy = (answerer: string, res: ServerResponse) => void res.setHeader('X-By', answerer).end()

describe('a request for a cached answer', () => {
  const host = 'Host: a'
  const rows: readonly (readonly [what: string, line: string, headers: readonly string[], answerer: string])[] = [
    ['a plain request', `GET ${PATH}?${CACHED}`, [host], 'hit'],
    ['a request with a small body', `GET ${PATH}?${CACHED}`, [host, 'Content-Length: 0'], 'hit'],
    ['another query', `GET ${PATH}?domain=b.com`, [host], 'app'],
    ['no query', `GET ${PATH}`, [host], 'app'],
    ['another path', `GET ${PATH}/?${CACHED}`, [host], 'app'],
    ['another method', `HEAD ${PATH}?${CACHED}`, [host], 'app'],
    ['the form for proxies', `GET http://a${PATH}?${CACHED}`, [host], 'app'],
    ['two hosts', `GET ${PATH}?${CACHED}`, ['Host: a, b'], 'app'],
    ['a body without a length', `GET ${PATH}?${CACHED}`, [host, 'Transfer-Encoding: chunked'], 'app'],
    ['a body that is too long', `GET ${PATH}?${CACHED}`, [host, 'Content-Length: 65537'], 'app'],
  ]
  for (const [what, line, headers, answerer] of rows) {
    it(`${answerer === 'hit' ? 'passes the app by' : 'goes to the app'}: ${what}`, async t => {
      const log = createLog('silent', { write: () => {} })
      const lifecycle = createLifecycle({ log, clock: { now: () => 0, monotonic: () => 0 } })
      const check = { path: PATH, handle: async ({ res }: BareContext) => answerBy('hit', res) }
      const holds = (query: string) => query === CACHED
      const server = createServer(passHits({ check, holds, lifecycle, log }, (_, res) => answerBy('app', res)))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.after(() => server.close())
      const { port } = server.address() as AddressInfo
      assert.match(await exchange(port, request(line, headers)), new RegExp(`^X-By: ${answerer}\r$`, 'm'))
    })
  }
})

interface Row {
  readonly what: string
  readonly status: number
  readonly headers?: readonly string[]
  readonly parts?: Parts
  /** The answer cannot be counted. */
  readonly fails?: true
  readonly anonymous?: true
}

const never = () => 0
const few = { failures: createRateLimit(null, 1, never), requests: createRateLimit(1, 60_000, never) }
const used = { startup: { quota: 1, period: 'month' } } as const

const rows: readonly Row[] = [
  { what: 'the result', status: 200 },
  { what: 'the result for a page of another origin', status: 200, headers: ['Origin: https://app.example.com'] },
  { what: 'the result as events', status: 200, headers: ['Accept: text/event-stream'] },
  { what: 'the refusal of a format', status: 406, headers: ['Accept: image/png'] },
  { what: 'the refusal without a key', status: 401, anonymous: true },
  { what: 'the refusal beyond the quota', status: 429, parts: { plans: used } },
  { what: 'the refusal of too many requests', status: 429, parts: { bursts: few } },
  { what: 'the failure to count', status: 503, fails: true },
]

/** The second request for a target, whose first answer was cached. */
async function second(t: TestContext, start: string, { parts, headers = [], fails, anonymous }: Row) {
  let isDown = false
  const metrics = createMetrics()
  const service = await startService(t, {
    now: () => 1_795_672_000_000,
    monotonic: () => 0,
    cors_origins: ['https://app.example.com'],
    metrics: { of: metrics, read_here: false },
    client_address: 'full',
    store: store => ({
      ...store,
      quota: {
        ...store.quota,
        async charge(account, allowance) {
          if (isDown) throw new StoreError('quota_store_error', 'the disk takes too long to write')
          return (await store.quota.charge?.(account, allowance)) as never
        },
      },
    }),
    ...parts,
  })
  await (await service.get(`${PATH}?${CACHED}`)).arrayBuffer()
  isDown = fails === true
  const key = anonymous ? [] : [`X-API-Key: ${service.key}`]
  const answer = await exchange(
    service.port,
    request(`GET ${start}?${CACHED}`, ['Host: a', 'X-Request-Id: one', ...key, ...headers]),
  )
  const { time, key: id, ...line } = service.lines().at(-1) ?? {}
  const counted = (await metrics.text())
    .split('\n')
    .filter(one => /^assay_(requests|results|answers|request_s)/.test(one))
  const [account] = await service.store.keys.list()
  const usage = await service.store.quota.usage(account?.account ?? '', { quota: 10, period: 'month' })
  return { answer: answer.replace(/^Date: .*$/m, ''), line, hasKey: id === account?.id, counted, used: usage.used }
}

describe('a cached answer that passes Koa by', () => {
  for (const row of rows) {
    it(`is the same in its response, its log line, its metrics and its count: ${row.what}`, async t => {
      const [past, through] = [await second(t, PATH, row), await second(t, `http://a${PATH}`, row)]
      assert.equal(past.answer.slice(0, 12), `HTTP/1.1 ${row.status}`)
      assert.deepEqual(past, through)
    })
  }
})
