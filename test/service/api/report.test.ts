// The report instead of, and beside, a result: only where it is asked for.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { eventReader } from '../../../src/web/event_stream.js'
import { result, startService } from './service.ts'

const path = '/api/v1/check?domain=example.com'

async function serviceThat(t: TestContext) {
  let made = 0
  const reportOf = async (given: Readonly<Record<string, unknown>>) => {
    made += 1
    return { about: given['domain'], text: given['text'], cached: given['cached'] }
  }
  return { service: await startService(t, { reportOf }), made: () => made }
}

const report = (cached: boolean) => ({ about: 'example.com', text: result.text, cached })

describe('a check', () => {
  it('is answered with its report when asked to, from a check and from the cache', async t => {
    const { service, made } = await serviceThat(t)
    for (const [origin, cached] of [
      ['MISS', false],
      ['HIT', true],
    ] as const) {
      const response = await service.get(`${path}&format=report`)
      const { headers } = response
      assert.deepEqual(
        [response.status, headers.get('content-type'), headers.get('x-cache')],
        [200, 'application/json; charset=utf-8', origin],
      )
      assert.deepEqual(await response.json(), report(cached))
    }
    assert.equal(made(), 2)
  })

  it('makes no report unless it is asked for', async t => {
    const { service, made } = await serviceThat(t)
    for (const query of ['', '&format=json']) {
      const response = await service.get(`${path}${query}`)
      assert.equal(((await response.json()) as typeof result).text, result.text)
    }
    assert.equal(made(), 0)
  })

  it('has the report before the result in its stream', async t => {
    const { service } = await serviceThat(t)
    const headers = { 'x-api-key': service.key, accept: 'text/event-stream' }
    const events = eventReader()(await (await service.get(`${path}&format=report`, { headers })).text())
    assert.deepEqual(
      events.map(({ event }) => event),
      ['report', 'result'],
    )
    assert.deepEqual(JSON.parse(events[0]?.data ?? ''), report(false))
    assert.equal(JSON.parse(events[1]?.data ?? '').text, result.text)
    const plain = eventReader()(await (await service.get(path, { headers })).text())
    assert.deepEqual(
      plain.map(({ event }) => event),
      ['result'],
    )
  })

  it('in another form is refused', async t => {
    const { service } = await serviceThat(t)
    const response = await service.get(`${path}&format=html`)
    const { code, detail } = (await response.json()) as { code: string; detail: string }
    assert.deepEqual(
      [response.status, code, detail],
      [400, 'invalid-parameter', 'The parameter format is not one of json, report, stix, misp.'],
    )
  })
})
