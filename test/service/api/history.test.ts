// Kept results over HTTP.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import type { Checker } from '../../../src/service/api/answers.ts'
import { SCHEMAS } from '../../../src/service/api/operations.ts'
import { MOST_SHARES } from '../../../src/store/history.ts'
import { dropTable, KEEP_ALL, noCache, type Parts, type Service, serviceOfSuite, startService } from './service.ts'

const ajv = new Ajv2020()
const JUDGED = {
  verdict: 'safe',
  recommendation: 'allow',
  coverage: { complete: true, ratio: 1, sections: {} },
  signal_details: [],
}

/** Each check finds one point more. */
function counting(): Checker {
  let checks = 0
  return {
    async check({ domain, ip }) {
      checks += 1
      const checked_at = `2026-11-25T00:00:${String(checks).padStart(2, '0')}Z`
      const result = { domain, ip: ip ?? '192.0.2.1', risk_score: checks, checked_at, ...JUDGED }
      return { result, class: 'incomplete' }
    },
  }
}

const start = (t: TestContext, parts: Parts = {}): Promise<Service> =>
  startService(t, { checker: counting(), history: KEEP_ALL, ...parts })

type Body = Readonly<Record<string, unknown>>

async function call(service: Service, path: string, init: RequestInit = {}) {
  const response = await service.get(path, init)
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

const check = async (service: Service, query = 'domain=a.com', init: RequestInit = {}) =>
  (await call(service, `/api/v1/check?${query}`, init)).body

const idOf = ({ result_id }: Body): string => String(result_id)

async function otherKey(service: Service): Promise<RequestInit> {
  const { text } = await service.store.keys.create({ plan: 'startup', label: 'another account' })
  return { headers: { 'X-API-Key': text } }
}

function assertShape(schema: TSchema, body: Body): void {
  const validate = ajv.compile(schema)
  assert.ok(validate(body), JSON.stringify(validate.errors))
}

describe('a kept result', () => {
  it('is returned by its ID as it was answered, and costs nothing', async t => {
    const service = await start(t)
    const { process_time_ms: _, cached, ...first } = await check(service)
    const { status, headers, body } = await call(service, `/api/v1/results/${idOf(first)}`)
    const { process_time_ms, cached: again, ...result } = body
    assert.deepEqual([status, result, cached, again], [200, first, false, true])
    assert.equal(headers.get('x-ratelimit-remaining'), '9999')
  })

  it('is returned as a report when asked to, also behind a link', async t => {
    const reportOf = async ({ domain, risk_score }: Body) => ({ about: domain, score: risk_score })
    const service = await start(t, { reportOf })
    const id = idOf(await check(service))
    const { body: share } = await call(service, `/api/v1/results/${id}/shares`, { method: 'POST' })
    for (const path of [`/api/v1/results/${id}`, `/api/v1/shared/${share['token']}`]) {
      const { status, body } = await call(service, `${path}?format=report`)
      assert.deepEqual([status, body], [200, { about: 'a.com', score: 1 }])
      assert.equal(idOf((await call(service, path)).body), id)
      const refused = await call(service, `${path}?format=html`)
      assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid-parameter'])
    }
  })

  it('keeps its ID in the cache, and another check has another', async t => {
    const service = await start(t)
    const [one, cached] = [await check(service), await check(service)]
    const other = await check(service, 'domain=b.com')
    assert.deepEqual([idOf(cached), cached['cached']], [idOf(one), true])
    assert.notEqual(idOf(other), idOf(one))
    assert.match(idOf(one), /^[A-Za-z0-9_-]{22}$/)
  })

  it('is another account’s only when that account was answered with it', async t => {
    const service = await start(t)
    const other = await otherKey(service)
    const id = idOf(await check(service))
    assert.equal((await call(service, `/api/v1/results/${id}`, other)).body['code'], 'result-not-found')
    assert.equal(idOf(await check(service, 'domain=a.com', other)), id)
    assert.equal((await call(service, `/api/v1/results/${id}`, other)).status, 200)
  })

  const notKept = ['url=https%3A%2F%2Fa.com%2Fx%3Ftoken%3D1', 'domain=a.com&visit=false', 'domain=a.com&ip=8.8.8.8']
  for (const query of notKept) {
    it(`is not made of ${query}`, async t => {
      const service = await start(t)
      assert.equal((await check(service, query))['result_id'], null)
      assert.deepEqual((await call(service, '/api/v1/history')).body['results'], [])
    })
  }
})

describe('the history', () => {
  it('lists the results of a target or of all, latest first, in pages', async t => {
    const service = await start(t, { cache: noCache() })
    const ids: string[] = []
    for (const domain of ['a.com', 'b.com', 'a.com', 'a.com']) ids.push(idOf(await check(service, `domain=${domain}`)))
    const listed = async (query: string) => {
      const { body } = await call(service, `/api/v1/history${query}`)
      assertShape(SCHEMAS.HistoryPage, body)
      const results = body['results'] as { result_id: string }[]
      return {
        ids: results.map(({ result_id }) => ids.indexOf(result_id)),
        before: body['before'],
        first: body['first_seen_at'],
      }
    }
    assert.deepEqual(await listed(''), { ids: [3, 2, 1, 0], before: null, first: null })
    assert.deepEqual(await listed('?domain=A.com'), { ids: [3, 2, 0], before: null, first: '2026-11-25T00:00:01Z' })
    const page = await listed('?domain=a.com&limit=2')
    const before = `2026-11-25T00:00:03Z,${ids[2]}`
    assert.deepEqual(page, { ids: [3, 2], before, first: '2026-11-25T00:00:01Z' })
    assert.deepEqual((await listed('?domain=a.com&before=2026-11-25T00:00:03Z')).ids, [0])
    assert.deepEqual((await listed(`?domain=a.com&limit=2&before=${page.before}`)).ids, [0])
    assert.deepEqual((await listed('?ip=192.0.2.9')).ids, [])
  })

  const refused: readonly (readonly [path: string, status: number, code: string])[] = [
    ['/api/v1/history?domain=not%20a%20name', 400, 'invalid-domain'],
    ['/api/v1/history?before=yesterday', 400, 'invalid-parameter'],
    ['/api/v1/history?before=2026-11-25T00:00:03Z,one', 400, 'invalid-parameter'],
    ['/api/v1/history?before=2026-11-25T00:00:03Z,AAAAAAAAAAAAAAAAAAAAAA,', 400, 'invalid-parameter'],
    ['/api/v1/history?limit=501', 400, 'invalid-parameter'],
    ['/api/v1/compare?from=AAAAAAAAAAAAAAAAAAAAAA', 400, 'invalid-parameter'],
    ['/api/v1/compare?from=AAAAAAAAAAAAAAAAAAAAAA&to=AAAAAAAAAAAAAAAAAAAAAA', 404, 'result-not-found'],
    ['/api/v1/results/not-an-id', 404, 'result-not-found'],
    ['/api/v1/shared/AAAAAAAAAAAAAAAAAAAAAA', 404, 'result-not-found'],
    ['/badge/AAAAAAAAAAAAAAAAAAAAAA.svg', 404, 'result-not-found'],
  ]
  const suite = serviceOfSuite({ history: KEEP_ALL })
  for (const [path, status, code] of refused) {
    it(`refuses ${path} as ${code}`, async () => {
      const answer = await call(suite(), path)
      assert.deepEqual([answer.status, answer.body['code']], [status, code])
    })
  }

  it('needs a key', async t => {
    const service = await start(t)
    for (const path of ['/api/v1/history', '/api/v1/results/AAAAAAAAAAAAAAAAAAAAAA', '/api/v1/compare'])
      assert.equal((await call(service, path, { headers: {} })).body['code'], 'missing-api-key', path)
  })

  it('says that it is disabled where no results are kept', async t => {
    const service = await startService(t)
    assert.equal((await call(service, '/api/v1/history')).body['code'], 'history-disabled')
  })

  it('never looks empty when it cannot be read', async t => {
    const service = await start(t)
    const id = idOf(await check(service))
    await dropTable(service.store, 'sightings')
    for (const path of ['/api/v1/history', `/api/v1/results/${id}`]) {
      const { status, body, headers } = await call(service, path)
      assert.deepEqual([status, body['code'], headers.get('retry-after')], [503, 'history-unavailable', '5'])
    }
  })

  it('never lacks an answer: one that cannot be kept is not given and not counted', async t => {
    const service = await start(t)
    await dropTable(service.store, 'sightings')
    const { status, body, headers } = await call(service, '/api/v1/check?domain=a.com')
    assert.deepEqual([status, body['code'], headers.get('retry-after')], [503, 'store-unavailable', '5'])
    assert.equal(body['detail'], 'The store cannot be read or written at present. Retry later.')
    assert.equal(headers.get('x-ratelimit-remaining'), '10000')
  })
})

describe('a comparison', () => {
  it('shows what changed between two results of a target', async t => {
    const service = await start(t, { cache: noCache() })
    const [from, to] = [idOf(await check(service)), idOf(await check(service))]
    const { body } = await call(service, `/api/v1/compare?from=${from}&to=${to}`)
    assertShape(SCHEMAS.Comparison, body)
    const changes = body['changes'] as { path: string; before: unknown; after: unknown }[]
    assert.deepEqual(
      changes.map(({ path, before, after }) => [path, before, after]),
      [['risk_score', 1, 2]],
    )
    const other = idOf(await check(service, 'domain=b.com'))
    const refused = await call(service, `/api/v1/compare?from=${from}&to=${other}`)
    assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid-parameter'])
  })
})

describe('a link to a result', () => {
  const share = async (service: Service, id: string) => {
    const { status, body } = await call(service, `/api/v1/results/${id}/shares`, { method: 'POST' })
    assert.equal(status, 201)
    assertShape(SCHEMAS.CreatedShare, body)
    return body as Readonly<Record<'share_id' | 'token' | 'url' | 'badge_url', string>>
  }

  it('shows it without a key, until it is revoked', async t => {
    const service = await start(t, { public_url: 'https://checks.example.com/' })
    const id = idOf(await check(service))
    const { token, share_id, url, badge_url } = await share(service, id)
    assert.deepEqual(
      [url, badge_url],
      [`https://checks.example.com/#shared=${token}`, `https://checks.example.com/badge/${token}.svg`],
    )
    const listed = await call(service, `/api/v1/results/${id}/shares`)
    assertShape(SCHEMAS.Shares, listed.body)
    assert.deepEqual(
      (listed.body['shares'] as { share_id: string }[]).map(one => one.share_id),
      [share_id],
    )
    const path = `/api/v1/shared/${token}`
    assert.equal(idOf((await call(service, path, { headers: {} })).body), id)
    const foreign = await call(service, `/api/v1/shares/${share_id}`, {
      method: 'DELETE',
      ...(await otherKey(service)),
    })
    assert.equal(foreign.body['code'], 'result-not-found')
    const { body } = await call(service, `/api/v1/shares/${share_id}`, { method: 'DELETE' })
    assertShape(SCHEMAS.Revoked, body)
    assert.equal((await call(service, path, { headers: {} })).body['code'], 'result-not-found')
  })

  it('ends with the last valid key of its account, for its badge too', async t => {
    const service = await start(t)
    const { token } = await share(service, idOf(await check(service)))
    const [key] = await service.store.keys.list()
    const answers = async () => {
      const responses = [`/api/v1/shared/${token}`, `/badge/${token}.svg`].map(path =>
        service.get(path, { headers: {} }),
      )
      return Promise.all(responses.map(async one => (await one).status))
    }
    const { key: second } = await service.store.keys.create({ account: key?.account ?? '', label: '' })
    await service.store.keys.revoke(key?.id ?? '')
    assert.deepEqual(await answers(), [200, 200])
    await service.store.keys.revoke(second.id)
    assert.deepEqual(await answers(), [404, 404])
    await service.store.keys.create({ account: key?.account ?? '', label: '' })
    assert.deepEqual(await answers(), [404, 404])
  })

  it('has a badge with the latest verdict on the target, which runs nothing', async t => {
    const service = await start(t, { cache: noCache() })
    const { token } = await share(service, idOf(await check(service)))
    await check(service)
    const response = await service.get(`/badge/${token}.svg`, { headers: {} })
    const svg = await response.text()
    assert.match(
      svg,
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*aria-label="a\.com: safe, risk score 2 of 100, checked 2026-11-25"/,
    )
    assert.equal(response.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
    assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  })

  it('is not made of a result of another account', async t => {
    const service = await start(t)
    const id = idOf(await check(service))
    const answer = await call(service, `/api/v1/results/${id}/shares`, { method: 'POST', ...(await otherKey(service)) })
    assert.equal(answer.body['code'], 'result-not-found')
  })

  it('is refused beyond the limit of the account', async t => {
    const service = await start(t)
    const id = idOf(await check(service))
    const [key] = await service.store.keys.list()
    const shares = Array.from({ length: MOST_SHARES }, (_, n) => ({
      id: `${n}`.padStart(12, 'a'),
      token_hash: `${n}`.padStart(43, 'a'),
      account: key?.account ?? '',
      result_id: id,
      created: Date.now(),
    }))
    await service.store.database.transaction(change => change.insertInto('shares').values(shares).execute())
    const { status, body } = await call(service, `/api/v1/results/${id}/shares`, { method: 'POST' })
    assert.deepEqual([status, body['code']], [409, 'share-limit'])
  })

  it('is in no log line', async t => {
    const service = await start(t)
    const { token } = await share(service, idOf(await check(service)))
    await call(service, `/api/v1/shared/${token}`, { headers: {} })
    await service.get(`/badge/${token}.svg`, { headers: {} })
    for (const path of [`/api/v1/shared/${token}/`, `/badge/${token}.svg/x`, `/shared/${token}`])
      await service.get(path, { headers: {} })
    await service.get(`/api/v1/shared/${token}`, { method: 'PUT', headers: {} })
    assert.ok(!JSON.stringify(service.lines()).includes(token))
  })

  it('cannot be guessed without end', async t => {
    const failures = {
      take: (() => {
        let left = 2
        return () => (left-- > 0 ? 0 : 30)
      })(),
    }
    const service = await start(t, { bursts: { failures, requests: { take: () => 0 } } })
    const guess = async () => (await call(service, '/api/v1/shared/AAAAAAAAAAAAAAAAAAAAAA', { headers: {} })).status
    assert.deepEqual([await guess(), await guess(), await guess()], [404, 404, 429])
  })

  const allowed: readonly (readonly [path: string, method: string, allow: string])[] = [
    ['/api/v1/check?domain=a.com', 'POST', 'GET, HEAD'],
    ['/api/v1/results/AAAAAAAAAAAAAAAAAAAAAA/shares', 'DELETE', 'GET, HEAD, POST'],
    ['/api/v1/shares/AAAAAAAAAAAA', 'POST', 'DELETE'],
    ['/api/v1/shares/AAAAAAAAAAAA', 'GET', 'DELETE'],
    ['/no-such-path', 'PUT', 'GET, HEAD'],
  ]
  const suite = serviceOfSuite({ history: KEEP_ALL })
  for (const [path, method, allow] of allowed) {
    it(`lets ${path} answer ${method} with 405 and the methods it allows`, async () => {
      const { status, headers } = await call(suite(), path, { method })
      assert.deepEqual([status, headers.get('allow')], [405, allow])
    })
  }
})
