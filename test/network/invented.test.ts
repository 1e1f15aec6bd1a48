import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import { createInventions } from '../../src/network/invented.ts'
import { limits } from '../../src/network/limits.ts'
import { parseResolver, type ResolverAddress } from '../../src/network/resolver_address.ts'
import { type LabDns, type LabDnsOptions, type LabZones, startLabDns } from '../../src/testing/lab_dns.ts'

const AD = '198.51.100.80'
const AD6 = '2001:db8::80'
const everywhere = (records: LabZones[string]): LabZones => ({ '*.com': records, '*.net': records, '*.org': records })

const real: LabZones = {
  'real.com': { A: ['192.0.2.1'] },
  'shared.com': { A: [AD, '192.0.2.1'] },
  'text.com': { TXT: [AD] },
}

describe('a resolver that invents addresses', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  async function lab(options: Partial<LabDnsOptions> & { zones: LabZones }): Promise<LabDns> {
    const dns = await startLabDns(options)
    closing.push(() => dns.close())
    return dns
  }

  function network(...servers: readonly LabDns[]) {
    const made = createNetwork({ resolvers: servers.map(({ address }) => address), guard: createGuard() })
    closing.push(() => made.close())
    const { signal } = new AbortController()
    const { resolver } = made.open({ signal, deadline: performance.now() + 8_000 })
    const query = async (name: string, type: 'A' | 'AAAA' | 'TXT' = 'A') => {
      const answer = await resolver.query(name, type, { signal })
      return answer.status === 'found' ? answer.records : answer.status
    }
    return { query, inventions: made.inventions }
  }

  const inventors: Readonly<Record<string, LabZones>> = {
    'of both families': everywhere({ A: [AD], AAAA: [AD6] }),
    'of IPv4 alone': everywhere({ A: [AD] }),
    'of several in one answer': everywhere({ A: [AD, '198.51.100.81'] }),
    'behind an alias': { ...everywhere({ CNAME: ['ads.search.example'] }), 'ads.search.example': { A: [AD] } },
    'below com alone': { '*.com': { A: [AD] } },
  }
  for (const [kind, zones] of Object.entries(inventors)) {
    for (const chase of [true, false]) {
      it(`${kind} is found out, and its inventions are names not found${chase ? '' : ', asked link by link'}`, async () => {
        const { query, inventions } = network(await lab({ zones: { ...zones, ...real }, chase }))
        assert.deepEqual(inventions.report(), ['unproven'])
        await inventions.start()
        assert.deepEqual(inventions.report(), ['inventing'])
        assert.equal(await query('gone.com'), 'not_found')
        assert.notEqual(typeof (await query('gone.com', 'AAAA')), 'object')
        assert.deepEqual(await query('real.com'), ['192.0.2.1'])
        assert.deepEqual(await query('shared.com'), [AD, '192.0.2.1'])
        assert.deepEqual(await query('text.com', 'TXT'), [AD])
      })
    }
  }

  it('is believed by none who asks while it is being found out', async () => {
    const { query, inventions } = network(await lab({ zones: { ...everywhere({ A: [AD] }), ...real }, delay_ms: 50 }))
    const start = inventions.start()
    assert.deepEqual(await Promise.all([query('gone.com'), query('real.com')]), ['not_found', ['192.0.2.1']])
    await start
  })

  it('is told from an honest one beside it', async () => {
    const zones = { 'ads.com': { A: [AD] } }
    const [first, second] = [await lab({ zones, fault: () => ({ rcode: 'SERVFAIL' }) }), await lab({ zones })]
    const inventor = await lab({ zones: everywhere({ A: [AD] }) })
    const { query, inventions } = network(first, second, inventor)
    await inventions.start()
    assert.deepEqual(inventions.report(), ['unproven', 'honest', 'inventing'])
    assert.deepEqual(await query('ads.com'), [AD])
  })

  it('is asked hourly, a silent one each minute, and what is known stays while it is silent', async () => {
    let now = 0
    let answer: 'invent' | 'deny' | 'silent' = 'silent'
    const dns = await lab({
      zones: {},
      fault: () =>
        answer === 'silent' ? { silent: true } : answer === 'invent' ? { records: { A: [AD] } } : undefined,
    })
    const server = parseResolver(dns.address) as ResolverAddress
    const quick = { ...limits, dns_try_ms: 500, dns_phase_ms: 500 }
    const inventions = createInventions({ servers: [server], limits: quick, now: () => now })
    const after = async (minutes: number, said: typeof answer) => {
      now += minutes * 60_000
      answer = said
      const before = dns.queries.length
      await inventions.prove()
      return [dns.queries.length > before, inventions.report()[0], [...(await inventions.of(server))]]
    }
    assert.deepEqual(await after(0, 'silent'), [true, 'unproven', []])
    assert.deepEqual(await after(0.5, 'invent'), [false, 'unproven', []])
    assert.deepEqual(await after(0.5, 'invent'), [true, 'inventing', [AD]])
    assert.deepEqual(await after(59, 'deny'), [false, 'inventing', [AD]])
    assert.deepEqual(await after(1, 'silent'), [true, 'inventing', [AD]])
    assert.deepEqual(await after(1, 'deny'), [true, 'honest', []])
  })

  it('that takes turns among many is remembered by all of them, up to a bound', async () => {
    let now = 0
    let turn = 0
    const dns = await lab({ zones: {}, fault: () => ({ records: { A: [`198.51.100.${turn++ % 250}`] } }) })
    const server = parseResolver(dns.address) as ResolverAddress
    const inventions = createInventions({ servers: [server], limits, now: () => now })
    const known: number[] = []
    for (let hour = 0; hour < 30; hour++, now += 3_600_000) {
      await inventions.prove()
      known.push((await inventions.of(server)).size)
    }
    assert.deepEqual([(known[0] ?? 0) < (known[1] ?? 0), known.at(-1)], [true, 64])
  })
})
