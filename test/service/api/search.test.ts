// Searching kept results over HTTP.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Checker } from '../../../src/service/api/answers.ts'
import { KEEP_ALL, type Parts, startService } from './service.ts'

interface Seen {
  readonly title?: string
  readonly ip?: string
  readonly icon?: string
}

const ICON = 'ab'.repeat(32)

/** Pages by name. */
const SEEN: Readonly<Record<string, Seen>> = {
  'a.com': { title: 'Sign in', ip: '192.0.2.1', icon: ICON },
  'b.com': { title: 'Sign in to b', ip: '192.0.2.2', icon: ICON },
  'c.com': { title: 'Other', ip: '198.51.100.1', icon: ICON },
}

function seeing(): Checker {
  let checks = 0
  return {
    async check({ domain }) {
      checks += 1
      const { title = null, ip = null, icon } = SEEN[domain ?? ''] ?? {}
      const checked_at = `2026-11-25T00:00:${String(checks).padStart(2, '0')}Z`
      const judged = {
        verdict: 'safe',
        recommendation: 'allow',
        risk_score: 1,
        signals: ['log_in_form'],
        signal_details: [],
      }
      const page = { content_analysis: { title, icon: icon === undefined ? null : { sha256: icon } } }
      return { result: { domain, ip, checked_at, ...judged, ...page, coverage: { complete: true } }, class: 'complete' }
    },
  }
}

type Body = Readonly<Record<string, unknown>>

async function start(t: TestContext, parts: Parts = {}) {
  const service = await startService(t, { checker: seeing(), history: KEEP_ALL, ...parts })
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await service.get(path, init)
    return { status: response.status, body: (await response.json()) as Body }
  }
  const { text } = await service.store.keys.create({ plan: 'startup', label: 'another account' })
  const other: RequestInit = { headers: { 'X-API-Key': text } }
  const check = async (domain: string, init?: RequestInit) =>
    String((await call(`/api/v1/check?domain=${domain}`, init)).body['result_id'])
  const found = async (query: string, init?: RequestInit) => {
    const { status, body } = await call(`/api/v1/search?${query}`, init)
    assert.equal(status, 200, JSON.stringify(body))
    return { ...body, targets: (body['results'] as { target: string }[]).map(({ target }) => target) }
  }
  return { call, check, found, other }
}

