// Pictures of rendered pages: with the result that they belong to, and what a request for one costs.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KEEP_ALL, startService } from './service.ts'

const WEBP = Buffer.from('RIFF....WEBPVP8 of a page')
const pictured = {
  domain: 'example.com',
  ip: null,
  risk_score: 3,
  verdict: 'safe',
  recommendation: 'allow',
  checked_at: '2026-11-15T12:00:00Z',
  coverage: { complete: true },
  signal_details: [],
  rendered: {
    screenshots: [
      { kind: 'desktop', media_type: 'image/webp', sha256: 'a'.repeat(64) },
      { kind: 'phone', media_type: 'image/webp', sha256: 'b'.repeat(64) },
    ],
  },
}
const checker = { check: async () => ({ result: pictured, class: 'complete' as const }) }
/** The second one is there no more. */
const picture = (sha256: string) => (sha256.startsWith('a') ? WEBP : null)
const path = '/api/v1/check?domain=example.com'

describe('a picture of a page', () => {
  it('belongs to the kept result, as what it is, and runs nothing when it is opened', async t => {
    const service = await startService(t, { checker, picture, history: KEEP_ALL })
    const { result_id } = (await (await service.get(path)).json()) as { readonly result_id: string }
    const answer = await service.get(`/api/v1/results/${result_id}/screenshots/desktop`)
    const names = ['content-type', 'content-security-policy', 'x-content-type-options', 'cache-control']
    assert.deepEqual(
      [answer.status, ...names.map(name => answer.headers.get(name))],
      [200, 'image/webp', "default-src 'none'; sandbox", 'nosniff', 'private, no-store'],
    )
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), WEBP)
  })

  const missing: readonly (readonly [title: string, path: (id: string) => string])[] = [
    ['that could not be taken', id => `/api/v1/results/${id}/screenshots/phone`],
    ['of another kind', id => `/api/v1/results/${id}/screenshots/watch`],
    ['of no result', () => `/api/v1/results/${'x'.repeat(22)}/screenshots/desktop`],
    ['of no ID', () => '/api/v1/results/none/screenshots/desktop'],
    ['behind no link', () => `/api/v1/shared/${'x'.repeat(22)}/screenshots/desktop`],
  ]
  for (const [title, pathOf] of missing) {
    it(`${title} is not found`, async t => {
      const service = await startService(t, { checker, picture, history: KEEP_ALL })
      const { result_id } = (await (await service.get(path)).json()) as { readonly result_id: string }
      assert.equal((await service.get(pathOf(result_id))).status, 404)
    })
  }

  it('needs a key, and behind a link none', async t => {
    const service = await startService(t, { checker, picture, history: KEEP_ALL })
    const { result_id } = (await (await service.get(path)).json()) as { readonly result_id: string }
    const own = `/api/v1/results/${result_id}`
    assert.equal((await service.get(`${own}/screenshots/desktop`, { headers: {} })).status, 401)
    const { token } = (await (await service.get(`${own}/shares`, { method: 'POST' })).json()) as {
      readonly token: string
    }
    const shared = await service.get(`/api/v1/shared/${token}/screenshots/desktop`, { headers: {} })
    assert.deepEqual([shared.status, shared.headers.get('content-type')], [200, 'image/webp'])
  })

  it('is removed when its account says so, and the result stays', async t => {
    const service = await startService(t, { checker, picture, history: KEEP_ALL })
    const { result_id } = (await (await service.get(path)).json()) as { readonly result_id: string }
    const own = `/api/v1/results/${result_id}`
    const removed = await service.get(`${own}/screenshots`, { method: 'DELETE' })
    assert.deepEqual([removed.status, await removed.json()], [200, { result_id, removed: true }])
    const after = await Promise.all([
      service.get(`${own}/screenshots`, { method: 'DELETE' }),
      service.get(`${own}/screenshots/desktop`),
      service.get(own),
    ])
    assert.deepEqual(
      after.map(({ status }) => status),
      [404, 404, 200],
    )
  })

  it('of a link is not kept', async t => {
    const service = await startService(t, { checker, picture, history: KEEP_ALL })
    const url = encodeURIComponent('https://example.com/private?token=1')
    const { result_id } = (await (await service.get(`/api/v1/check?url=${url}`)).json()) as { readonly result_id: null }
    assert.equal(result_id, null)
    const rows = await service.store.database.read.selectFrom('pictures').select('kind').execute()
    assert.deepEqual(rows, [])
  })
})

describe('a request with render=true', () => {
  it('is a check of its own that costs its price, cached or not', async t => {
    const service = await startService(t, {
      checker,
      render_price: 5,
      plans: { startup: { quota: 12, period: 'month' } },
    })
    const left = async (query: string) => {
      const answer = await service.get(`${path}${query}`)
      return [answer.status, answer.headers.get('x-cache'), answer.headers.get('x-ratelimit-remaining')]
    }
    assert.deepEqual(await left(''), [200, 'MISS', '11'])
    assert.deepEqual(await left('&render=true'), [200, 'MISS', '6'])
    assert.deepEqual(await left('&render=true'), [200, 'HIT', '1'])
    assert.deepEqual((await left('&render=true'))[0], 429)
    assert.deepEqual(await left('&render=false'), [200, 'HIT', '0'])
    assert.deepEqual(
      service.checked.map(({ render }) => render),
      [undefined, true],
    )
  })

  it('is refused when it is neither true nor false', async t => {
    const service = await startService(t, { checker })
    assert.equal((await service.get(`${path}&render=yes`)).status, 400)
  })

  it('renders nothing of a site that must not be visited', async t => {
    const service = await startService(t, { checker })
    await service.get(`${path}&render=true&visit=false`)
    assert.deepEqual(
      service.checked.map(({ render, visit }) => [render, visit]),
      [[undefined, false]],
    )
  })
})
