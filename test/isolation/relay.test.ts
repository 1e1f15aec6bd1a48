import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { Unavailable } from '../../src/evidence/facts.ts'
import { LINE_BYTES, OPEN_REQUESTS, REQUESTS, type Reply, SENT_BYTES } from '../../src/isolation/protocol.ts'
import { openRelay } from '../../src/isolation/relay.ts'

/** A relay to a check whose DNS answers, if at all, with what it was asked. */
function relayed({ isSilent = false, evidence = (kind: string): object => ({ of: kind }) } = {}) {
  const ended = new AbortController()
  const signals: AbortSignal[] = []
  const replies: Reply[] = []
  let overs = 0
  const query = (name: string, type: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal)
    return isSilent ? new Promise(() => {}) : Promise.resolve({ status: 'found', records: [`${type} ${name}`] })
  }
  const gather = async (kind: string) => {
    if (kind === 'tls') throw new Unavailable('timeout')
    return evidence(kind)
  }
  const context = { signal: ended.signal, gather, network: { resolver: { query } } } as unknown as GatherContext
  const relay = openRelay(context, kind => kind !== 'unheard_of')
  relay.opened(
    reply => replies.push(reply),
    () => {
      overs += 1
    },
  )
  const ask = (request: number, name = 'dns', given: unknown = { name: 'a.com', type: 'A' }, octets = 100) =>
    relay.take({ of: 1, request, name, with: given }, octets)
  const settled = () => new Promise(resolve => setImmediate(resolve))
  return { relay, ended, signals, replies, ask, settled, overs: () => overs }
}

describe('the relay of a gatherer', () => {
  const answered: readonly (readonly [what: string, name: string, given: unknown, reply: object])[] = [
    ['a query', 'dns', { name: 'a.com', type: 'MX' }, { value: { status: 'found', records: ['MX a.com'] } }],
    ['evidence', 'gather', { kind: 'dns' }, { value: { evidence: '{"of":"dns"}' } }],
    [
      'evidence that is missing',
      'gather',
      { kind: 'tls' },
      { error: { name: 'Unavailable', message: 'unavailable: timeout', reason: 'timeout' } },
    ],
    [
      'evidence that nothing gathers',
      'gather',
      { kind: 'unheard_of' },
      { error: { name: 'Error', message: 'there is no evidence "unheard_of"' } },
    ],
    [
      'a request for a socket of nobody',
      'read',
      { socket: 0 },
      { error: { name: 'TypeError', message: 'there is no such socket' } },
    ],
    [
      'a field that it does not know',
      'dns',
      { name: 'a.com', type: 'A', server: '10.0.0.1' },
      { error: { name: 'TypeError', message: 'dns.server: unknown key' } },
    ],
    [
      'a header that ends its line',
      'fetch',
      { url: 'https://a.com', max_bytes: 1, timeout_ms: 1, redirects: 0, headers: { a: 'b\r\nc: d' } },
      { error: { name: 'TypeError', message: 'fetch.headers.a: must match ^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$' } },
    ],
  ]
  for (const [what, name, given, reply] of answered) {
    it(`answers ${what}`, async () => {
      const { ask, replies, settled } = relayed()
      ask(7, name, given)
      await settled()
      assert.deepEqual(replies, [{ reply: 7, ...reply }])
    })
  }

  it('throws at what the process of an honest plugin never asks', () => {
    const { relay, ask } = relayed({ isSilent: true })
    for (const name of ['open_file', 'constructor', '__proto__', ''])
      assert.throws(() => ask(1, name), /asked for something unknown/)
    for (const message of [{ of: 1 }, { of: 1, request: '1', name: 'dns' }, { of: 1, drop: 'all' }])
      assert.throws(() => relay.take(message, 10), /asked for something unknown/)
    ask(2)
    assert.throws(() => ask(2), /used the number of a request twice/)
  })

  it('throws when too much is asked at once, or altogether', async () => {
    const silent = relayed({ isSilent: true })
    for (let request = 0; request < OPEN_REQUESTS; request++) silent.ask(request)
    assert.throws(() => silent.ask(OPEN_REQUESTS), /asked 33 things at once/)
    silent.relay.take({ of: 1, drop: 0 }, 10)
    silent.ask(OPEN_REQUESTS)
    const { ask, settled, replies } = relayed()
    for (let request = 0; request < REQUESTS; request++) {
      ask(request)
      await settled()
    }
    assert.equal(replies.length, REQUESTS)
    assert.throws(() => ask(REQUESTS), /asked more than 2000 times in one check/)
  })

  it('makes JSON of a kind of evidence once, also when each request for it is dropped', async () => {
    let made = 0
    const { relay, ask, settled, replies } = relayed({ evidence: kind => ({ toJSON: () => `${kind} ${++made}` }) })
    for (let request = 0; request < 100; request++) {
      ask(request, 'gather', { kind: 'page' })
      relay.take({ of: 1, drop: request }, 10)
    }
    ask(100, 'gather', { kind: 'page' })
    ask(101, 'gather', { kind: 'dns' })
    await settled()
    assert.deepEqual(replies, [
      { reply: 100, value: { evidence: '"page 1"' } },
      { reply: 101, value: { evidence: '"dns 2"' } },
    ])
  })

  it('throws when too much is sent, also with what asks for nothing', () => {
    const { relay } = relayed()
    for (let sent = 0; sent < SENT_BYTES; sent += LINE_BYTES) relay.take({ of: 1, drop: 9 }, LINE_BYTES)
    assert.throws(() => relay.take({ of: 1, drop: 9 }, 1), /sent more than 8388608 octets in one check/)
  })

  it('cancels one request when it is dropped, and all when the check ends, and then replies to none', async () => {
    const { relay, ask, ended, signals, replies, settled, overs } = relayed({ isSilent: true })
    for (const request of [1, 2, 3]) ask(request)
    relay.take({ of: 1, drop: 2 }, 10)
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, true, false],
    )
    ended.abort()
    assert.ok(signals.every(({ aborted }) => aborted))
    relay.close()
    await settled()
    assert.deepEqual([replies, overs()], [[], 1])
  })

  it('answers or throws, whatever it is asked', async () => {
    const names = fc.constantFrom('dns', 'fetch', 'connect', 'read', 'write', 'end', 'destroy', 'gather', 'other')
    await fc.assert(
      fc.asyncProperty(names, fc.jsonValue(), async (name, given) => {
        const { ask, replies, settled } = relayed()
        try {
          ask(1, name, given)
        } catch (error) {
          return assert.equal(name, 'other', String(error))
        }
        await settled()
        assert.equal(replies.length, 1)
      }),
    )
  })
})
