// Which names exist, as real DNS tells it.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { UNPROVED_STANDING } from '../../../src/base/health/standing.ts'
import { createNetwork } from '../../../src/network/create_network.ts'
import { createGuard } from '../../../src/network/guard.ts'
import { createScanner, type Existing, newTally } from '../../../src/results/lookalikes/scan.ts'
import { type LabDnsOptions, startLabDns } from '../../../src/testing/lab_dns.ts'

async function scanned(t: TestContext, names: readonly string[], dns: LabDnsOptions) {
  const lab = await startLabDns(dns)
  const network = createNetwork({
    resolvers: [lab.address],
    guard: createGuard({ allow: [], deny: [] }),
    limits: { dns_try_ms: 300, dns_phase_ms: 600 },
  })
  t.after(async () => {
    await network.close()
    await lab.close()
  })
  const scanner = createScanner({
    open: network.open,
    standing: () => UNPROVED_STANDING,
    now: () => performance.now(),
    at_once: 8,
    per_second: 5_000,
  })
  const tally = newTally()
  const found: Existing[] = []
  const ended = await scanner.scan({
    candidates: names.map(name => ({ name, kind: 'omission' as const })),
    client: 'test',
    signal: new AbortController().signal,
    tally,
    found: one => void found.push(one),
  })
  return { ended, tally, found: found.toSorted((one, other) => (one.name < other.name ? -1 : 1)), lab }
}

const SOA = { mname: 'ns.zone.test', rname: 'x.zone.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }
const zone = { SOA: [SOA] }

describe('a scan', () => {
  it('finds names with an address, with mail alone, and with nothing but a delegation', async t => {
    const { ended, tally, found } = await scanned(t, ['a.com', 'b.com', 'c.com', 'd.com'], {
      zones: {
        com: zone,
        'a.com': { A: ['192.0.2.1'] },
        'b.com': { MX: [{ preference: 0, exchange: 'mail.b.com' }] },
        'c.com': { NS: ['ns.c.com'], MX: [{ preference: 0, exchange: '' }] },
      },
    })
    assert.deepEqual(
      found.map(({ name, addresses, mail }) => [name, addresses, mail]),
      [
        ['a.com', ['192.0.2.1'], false],
        ['b.com', [], true],
        ['c.com', [], false],
      ],
    )
    assert.deepEqual([ended, tally], ['whole', { asked: 4, existing: 3, unanswered: 0, unproved: 0 }])
  })

  it('believes a zone that answers for every name only where the answer differs or is delegated', async t => {
    const { tally, found } = await scanned(t, ['a.ws', 'own.ws', 'delegated.ws', 'b.ws'], {
      zones: {
        ws: zone,
        '*.ws': { A: ['192.0.2.80'] },
        'own.ws': { A: ['192.0.2.1'] },
        'delegated.ws': { NS: ['ns.delegated.ws'], A: ['192.0.2.80'] },
      },
    })
    assert.deepEqual(
      found.map(({ name }) => name),
      ['delegated.ws', 'own.ws'],
    )
    assert.deepEqual([tally.existing, tally.unproved], [2, 2])
  })

  it('believes no address of a zone whose answers differ each time', async t => {
    let last = 0
    const { tally } = await scanned(t, ['a.rotating.test', 'b.rotating.test'], {
      zones: { 'rotating.test': zone, '*.rotating.test': { A: ['192.0.2.1'] } },
      fault: ({ name, type }) =>
        type === 'A' && name !== 'rotating.test' ? { records: { A: [`192.0.2.${++last % 250}`] } } : undefined,
    })
    assert.deepEqual([tally.existing, tally.unproved], [0, 2])
  })

  it('believes no answer of a zone that says nothing of names that nobody has', async t => {
    const { tally } = await scanned(t, ['a.ws'], {
      zones: { ws: zone, 'a.ws': { A: ['192.0.2.1'] } },
      fault: ({ name }) => (/^[0-9a-f]{24}\./.test(name) ? { rcode: 'SERVFAIL' } : undefined),
    })
    assert.deepEqual([tally.existing, tally.unproved], [0, 1])
  })

  it('counts names without an answer, and ends when the resolver is silent for all', async t => {
    const names = Array.from({ length: 200 }, (_, at) => `n${at}.com`)
    const { ended, tally } = await scanned(t, names, { zones: {}, fault: () => ({ silent: true }) })
    assert.equal(ended, 'unavailable')
    assert.ok(tally.unanswered >= 32 && tally.asked < 200, `${tally.unanswered} of ${tally.asked}`)
  })
})
