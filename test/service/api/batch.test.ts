// Many checks in one request.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Checker } from '../../../src/service/api/answers.ts'
import { eventually, type Parts, type Service, serviceOfSuite, startService } from './service.ts'

const POLITE = { at_once: 1_000, pause_ms: 0 }
const JUDGED = { risk_score: 3, verdict: 'safe', recommendation: 'allow', signal_details: [] }

const answering: Checker = {
  check: async ({ domain, ip, url }) => ({
    result: { domain, ip, url: url?.href ?? null, ...JUDGED },
    class: 'complete',
  }),
}

const start = (t: TestContext, parts: Parts = {}): Promise<Service> =>
  startService(t, { checker: answering, politeness: POLITE, ...parts })

interface Line {
  readonly line: number
  readonly input: string
  readonly error?: { readonly code: string }
  readonly cached?: boolean
}

const post = (service: Service, body: string, init: RequestInit = {}) =>
  service.get('/api/v1/checks', { method: 'POST', body, ...init })

async function batch(service: Service, targets: readonly string[]) {
  const response = await post(service, JSON.stringify({ targets }))
  const text = await response.text()
  const lines =
    text.trim() === ''
      ? []
      : text
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as Line)
  return { response, lines: lines.toSorted((one, other) => one.line - other.line) }
}

async function used({ store, key }: Service): Promise<number> {
  const [first] = await store.keys.list()
  assert.ok(first && key)
  return (await store.quota.usage(first.account, { quota: 10_000, period: 'month' })).used
}

describe('a batch', () => {
  it('answers each target with a line, and counts the results alone', async t => {
    const service = await start(t)
    const { response, lines } = await batch(service, ['a.com', '8.8.8.8', 'https://a.com/x?y=1', 'not a name', 'A.com'])
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.deepEqual(
      lines.map(({ line, input, error }) => [line, input, error?.code]),
      [
        [1, 'a.com', undefined],
        [2, '8.8.8.8', undefined],
        [3, 'https://a.com/x?y=1', undefined],
        [4, 'not a name', 'invalid-domain'],
      ],
    )
    assert.equal(await used(service), 3)
  })

  it('contacts no site when asked to', async t => {
    const service = await start(t)
    const response = await post(service, JSON.stringify({ targets: ['https://a.com/once'], visit: false }))
    await response.text()
    assert.deepEqual(
      service.checked.map(({ visit }) => visit),
      [false],
    )
  })

  it('opens a browser when asked to', async t => {
    const service = await start(t)
    for (const render of [true, false])
      await (await post(service, JSON.stringify({ targets: ['a.com'], render }))).text()
    assert.deepEqual(
      service.checked.map(({ render }) => render),
      [true, undefined],
    )
  })

  it('serves what is cached, and counts it', async t => {
    const service = await start(t)
    await batch(service, ['a.com'])
    const { lines } = await batch(service, ['a.com'])
    assert.deepEqual([lines[0]?.cached, service.checked.length, await used(service)], [true, 1, 2])
  })

  it('counts one by one until the quota is used up', async t => {
    const service = await start(t, { plans: { startup: { quota: 2, period: 'month' } } })
    const { lines } = await batch(service, ['a.com', 'b.com', 'c.com', 'd.com'])
    const codes = lines.map(({ error }) => error?.code ?? 'result').sort()
    assert.deepEqual(codes, ['quota-exceeded', 'quota-exceeded', 'result', 'result'])
  })

  it('sends each line as soon as its check ends', async t => {
    let letGo = () => {}
    const held = new Promise<void>(resolve => {
      letGo = resolve
    })
    const checker: Checker = {
      async check(target, options) {
        if (target.domain === 'slow.com') await held
        return answering.check(target, options)
      },
    }
    const service = await start(t, { checker })
    const response = await post(service, JSON.stringify({ targets: ['slow.com', 'fast.com'] }))
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const { value } = (await reader?.read()) ?? {}
    assert.equal((JSON.parse(value ?? '') as Line).input, 'fast.com')
    letGo()
    assert.equal((JSON.parse((await reader?.read())?.value ?? '') as Line).input, 'slow.com')
    assert.equal((await reader?.read())?.done, true)
  })

  it('begins no further check when the client is gone', async t => {
    const begun: string[] = []
    const checker: Checker = {
      check: ({ domain }, { signal }) =>
        new Promise((_, reject) => {
          begun.push(domain ?? '')
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }
    const service = await start(t, { checker })
    const control = new AbortController()
    const targets = Array.from({ length: 30 }, (_, n) => `n${n}.com`)
    const asked = post(service, JSON.stringify({ targets }), { signal: control.signal }).then(response =>
      response.text(),
    )
    await eventually(() => begun.length === 8)
    control.abort()
    await assert.rejects(asked)
    await eventually(() => service.lines().length > 0)
    assert.equal(begun.length, 8)
  })

  it('waits where there is no room, instead of refusing', async t => {
    const service = await start(t, { perKey: 1 })
    const { lines } = await batch(service, ['a.com', 'b.com', 'c.com'])
    assert.deepEqual(
      lines.map(({ error }) => error?.code),
      [undefined, undefined, undefined],
    )
  })

  const refused: readonly (readonly [title: string, body: string, status: number, code: string])[] = [
    ['text', 'a.com', 400, 'invalid-body'],
    ['a list', '["a.com"]', 400, 'invalid-body'],
    ['numbers', '{"targets":[1]}', 400, 'invalid-body'],
    ['a visit that is no boolean', '{"targets":["a.com"],"visit":"no"}', 400, 'invalid-body'],
    ['an unknown member', '{"targets":["a.com"],"visits":false}', 400, 'invalid-body'],
    ['no target', '{"targets":[]}', 400, 'invalid-body'],
    ['too many targets', JSON.stringify({ targets: Array(1_001).fill('a.com') }), 400, 'invalid-body'],
    ['too many bytes', JSON.stringify({ targets: ['x'.repeat(2_100_000)] }), 413, 'content-too-large'],
  ]
  const suite = serviceOfSuite({ checker: answering, politeness: POLITE })
  for (const [title, body, status, code] of refused) {
    it(`of ${title} is refused as ${code}, and costs nothing`, async () => {
      const service = suite()
      const response = await post(service, body)
      const { code: found } = (await response.json()) as { code: string }
      assert.deepEqual([response.status, found, await used(service)], [status, code, 0])
    })
  }

  it('needs a key', async t => {
    const response = await post(await start(t), '{"targets":["a.com"]}', { headers: {} })
    assert.equal(response.status, 401)
  })
})
