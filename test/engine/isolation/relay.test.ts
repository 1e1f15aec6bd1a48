import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ENDED_REQUESTS, EXCHANGED_BYTES, openRelay, REQUESTS } from '../../../src/engine/isolation/relay.ts'
import type { GatherContext } from '../../../src/evidence/evidence.ts'
import { Unavailable } from '../../../src/evidence/facts.ts'

const QUERY = { name: 'a.com', type: 'A' }

/** A relay to a check whose DNS answers, if at all, with what it was asked. */
function relayed({ isSilent = false, evidence = (kind: string): unknown => ({ of: kind }) } = {}) {
  const signals: AbortSignal[] = []
  const query = (name: string, type: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal)
    return isSilent ? new Promise(() => {}) : Promise.resolve({ status: 'found', records: [`${type} ${name}`] })
  }
  const gather = async (kind: string) => {
    if (kind === 'tls') throw new Unavailable('timeout')
    return evidence(kind)
  }
  const context = { gather, network: { resolver: { query } } } as unknown as GatherContext
  const relay = openRelay(context, kind => kind !== 'unheard_of')
  const ask = (name = 'dns', given: unknown = QUERY, octets = 100) => relay.take(7, name, given, octets)
  return { relay, signals, ask }
}

describe('the relay of a gatherer', () => {
  it('answers a query, and with evidence, in JSON', async () => {
    const { ask } = relayed()
    assert.equal(
      await ask('dns', { name: 'a.com', type: 'MX' }),
      '{"answer":7,"value":{"status":"found","records":["MX a.com"]}}',
    )
    assert.equal(await ask('gather', { kind: 'dns' }), '{"answer":7,"value":{"of":"dns"}}')
  })

  const rejected: readonly (readonly [what: string, name: string, given: unknown, error: object])[] = [
    ['evidence that is missing', 'gather', { kind: 'tls' }, { name: 'Unavailable', reason: 'timeout' }],
    [
      'evidence that nothing gathers',
      'gather',
      { kind: 'unheard_of' },
      { message: 'there is no evidence "unheard_of"' },
    ],
    ['a socket of nobody', 'read', { socket: 0 }, { name: 'TypeError', message: 'there is no such socket' }],
    [
      'a field that it does not know',
      'dns',
      { ...QUERY, server: '10.0.0.1' },
      { name: 'TypeError', message: 'dns.server: unknown key' },
    ],
    [
      'a header that ends its line',
      'fetch',
      { url: 'https://a.com', max_bytes: 1, timeout_ms: 1, redirects: 0, headers: { a: 'b\r\nc: d' } },
      { name: 'TypeError', message: 'fetch.headers.a: must match ^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$' },
    ],
  ]
  for (const [what, name, given, error] of rejected) {
    it(`rejects a request for ${what}`, async () => {
      await assert.rejects(relayed().ask(name, given), error)
    })
  }

  it('throws at what the process of an honest plugin never asks', () => {
    for (const name of ['open_file', 'constructor', '__proto__', ''])
      assert.throws(() => relayed().ask(name), /sent an unknown request/)
  })

  it('refuses more requests than one check may make, and throws at one that goes on', async () => {
    const { ask } = relayed()
    for (let n = 0; n < REQUESTS; n++) await ask()
    const refused = Array.from({ length: ENDED_REQUESTS - REQUESTS }, () => ask())
    for (const answer of refused) await assert.rejects(answer, { name: 'Unavailable', reason: 'too_many_requests' })
    assert.throws(() => ask(), /sent more than 4000 requests in one check/)
  })

  it('counts the octets of requests and answers, and refuses what exceeds them', async () => {
    const { ask } = relayed({ evidence: () => 'x'.repeat(EXCHANGED_BYTES / 4) })
    for (let n = 0; n < 3; n++) await ask('gather', { kind: 'page' })
    await ask('dns', QUERY, EXCHANGED_BYTES / 4 - 2_000)
    await assert.rejects(ask('dns', QUERY, 2_000), /exchanged more than 16777216 octets in one check/)
  })

  it('cancels what is under way when it closes', async () => {
    const { relay, ask, signals } = relayed({ isSilent: true })
    for (let n = 0; n < 3; n++) void ask()
    relay.close()
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true, true],
    )
  })

  it('answers, rejects or throws, whatever it is asked', async () => {
    const names = fc.constantFrom('dns', 'fetch', 'connect', 'read', 'write', 'end', 'destroy', 'gather', 'other')
    await fc.assert(
      fc.asyncProperty(names, fc.jsonValue(), async (name, given) => {
        let answer: Promise<string>
        try {
          answer = relayed().ask(name, given)
        } catch (error) {
          return assert.equal(name, 'other', String(error))
        }
        await answer.then(JSON.parse, error => assert.ok(error instanceof Error, String(error)))
      }),
    )
  })
})
