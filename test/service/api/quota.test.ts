// What is counted, and that the count is exact.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CheckResult } from '../../../src/engine/engine.ts'
import { eventually, result, type Service, type Store, startService } from './service.ts'

const limited = (quota: number, period: 'month' | 'day' = 'month') => ({ plans: { startup: { quota, period } } })
const remaining = (response: Response) => response.headers.get('x-ratelimit-remaining')

async function ask(service: Service, query: string): Promise<Response> {
  const response = await service.get(`/api/v1/check?${query}`)
  await response.arrayBuffer()
  return response
}

describe('the quota', () => {
  it('allows exactly the remaining number of concurrent requests, cached or not', async t => {
    const service = await startService(t, limited(10))
    await ask(service, 'domain=d0.com')
    const queries = Array.from({ length: 40 }, (_, i) => `domain=d${i % 12}.com`)
    const responses = await Promise.all(queries.map(query => ask(service, query)))
    const answered = responses.filter(({ status }) => status === 200)
    const refused = responses.filter(({ status }) => status === 429)
    assert.deepEqual([answered.length, refused.length], [9, 31])
    const left = answered.map(response => Number(remaining(response))).sort((a, b) => a - b)
    assert.deepEqual(left, [0, 1, 2, 3, 4, 5, 6, 7, 8])
    for (const response of refused) assert.equal(remaining(response), '0')
  })

  it('is 429 when used up, with the seconds until the next period, rounded up', async t => {
    let now = Date.UTC(2026, 10, 30, 23, 59, 58, 500)
    const service = await startService(t, { ...limited(1), now: () => now })
    assert.equal((await ask(service, 'domain=a.com')).status, 200)
    const refused = await service.get('/api/v1/check?domain=a.com')
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '2')
    assert.equal(refused.headers.get('x-ratelimit-reset'), String(Date.UTC(2026, 11, 1) / 1000))
    assert.equal(refused.headers.get('x-cache'), null)
    assert.equal(JSON.parse(await refused.text()).code, 'quota-exceeded')
    now += 1_500
    const answered = await ask(service, 'domain=a.com')
    assert.equal(answered.status, 200)
    assert.equal(answered.headers.get('x-ratelimit-reset'), String(Date.UTC(2027, 0, 1) / 1000))
  })

  it('is asked for with a key, which notes each use of it, also when nothing is counted', async t => {
    const touched: string[] = []
    const service = await startService(t, {
      store: store => ({ ...store, keys: { ...store.keys, touch: id => void touched.push(id) } }),
    })
    const [key] = await service.store.keys.list()
    await ask(service, 'domain=a.com')
    await ask(service, 'domain=not+a+name')
    assert.deepEqual(touched, [key?.id, key?.id])
  })

  it('belongs to an account: a used-up daily quota does not return with a monthly one', async t => {
    const now = () => Date.UTC(2026, 10, 15, 12)
    const plans = { startup: { quota: 2, period: 'day' }, business: { quota: 5, period: 'month' } } as const
    const service = await startService(t, { plans, now })
    const { keys } = service.store
    const [first] = await keys.list()
    const { account } = first ?? assert.fail()
    const { text } = await keys.create({ account, label: 'second' })
    const other = { headers: { 'X-API-Key': text } }
    const get = async (init?: RequestInit) => {
      const response = await service.get('/api/v1/check?domain=a.com', init)
      await response.arrayBuffer()
      return [response.status, response.headers.get('x-ratelimit-limit'), remaining(response)]
    }
    assert.deepEqual(await get(), [200, '2', '1'])
    assert.deepEqual(await get(other), [200, '2', '0'])
    assert.deepEqual(await get(), [429, '2', '0'])
    await keys.changePlan(account, 'business')
    assert.deepEqual(await get(other), [200, '5', '2'])
    await keys.changePlan(account, 'startup')
    assert.deepEqual(await get(), [429, '2', '0'])
  })

  it('is not charged for refusals, which show what is left', async t => {
    const service = await startService(t, limited(2))
    assert.equal(remaining(await ask(service, 'domain=a.com')), '1')
    for (const query of ['', 'domain=com', 'domain=%', 'ip=x', 'domain=a.com&domain=b.com']) {
      const response = await ask(service, query)
      assert.ok(response.status >= 400 && response.status < 500)
      assert.equal(remaining(response), '1')
    }
    assert.equal(remaining(await ask(service, 'domain=a.com')), '0')
  })
})

/** An engine that answers everything at once, on demand. */
function heldChecker() {
  const waiting: (() => void)[] = []
  const check = () => new Promise<CheckResult>(resolve => waiting.push(() => resolve({ result, class: 'complete' })))
  const answerAll = () => {
    for (const answer of waiting.splice(0)) answer()
  }
  return { waiting, answerAll, checker: { check } }
}

