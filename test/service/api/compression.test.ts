// Compressed answers: the same body in the coding that the client prefers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { codingOf, compressedResult } from '../../../src/service/api/compression.ts'
import { endOfBody, finishBody, prepareBody } from '../../../src/store/result_body.ts'
import { KEEP_ALL, type Parts, type Service, startService } from './service.ts'

const decoded = { gzip: gunzipSync, br: brotliDecompressSync, identity: (body: Buffer) => body }

const preferences: readonly (readonly [header: string | undefined, coding: 'br' | 'gzip' | null])[] = [
  [undefined, null],
  ['', null],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['identity, gzip;q=0.5', null],
  ['gzip;q=0', null],
  ['deflate, zstd', null],
  ['constructor', null],
  [`gzip${' '.repeat(300)}`, null],
]

describe('the coding of an answer', () => {
  for (const [header, coding] of preferences)
    it(`is ${coding ?? 'none'} for ${JSON.stringify(header)?.slice(0, 40)}`, () =>
      assert.equal(codingOf(header), coding))

  for (const coding of ['br', 'gzip'] as const)
    it(`${coding} of a result is that of its text, first and again`, () => {
      const own = fc.tuple(fc.nat(99_999), fc.boolean(), fc.boolean())
      fc.assert(
        fc.property(fc.dictionary(fc.string(), fc.jsonValue()), own, own, (members, ...answers) => {
          const prepared = prepareBody(members)
          for (const one of answers) {
            const body = compressedResult(prepared, endOfBody(...one), coding, true)
            assert.equal(decoded[coding](body).toString('latin1'), finishBody(prepared, ...one))
          }
        }),
        { numRuns: 50 },
      )
    })
})

interface Answer {
  readonly coding: keyof typeof decoded
  readonly vary: string | undefined
  readonly octets: number
  readonly text: string
}

/** As sent: `fetch` hides the coding. */
async function ask({ port, key }: Service, path: string, accepted: string, more: object = {}): Promise<Answer> {
  const headers = { 'X-API-Key': key, ...(accepted && { 'Accept-Encoding': accepted }), ...more }
  const sent = get({ port, path, headers })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray())
  const coding = (response.headers['content-encoding'] ?? 'identity') as keyof typeof decoded
  const { vary } = response.headers
  return { coding, vary, octets: body.length, text: decoded[coding](body).toString() }
}

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../golden/results/static.json'), 'utf8'))
const result = { ...golden, text: 'caf\u00e9 '.repeat(10_000) }
const parts: Parts = {
  checker: { check: async () => ({ result, class: 'complete' as const }) },
  history: KEEP_ALL,
}
const CHECK = '/api/v1/check?domain=a.com'
const start = (t: TestContext) => startService(t, parts)

describe('an answer', () => {
  for (const accepted of ['br', 'gzip'])
    it(`is compressed with ${accepted}, from a check, from the cache and as it was kept`, async t => {
      const service = await start(t)
      const plain = await ask(service, CHECK, '')
      const { result_id } = JSON.parse(plain.text)
      assert.deepEqual([plain.coding, plain.vary], ['identity', 'Accept-Encoding'])
      for (const path of [`${CHECK}&fresh=true`, CHECK, CHECK, `/api/v1/results/${result_id}`]) {
        const { coding, vary, octets, text } = await ask(service, path, accepted)
        assert.deepEqual([coding, vary, JSON.parse(text).text], [accepted, 'Accept-Encoding', result.text], path)
        assert.ok(octets < plain.octets / 10, `${octets} octets`)
      }
    })

  it('is sent as it is when it is short, a problem, or a stream of events', async t => {
    const service = await start(t)
    const events = await ask(service, CHECK, 'gzip, br', { Accept: 'text/event-stream' })
    const short = await ask(service, `${CHECK}&fields=domain`, 'gzip, br')
    const problem = await ask(service, `/api/v1/check?domain=${'a'.repeat(600)}`, 'gzip, br')
    for (const { coding, vary } of [events, short, problem]) assert.deepEqual([coding, vary], ['identity', undefined])
    assert.match(events.text, /^event: result\ndata: \{/)
  })
})
