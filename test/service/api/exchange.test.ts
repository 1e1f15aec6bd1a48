// Results in other formats over HTTP: which one a client gets, and what stays as it is.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { readResult } from '../../golden/files.ts'
import { eventSchema } from '../../results/exchange/misp_schema.ts'
import { validator } from '../../results/exchange/results.ts'
import { bundleSchema } from '../../results/exchange/stix_schema.ts'
import { KEEP_ALL, type Parts, type Service, startService } from './service.ts'

const STIX = 'application/stix+json;version=2.1'
const MISP = 'application/vnd.misp+json'
const JSON_TYPE = 'application/json; charset=utf-8'

const { result_id: _, process_time_ms: __, cached: ___, ...found } = readResult('phishing') as Record<string, unknown>
const domain = 'microsoft-mailbox-verify.lab'

async function start(t: TestContext, parts: Parts = {}): Promise<Service> {
  const checker = { check: async () => ({ result: found as never, class: 'complete' as const }) }
  const told = { public_url: 'https://checks.example.net/', tlp: 'green' } as const
  return startService(t, { checker, history: KEEP_ALL, ...told, ...parts })
}

interface Got {
  readonly status: number
  readonly type: string | null
  readonly headers: Headers
  readonly text: string
}

async function get(service: Service, path: string, accept?: string, key = service.key): Promise<Got> {
  const headers = { ...(key !== '' && { 'X-API-Key': key }), ...(accept !== undefined && { Accept: accept }) }
  const response = await service.get(path, { headers })
  const { status } = response
  return { status, type: response.headers.get('content-type'), headers: response.headers, text: await response.text() }
}

const check = (service: Service, more = '', accept?: string) =>
  get(service, `/api/v1/check?domain=${domain}${more}`, accept)

const codeOf = ({ text }: Got): unknown => (JSON.parse(text) as { code?: unknown }).code
const detailOf = ({ text }: Got): string => String((JSON.parse(text) as { detail?: unknown }).detail)

const valid = { [STIX]: validator(bundleSchema), [MISP]: validator(eventSchema) } as const

