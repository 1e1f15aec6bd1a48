import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createNetwork } from '../../src/network/create_network.ts'
import { parseResolver, type ResolverAddress } from '../../src/network/endpoints.ts'
import { createGuard } from '../../src/network/guard.ts'
import { limits } from '../../src/network/limits.ts'
import { createResolverHealth } from '../../src/network/resolver_health.ts'
import {
  type LabDns,
  type LabDnsOptions,
  type LabFault,
  type LabZones,
  startLabDns,
} from '../../src/testing/lab_dns.ts'
import { farDeadline } from '../patience.ts'

const AD = '198.51.100.80'
const AD6 = '2001:db8::80'
const everywhere = (records: LabZones[string]): LabZones => ({ '*.com': records, '*.net': records, '*.org': records })

const TOPS = ['com', 'net', 'org']
const lyingBelow = (top: string): { zones: LabZones } => ({ zones: { [`*.${top}`]: { A: [AD] } } })
const failingBelow = (top: string): Partial<LabDnsOptions> => ({
  fault: ({ name }) => (name === top || name.endsWith(`.${top}`) ? { rcode: 'SERVFAIL' } : undefined),
})

const real: LabZones = {
  'real.com': { A: ['192.0.2.1'] },
  'shared.com': { A: [AD, '192.0.2.1'] },
  'text.com': { TXT: [AD] },
}

const SERVER = (dns: LabDns) => parseResolver(dns.address) as ResolverAddress

