// Look-alikes over HTTP.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scanner } from '../../../src/results/lookalikes/scan.ts'
import type { Looking } from '../../../src/service/api/lookalikes.ts'
import type { LookalikeLine } from '../../../src/service/lookalikes.ts'
import { eventually, type Parts, type Service, startService } from './service.ts'

const SCORES: Readonly<Record<string, number>> = { 'examp1e.com': 80, 'exampl.com': 40 }

/** Of the names that are asked for, these exist. */
const scanning = (existing: readonly string[]): Scanner => ({
  async scan({ candidates, tally, found, asked }) {
    for (const candidate of candidates) {
      tally.asked += 1
      if (existing.includes(candidate.name)) {
        tally.existing += 1
        await found({ ...candidate, addresses: ['192.0.2.1'], mail: false })
      }
      asked?.(tally)
    }
    return 'whole'
  },
})

const looking = (scanner: Scanner, names = 2_000): Looking => ({ scanner, names })

const start = (t: TestContext, parts: Parts): Promise<Service> =>
  startService(t, {
    politeness: { at_once: 1_000, pause_ms: 0 },
    checker: {
      async check({ domain }) {
        const risk_score = SCORES[domain ?? ''] ?? 3
        const verdict = risk_score > 70 ? 'malicious' : risk_score > 30 ? 'suspicious' : 'safe'
        const recommendation = verdict === 'malicious' ? 'block' : verdict === 'suspicious' ? 'review' : 'allow'
        const judged = { risk_score, verdict, recommendation, recommendation_reason: 'So.', signals: [] }
        return { result: { domain, checked_at: '2026-11-28T00:00:00Z', ...judged }, class: 'complete' }
      },
    },
    ...parts,
  })

async function linesOf(service: Service, query: string): Promise<readonly LookalikeLine[]> {
  const response = await service.get(`/api/v1/lookalikes?${query}`)
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  return (await response.text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

async function used({ store }: Service): Promise<number> {
  const [first] = await store.keys.list()
  return (await store.quota.usage(first?.account ?? '', { quota: 10_000, period: 'month' })).used
}

describe('look-alikes', () => {
  const existing = ['exampl.com', 'examp1e.com', 'example.top']

  it('that exist are judged, counted one by one, and ranked', async t => {
    const service = await start(t, { looking: looking(scanning(existing)) })
    const lines = await linesOf(service, 'domain=Example.com')
    const found = lines.flatMap(({ lookalike }) => lookalike ?? [])
    assert.deepEqual(found.map(({ name, kind, result }) => [name, kind, result?.risk_score]).toSorted(), [
      ['examp1e.com', 'homoglyph', 80],
      ['exampl.com', 'omission', 40],
      ['example.top', 'ending', 3],
    ])
    assert.deepEqual(lines.at(-1)?.summary, {
      domain: 'example.com',
      asked: 2_000,
      existing: 3,
      judged: 3,
      unanswered: 0,
      unproved: 0,
      ended: 'whole',
      ranking: ['examp1e.com', 'exampl.com', 'example.top'],
    })
    assert.ok(lines.some(({ progress }) => progress !== undefined))
    assert.equal(await used(service), 4, 'the original, too')
  })

  it('are told without a check and for nothing when none is to be judged', async t => {
    const service = await start(t, { looking: looking(scanning(existing)) })
    const lines = await linesOf(service, 'domain=example.com&judge=0&names=800')
    assert.deepEqual(
      lines.flatMap(({ lookalike }) => (lookalike === undefined ? [] : [[lookalike.name, lookalike.result]])),
      [
        ['examp1e.com', null],
        ['exampl.com', null],
      ],
    )
    assert.deepEqual([await used(service), service.checked.length], [0, 0])
  })

  it('beyond the limit are told without a result', async t => {
    const service = await start(t, { looking: looking(scanning(existing)) })
    const lines = await linesOf(service, 'domain=example.com&judge=1')
    const judged = lines.flatMap(({ lookalike }) => (lookalike?.result == null ? [] : [lookalike.name]))
    assert.deepEqual([judged, lines.at(-1)?.summary?.existing], [['examp1e.com'], 3])
  })

  it('are refused with a reason', async t => {
    const disabled = await start(t, {})
    assert.equal((await disabled.get('/api/v1/lookalikes?domain=example.com')).status, 404)
    const service = await start(t, { looking: looking(scanning([])) })
    const statuses = await Promise.all(
      ['', 'domain=com', 'domain=a_b..c', 'domain=example.com&judge=-1', 'domain=example.com&name=3'].map(
        async query => (await service.get(`/api/v1/lookalikes?${query}`)).status,
      ),
    )
    assert.deepEqual(statuses, [400, 422, 400, 400, 400])
  })

  it('are looked for twice at once by one account, until its client leaves', async t => {
    let searches = 0
    let ended = 0
    const waiting: Scanner = {
      scan: ({ signal }) => {
        searches += 1
        return new Promise(resolve => {
          signal.addEventListener('abort', () => {
            ended += 1
            resolve('stopped')
          })
        })
      },
    }
    const service = await start(t, { looking: looking(waiting) })
    const clients = [new AbortController(), new AbortController()]
    const asked = clients.map(({ signal }) => service.get('/api/v1/lookalikes?domain=example.com&judge=0', { signal }))
    await Promise.all(asked)
    await eventually(() => searches === 2)
    assert.equal((await service.get('/api/v1/lookalikes?domain=example.com&judge=0')).status, 429)
    for (const client of clients) client.abort()
    await eventually(() => ended === 2)
  })

  it('are not looked for when the client leaves before the search begins', async t => {
    const client = new AbortController()
    let searches = 0
    const service = await start(t, {
      looking: looking({
        async scan() {
          searches += 1
          return 'stopped'
        },
      }),
      store: store => ({
        ...store,
        quota: {
          ...store.quota,
          async usage(...of) {
            client.abort()
            await pause(200)
            return store.quota.usage(...of)
          },
        },
      }),
    })
    const query = '/api/v1/lookalikes?domain=example.com&judge=0'
    await assert.rejects(service.get(query, { signal: client.signal }))
    await eventually(() => service.lines().length === 1)
    assert.equal(searches, 0)
  })
})