describe('a search', () => {
  it('finds the targets that showed all that is asked for', async t => {
    const { check, found } = await start(t)
    for (const domain of Object.keys(SEEN)) await check(domain)
    const answers: readonly [string, readonly string[]][] = [
      [`icon_hash=${ICON}`, ['c.com', 'b.com', 'a.com']],
      [`icon_hash=${ICON}&title=in+SIGN`, ['b.com', 'a.com']],
      ['network=192.0.2.0/24', ['b.com', 'a.com']],
      ['address=192.0.2.1&signal=log_in_form', ['a.com']],
      ['title=nothing', []],
    ]
    for (const [query, targets] of answers) {
      const { targets: listed, scope, before } = (await found(query)) as Body & { targets: readonly string[] }
      assert.deepEqual([listed, scope, before], [targets, 'account', null], query)
    }
  })

  it('is refused with a number of others in one second, of the account alone', async t => {
    const { call, other, check } = await start(t, { monotonic: () => 5_000 })
    const id = await check('a.com')
    const paths = [...Array(9).fill('/api/v1/search?address=192.0.2.1'), `/api/v1/search/related?result=${id}`]
    for (const path of paths) assert.equal((await call(path)).status, 200)
    for (const path of paths.slice(-2)) {
      const { status, body } = await call(path)
      assert.deepEqual([status, body['code']], [429, 'rate-limited'])
    }
    assert.equal((await call('/api/v1/search?address=192.0.2.1', other)).status, 200)
  })

  it('goes on where a page ended', async t => {
    const { check, found } = await start(t)
    for (const domain of Object.keys(SEEN)) await check(domain)
    const first = (await found(`icon_hash=${ICON}&limit=2`)) as Body
    const second = await found(`icon_hash=${ICON}&limit=2&before=${first['before']}`)
    assert.deepEqual([first['targets'], second.targets], [['c.com', 'b.com'], ['a.com']])
  })

  const refused: readonly [string, string][] = [
    ['', 'Name what to search for: certificate, icon_hash, '],
    ['limit=5', 'Name what to search for: certificate, icon_hash, '],
    ['address=a.com', 'The parameter address must look like 192.0.2.7.'],
    ['network=192.0.2.1', 'The parameter network must look like 192.0.2.0/24.'],
    ['network=0.0.0.0/0', 'The parameter network must look like 192.0.2.0/24.'],
    ['icon_hash=abc', 'The parameter icon_hash must look like '],
    ['asn=ASX', 'The parameter asn must look like AS64497.'],
    ['title=%E2%80%A6', 'The parameter title must look like sign in.'],
    ['adress=192.0.2.1', 'There is no parameter adress; did you mean address?'],
    ['icon-hash=1', 'There is no parameter icon-hash; did you mean icon_hash?'],
    ['title=a&before=x', 'The parameter before must be the value of before in an earlier page.'],
    ['title=a&scope=all', 'The parameter scope is not one of account, installation.'],
    ['title=a&scope=installation', 'On this installation, an account can only search its own results.'],
    ['title=a&title=b', 'The parameter title is repeated.'],
    ['title=a&limit=0', 'The parameter limit is not a number from 1 to 500.'],
  ]
  it('refuses what it does not understand', async t => {
    const { call } = await start(t)
    for (const [query, detail] of refused) {
      const { status, body } = await call(`/api/v1/search?${query}`)
      assert.deepEqual([status, body['code']], [400, 'invalid-parameter'], query)
      assert.ok(String(body['detail']).startsWith(detail), `${query}: ${body['detail']}`)
    }
  })

  it('shows an account its own results, unless the operator allows all', async t => {
    const own = await start(t)
    const id = await own.check('a.com')
    assert.deepEqual((await own.found('title=sign', own.other)).targets, [])
    assert.equal((await own.call(`/api/v1/results/${id}`, own.other)).status, 404)

    const all = await start(t, { history: { ...KEEP_ALL, searched: 'installation' } })
    const shared = await all.check('a.com')
    const { targets, scope } = (await all.found('title=sign', all.other)) as Body & { targets: readonly string[] }
    assert.deepEqual([targets, scope], [['a.com'], 'installation'])
    assert.deepEqual((await all.found('title=sign&scope=account', all.other)).targets, [])
    assert.equal((await all.call(`/api/v1/results/${shared}`, all.other)).status, 200)
    assert.deepEqual((await all.call('/api/v1/history', all.other)).body['results'], [])
  })

  it('is not there without a history', async t => {
    const service = await startService(t)
    const response = await service.get('/api/v1/search?title=a')
    assert.deepEqual([response.status, ((await response.json()) as Body)['code']], [404, 'history-disabled'])
  })
})

describe('what other targets share', () => {
  it('is counted for each fact of a result', async t => {
    const { check, call, other } = await start(t)
    const id = await check('a.com')
    for (const domain of ['b.com', 'c.com']) await check(domain)
    const { body } = await call(`/api/v1/search/related?result=${id}`)
    assert.deepEqual(body, {
      result_id: id,
      target: 'a.com',
      scope: 'account',
      facts: [
        { kind: 'icon_hash', value: ICON, words: 'icon', others: 2, more: false },
        { kind: 'address', value: '192.0.2.1', words: 'address', others: 0, more: false },
        { kind: 'title', value: 'Sign in', words: 'title', others: 1, more: false },
        { kind: 'signal', value: 'log_in_form', words: 'signal', others: 2, more: false },
      ],
    })
    assert.equal((await call(`/api/v1/search/related?result=${id}`, other)).body['code'], 'result-not-found')
    assert.equal((await call('/api/v1/search/related')).body['detail'], 'The parameter result is missing.')
  })
})