/** Resolves when a number of requests have reached their check. */
function countedArrivals() {
  let count = 0
  const store = (store: Store): Store => {
    const refusal: Store['quota']['refusal'] = (account, allowance) => {
      count++
      return store.quota.refusal(account, allowance)
    }
    return { ...store, quota: { ...store.quota, refusal } }
  }
  const arrived = async (expected: number) => {
    await eventually(() => count === expected)
    await new Promise(resolve => setImmediate(resolve))
  }
  return { arrived, store }
}

describe('many concurrent requests', () => {
  it('for one target share one check; all are misses and each is counted', async t => {
    const { waiting, answerAll, checker } = heldChecker()
    const { arrived, store } = countedArrivals()
    const service = await startService(t, { checker, concurrency: 1, perKey: 1, store })
    const requests = Array.from({ length: 200 }, () => ask(service, 'domain=example.com'))
    await arrived(200)
    assert.equal(waiting.length, 1)
    answerAll()
    const responses = await Promise.all(requests)
    for (const { status, headers } of responses) assert.deepEqual([status, headers.get('x-cache')], [200, 'MISS'])
    assert.equal(service.checked.length, 1)
    assert.equal(Math.min(...responses.map(response => Number(remaining(response)))), 9_800)
  })

  it('for one target are not refused because of the key’s other requests', async t => {
    const { answerAll, checker } = heldChecker()
    const { arrived, store } = countedArrivals()
    const service = await startService(t, { checker, concurrency: 2, wait_ms: 10_000, store })
    const [second, third] = await Promise.all(
      ['second', 'third'].map(label => service.store.keys.create({ plan: 'startup', label })),
    )
    const asAnother = (key: string, domain: string) =>
      service.get(`/api/v1/check?domain=${domain}`, { headers: { 'x-api-key': key } })
    const inside = ['a.com', 'b.com', 'c.com', 'd.com', 'e.com'].map(domain => ask(service, `domain=${domain}`))
    await arrived(5)
    const last = ask(service, 'domain=shared.com')
    await arrived(6)
    const joined = asAnother(second?.text ?? '', 'shared.com')
    await arrived(7)
    const newcomer = asAnother(third?.text ?? '', 'f.com')
    assert.equal((await last).status, 503)
    await arrived(8)
    const timer = setInterval(answerAll, 1)
    const statuses = (await Promise.all([joined, newcomer, ...inside])).map(({ status }) => status)
    clearInterval(timer)
    assert.deepEqual(statuses.slice(0, 2), [200, 200])
    assert.deepEqual(statuses.slice(2).sort(), [200, 200, 200, 200, 503])
  })

  it('above the limit are 503 overloaded and not counted, while cached results are served', async t => {
    const { waiting, answerAll, checker } = heldChecker()
    const service = await startService(t, { checker, concurrency: 1, wait_ms: 10_000 })
    const kept = ask(service, 'domain=kept.com')
    await eventually(() => waiting.length === 1)
    answerAll()
    await kept
    const inside = ['a.com', 'b.com', 'c.com'].map(domain => ask(service, `domain=${domain}`))
    await eventually(() => waiting.length === 1)
    await new Promise(resolve => setTimeout(resolve, 50))
    const refused = await service.get('/api/v1/check?domain=d.com')
    assert.equal(refused.status, 503)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal(JSON.parse(await refused.text()).code, 'overloaded')
    const hit = await ask(service, 'domain=kept.com')
    assert.deepEqual([hit.status, hit.headers.get('x-cache'), remaining(hit)], [200, 'HIT', '9998'])
    const timer = setInterval(answerAll, 1)
    for (const { status } of await Promise.all(inside)) assert.equal(status, 200)
    clearInterval(timer)
  })

  it('of one key above its share are 503, while another key is served', async t => {
    const { waiting, answerAll, checker } = heldChecker()
    const service = await startService(t, { checker, perKey: 2 })
    const other = await service.store.keys.create({ plan: 'startup', label: 'other' })
    const first = [ask(service, 'domain=a.com'), ask(service, 'domain=b.com')]
    await eventually(() => waiting.length === 2)
    assert.equal((await ask(service, 'domain=c.com')).status, 503)
    const others = service.get('/api/v1/check?domain=c.com', { headers: { 'x-api-key': other.text } })
    await eventually(() => waiting.length === 3)
    answerAll()
    assert.deepEqual(
      (await Promise.all([...first, others])).map(({ status }) => status),
      [200, 200, 200],
    )
  })
})