describe('a check', () => {
  const chosen: readonly (readonly [more: string, accept: string | undefined, type: string])[] = [
    ['', undefined, JSON_TYPE],
    ['', '*/*', JSON_TYPE],
    ['', 'application/*', JSON_TYPE],
    ['&format=json', STIX, JSON_TYPE],
    ['&format=stix', undefined, STIX],
    ['&format=stix', 'text/html', STIX],
    ['&format=misp', 'application/json', MISP],
    ['', 'application/stix+json', STIX],
    ['', 'Application/STIX+JSON; version="2.1"', STIX],
    ['', 'application/stix+json;version=2.1, application/json;q=0.5', STIX],
    ['', 'application/json, application/stix+json;q=0.5', JSON_TYPE],
    ['', 'application/stix+json;version=2.0, */*;q=0.1', JSON_TYPE],
    ['', 'application/vnd.misp+json', MISP],
    ['', 'application/vnd.misp+jsonp, */*', JSON_TYPE],
  ]
  it('is answered in the format that the parameter or the header Accept names', async t => {
    const service = await start(t)
    for (const [more, accept, type] of chosen) {
      const got = await check(service, more, accept)
      assert.deepEqual([got.status, got.type], [200, type], `${more} ${accept}`)
      if (type !== JSON_TYPE) valid[type as typeof STIX](JSON.parse(got.text))
    }
    assert.equal(service.checked.length, 1)
  })

  it('accuses no name that was asked for together with an address', async t => {
    const service = await start(t)
    const { text } = await check(service, '&ip=45.130.40.119&format=stix')
    valid[STIX](JSON.parse(text))
    assert.doesNotMatch(text, /"type":"indicator"|resolves-to/)
    assert.match(text, /Malicious pair of name and address microsoft-mailbox-verify\.lab at 45\.130\.40\.119"/)
    assert.match((await check(service, '&format=stix')).text, /"type":"indicator"/)
    const event = JSON.parse((await check(service, '&ip=45.130.40.119&format=misp')).text)
    valid[MISP](event)
    assert.doesNotMatch(JSON.stringify(event), /"to_ids":true/)
  })

  it('counts once, tells of the cache, and carries the marking and the permalink', async t => {
    const service = await start(t)
    const first = await check(service, '&format=stix')
    const again = await check(service, '&format=stix')
    const seen = [first, again].map(({ headers }) => [headers.get('x-cache'), headers.get('x-ratelimit-remaining')])
    assert.deepEqual(seen, [
      ['MISS', '9999'],
      ['HIT', '9998'],
    ])
    assert.equal(first.text, again.text)
    assert.match(first.text, /"name":"TLP:GREEN"/)
    assert.match(first.text, /"url":"https:\/\/checks\.example\.net\/#result=[\w-]{22}"/)
    assert.equal(first.headers.get('cache-control'), 'private, no-store')
    assert.equal(first.headers.get('x-content-type-options'), 'nosniff')
  })

  it('is refused for a type that there is not', async t => {
    const service = await start(t)
    for (const accept of ['application/stix+json;version=2.0', 'application/stix+json;q=0', 'application/taxii+json']) {
      const got = await check(service, '', accept)
      assert.deepEqual([got.status, codeOf(got)], [406, 'not-acceptable'], accept)
      assert.match(detailOf(got), /application\/stix\+json;version=2\.1/)
    }
    assert.equal(service.checked.length, 0)
  })

  it('is refused for a format that there is not', async t => {
    const got = await check(await start(t), '&format=stx')
    const type = 'application/problem+json; charset=utf-8'
    assert.deepEqual([got.status, got.type, codeOf(got)], [400, type, 'invalid-parameter'])
    assert.match(detailOf(got), /did you mean "stix"\?$/)
  })

  it('has no events in another format than JSON', async t => {
    const service = await start(t)
    const got = await check(service, '&format=misp', 'text/event-stream')
    assert.deepEqual([got.status, codeOf(got)], [400, 'invalid-parameter'])
    assert.match(detailOf(got), /format=misp cannot be combined with text\/event-stream/)
    assert.equal((await check(service, '&format=json', 'text/event-stream')).type, 'text/event-stream; charset=utf-8')
  })

  it('is a problem in JSON when it fails, whatever the format', async t => {
    const service = await start(t)
    const got = await get(service, '/api/v1/check?domain=a..com&format=stix', STIX)
    assert.deepEqual([got.status, got.type], [400, 'application/problem+json; charset=utf-8'])
  })
})

describe('a kept result', () => {
  it('is exchanged like the check that made it, with its key and behind a link', async t => {
    const service = await start(t)
    const made = await check(service, '&format=stix')
    const { result_id } = JSON.parse((await check(service)).text) as { result_id: string }
    const path = `/api/v1/results/${result_id}`
    const shared = await service.get(`${path}/shares`, { method: 'POST', headers: { 'X-API-Key': service.key } })
    const { token } = (await shared.json()) as { token: string }
    const link = `/api/v1/shared/${token}`
    for (const [one, key] of [
      [path, service.key],
      [link, ''],
    ] as const) {
      assert.equal((await get(service, `${one}?format=stix`, undefined, key)).text, made.text)
      const misp = await get(service, one, MISP, key)
      assert.equal(misp.type, MISP)
      valid[MISP](JSON.parse(misp.text))
      assert.equal((await get(service, `${one}?format=json`, STIX, key)).type, JSON_TYPE)
      for (const accept of [undefined, 'text/html', 'text/event-stream'])
        assert.equal((await get(service, one, accept, key)).type, JSON_TYPE, accept)
      const wrong = await get(service, `${one}?format=mips`, undefined, key)
      assert.deepEqual([wrong.status, codeOf(wrong)], [400, 'invalid-parameter'])
      assert.match(detailOf(wrong), /did you mean "misp"\?$/)
    }
  })

  it('of another account stays unknown in every format', async t => {
    const service = await start(t)
    const { result_id } = JSON.parse((await check(service)).text) as { result_id: string }
    const { text: key } = await service.store.keys.create({ plan: 'startup', label: 'another account' })
    const got = await get(service, `/api/v1/results/${result_id}?format=stix`, STIX, key)
    assert.deepEqual([got.status, codeOf(got)], [404, 'result-not-found'])
  })
})