describe('the health of a resolver', () => {
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
    const { resolver } = made.open({ signal, deadline: farDeadline() })
    const query = async (name: string, type: 'A' | 'AAAA' | 'TXT' = 'A') => {
      const answer = await resolver.query(name, type, { signal })
      return answer.status === 'found' ? answer.records : answer.status
    }
    return { query, health: made.resolvers }
  }

  const states = ({ health }: ReturnType<typeof network>) =>
    health.report().map(({ state, fault, rewrites }) => `${state} ${fault ?? '-'}${rewrites ? ' rewrites' : ''}`)

  const withoutSoa = ({ raw: _, ...fault }: LabFault = {}): LabFault => ({
    ...fault,
    raw: reply => {
      const bare = Buffer.from(reply)
      // Removes the authority section: its count becomes 0, and the rest is ignored.
      bare.writeUInt16BE(0, 8)
      return [bare]
    },
  })

  const failures: readonly (readonly [what: string, options: Partial<LabDnsOptions>, state: string])[] = [
    ['answers correctly', {}, 'healthy -'],
    ['does not answer', { fault: () => ({ silent: true }) }, 'down timeout'],
    ['answers SERVFAIL to everything', { fault: () => ({ rcode: 'SERVFAIL' }) }, 'down servfail'],
    ['refuses everything', { fault: () => ({ rcode: 'REFUSED' }) }, 'down refused'],
    [
      'sends malformed replies',
      { fault: () => ({ raw: reply => [reply.subarray(0, reply.length - 1)] }) },
      'down malformed',
    ],
    ['answers NXDOMAIN to everything', { fault: () => ({ rcode: 'NXDOMAIN' }) }, 'down denies_what_exists'],
    ['has no records', { fault: () => ({ records: {} }) }, 'down denies_what_exists'],
    [
      'has records of nothing that should not exist',
      { fault: ({ name }) => (/^[0-9a-f]{24}\./.test(name) ? { records: {} } : undefined) },
      'down no_nxdomain',
    ],
    [
      'says NXDOMAIN without SOA',
      { fault: ({ name }) => (/^[0-9a-f]{24}\./.test(name) ? withoutSoa() : undefined) },
      'down nxdomain_without_soa',
    ],
    [
      'knows the root, and nothing below it',
      { fault: ({ name }) => (name === '' ? undefined : { rcode: 'SERVFAIL' }) },
      'down servfail',
    ],
    ...TOPS.map(top => [`has trouble with ${top} alone`, failingBelow(top), 'healthy -'] as const),
    ...TOPS.map(top => [`makes addresses up below ${top} alone`, lyingBelow(top), 'healthy - rewrites'] as const),
    ['rewrites NXDOMAIN to an address', { zones: everywhere({ A: [AD] }) }, 'healthy - rewrites'],
  ]
  for (const [what, options, state] of failures) {
    it(`one that ${what} is ${state}`, async () => {
      const made = network(await lab({ zones: {}, ...options }))
      assert.deepEqual(states(made), ['unproved -'])
      await made.health.suspect()
      assert.deepEqual(states(made), [state])
    })
  }

  it('one without a listener is down as unreachable, and so are its queries', async () => {
    const gone = await startLabDns({ zones: {} })
    await gone.close()
    const made = network(gone)
    await made.health.suspect()
    assert.deepEqual(states(made), ['down unreachable'])
    const { signal } = new AbortController()
    const { resolver } = createNetwork({ resolvers: [gone.address], guard: createGuard() }).open({
      signal,
      deadline: farDeadline(),
    })
    assert.deepEqual(await resolver.query('example.com', 'A', { signal }), { status: 'unknown', reason: 'unreachable' })
  })

  it('is not judged by time in which this process was short of it', async () => {
    let isSaturated = true
    const dns = await lab({ zones: real, fault: () => (isSaturated ? { silent: true } : undefined) })
    const health = createResolverHealth({ servers: [SERVER(dns)], limits })
    closing.push(() => health.stop())
    const spin = () => void (isSaturated && setImmediate(spin))
    spin()
    setTimeout(() => {
      isSaturated = false
    }, 1_700)
    await health.start()
    assert.deepEqual(
      health.report().map(({ state }) => state),
      ['healthy'],
    )
  })

  it('is down without servers', () => {
    const health = createResolverHealth({ servers: [], limits })
    assert.deepEqual(health.standing(), { state: 'down', fault: 'not_configured', since: null })
  })

  it('one that is down gets no query while another is up', async () => {
    const liar = await lab({ zones: {}, fault: () => ({ rcode: 'NXDOMAIN' }) })
    const honest = await lab({ zones: real })
    const made = network(liar, honest)
    await made.health.suspect()
    assert.deepEqual(states(made), ['down denies_what_exists', 'healthy -'])
    assert.equal(made.health.standing().state, 'healthy')
    assert.deepEqual(made.health.servers(), [SERVER(honest)])
  })

  const inventors: Readonly<Record<string, LabZones>> = {
    'of both families': everywhere({ A: [AD], AAAA: [AD6] }),
    'of IPv4 alone': everywhere({ A: [AD] }),
    'of several in one answer': everywhere({ A: [AD, '198.51.100.81'] }),
    'behind an alias': { ...everywhere({ CNAME: ['ads.search.example'] }), 'ads.search.example': { A: [AD] } },
  }
  for (const [kind, zones] of Object.entries(inventors)) {
    for (const chase of [true, false]) {
      it(`rewritten addresses ${kind} are learnt and count as NXDOMAIN${chase ? '' : ', alias by alias'}`, async () => {
        const made = network(await lab({ zones: { ...zones, ...real }, chase }))
        await made.health.start()
        assert.deepEqual(states(made), ['healthy - rewrites'])
        const { query } = made
        assert.equal(await query('gone.com'), 'not_found')
        assert.notEqual(typeof (await query('gone.com', 'AAAA')), 'object')
        assert.deepEqual(await query('real.com'), ['192.0.2.1'])
        assert.deepEqual(await query('shared.com'), [AD, '192.0.2.1'])
        assert.deepEqual(await query('text.com', 'TXT'), [AD])
      })
    }
  }

  for (const top of TOPS) {
    it(`addresses rewritten only below ${top} count as NXDOMAIN`, async () => {
      const { query, health } = network(await lab(lyingBelow(top)))
      await health.start()
      assert.deepEqual([await query(`gone.${top}`), await query(`www.gone.${top}`)], ['not_found', 'not_found'])
    })
  }

  it('a query during the first proof waits for it', async () => {
    const { query, health } = network(await lab({ zones: { ...everywhere({ A: [AD] }), ...real }, delay_ms: 50 }))
    const start = health.start()
    assert.equal(await query('gone.com'), 'not_found')
    await start
  })

  it('is proved again when due: at once when suspected, soon while down, otherwise every minute', async () => {
    let honest = true
    const dns = await lab({ zones: {}, fault: () => (honest ? undefined : { rcode: 'SERVFAIL' }) })
    let now = 1_000_000
    const clock = { now: () => now, monotonic: () => now }
    const health = createResolverHealth({ servers: [SERVER(dns)], limits, clock })
    closing.push(() => health.stop())
    const asked = async (prove: () => Promise<void>) => {
      const before = dns.queries.length
      await prove()
      const { state, since } = health.standing()
      return [dns.queries.length > before, state, since === null ? null : since - 1_000_000]
    }
    assert.deepEqual(await asked(health.start), [true, 'healthy', 0])
    now += 500
    assert.deepEqual(await asked(health.suspect), [false, 'healthy', 0], 'just proved')
    now += 1_500
    honest = false
    assert.deepEqual(await asked(health.suspect), [true, 'down', 2_000])
    now += 5_000
    assert.deepEqual(await asked(health.start), [true, 'down', 2_000], 'in the background')
    now += 5_000
    honest = true
    assert.deepEqual(await asked(health.start), [true, 'healthy', 12_000])
    now += 59_000
    assert.deepEqual(await asked(health.start), [false, 'healthy', 12_000])
    now += 1_000
    assert.deepEqual(await asked(health.start), [true, 'healthy', 12_000])
  })

  it('a single failed background proof is repeated before the resolver counts as down', async () => {
    let failing = 0
    const dns = await lab({
      zones: {},
      fault: ({ name }) => (name === '' && failing-- > 0 ? { rcode: 'SERVFAIL' } : undefined),
    })
    let now = 0
    const health = createResolverHealth({
      servers: [SERVER(dns)],
      limits,
      clock: { now: () => now, monotonic: () => now },
    })
    closing.push(() => health.stop())
    await health.start()
    now += 60_000
    failing = 1
    await health.start()
    assert.equal(health.standing().state, 'healthy')
    now += 60_000
    failing = 2
    await health.start()
    assert.equal(health.standing().state, 'down')
  })

  it('remembers at most 64 addresses of a server that rotates them', async () => {
    let turn = 0
    const dns = await lab({
      zones: {},
      fault: ({ name, type }) =>
        type === 'A' && /^[0-9a-f]{24}\./.test(name) ? { records: { A: [`198.51.100.${turn++ % 200}`] } } : undefined,
    })
    let now = 0
    const server = SERVER(dns)
    const health = createResolverHealth({ servers: [server], limits, clock: { now: () => now, monotonic: () => now } })
    closing.push(() => health.stop())
    for (let round = 0; round < 30; round++) {
      await health.suspect()
      now += 2_000
    }
    assert.equal((await health.hijackAddresses(server)).size, 64)
  })
})
