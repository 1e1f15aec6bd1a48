import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Answer as DnsRecord, decode, encode } from 'dns-packet'
import type { RecordType } from '../../src/network/dns_records.ts'
import { dnsServers } from '../../src/network/endpoints.ts'
import { type Limits, limits } from '../../src/network/limits.ts'
import { createResolver } from '../../src/network/resolver.ts'
import { readServiceBinding, type ServiceBinding } from '../../src/network/service_binding.ts'
import {
  type LabDnsOptions,
  type LabFault,
  type LabQuestion,
  type LabZones,
  startLabDns,
} from '../../src/testing/lab_dns.ts'

const chain = (length: number): LabZones => ({
  ...Object.fromEntries(Array.from({ length }, (_, at) => [`c${at}.example`, { CNAME: [`c${at + 1}.example`] }])),
  [`c${length}.example`]: { A: ['192.0.2.1'] },
})

const nameServer: DnsRecord = { name: 'example', type: 'NS', data: 'ns.example' }
const soa: DnsRecord = { name: 'example', type: 'SOA', data: { mname: 'ns.example', rname: 'root.example' } }
const withAuthorities = (reply: Buffer, authorities: DnsRecord[]) =>
  encode({ ...decode(reply), type: 'response', answers: [], authorities })
/** BADVERS: no error in the header, the rest of the code in an OPT record (RFC 6891 section 6.1.3). */
const badVersion: LabFault = {
  raw(reply) {
    const empty = withAuthorities(reply, [])
    empty.writeUInt16BE(1, 10)
    return [Buffer.concat([empty, Buffer.from('00002904d0010000000000', 'hex')])]
  },
}
/** A referral (RFC 2308 section 2.2). */
const referral: LabFault = { raw: reply => [withAuthorities(reply, [nameServer])] }

const bindingOf = (parts: Partial<ServiceBinding>): ServiceBinding => ({
  priority: 1,
  target: '',
  alpn: ['h2', 'h3'],
  no_default_alpn: false,
  port: null,
  ipv4_hints: ['192.0.2.1', '192.0.2.2'],
  ipv6_hints: [],
  ech: false,
  mandatory: [],
  ...parts,
})

describe('the resolver', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  async function lab(options: Partial<LabDnsOptions> & { zones: LabZones }) {
    const dns = await startLabDns(options)
    closing.push(() => dns.close())
    return dns
  }

  /** Longer than any answer takes on a busy machine. */
  const patient = { dns_try_ms: 20_000, dns_phase_ms: 25_000 }
  /** Where no answer comes. */
  const hasty = { dns_try_ms: 100, dns_phase_ms: 250 }

  function resolver(addresses: readonly string[], lowered: Partial<Limits> = {}) {
    const check = new AbortController()
    closing.push(() => check.abort())
    const settings = { ...limits, ...patient, ...lowered }
    const made = createResolver({ servers: dnsServers(addresses), limits: settings, signal: check.signal })
    const query = <T extends RecordType>(name: string, type: T, checkingDisabled = false) =>
      made.query(name, type, { signal: check.signal, checkingDisabled })
    return { query, queryWith: made.query, check }
  }

  /** Sends one query with a new server and resolver. */
  async function once(
    options: Partial<LabDnsOptions> & { zones: LabZones },
    name: string,
    type: RecordType = 'A',
    lowered: Partial<Limits> = {},
  ) {
    return resolver([(await lab(options)).address], lowered).query(name, type)
  }

  const found = { status: 'found', ttl: 300, authenticated: false, cnames: [] } as const
  const negative = { authenticated: false, cnames: [] } as const

  it('reads the data of every type', async () => {
    const records = {
      A: ['192.0.2.1', '192.0.2.2'],
      AAAA: ['2001:db8::1', '2001:db8:0:0:1::1'],
      NS: ['ns.example.com', ''],
      PTR: ['host.example.com'],
      MX: [
        { preference: 10, exchange: 'mx.example.com' },
        { preference: 0, exchange: '' },
      ],
      TXT: ['v=spf1 -all', '\x00\x1b\r\n\x7f\xff<script>', 'x'.repeat(700), ''],
      SOA: [
        {
          mname: 'ns.example.com',
          rname: 'root.example.com',
          serial: 4294967295,
          refresh: 7200,
          retry: 900,
          expire: 4294967295,
          minimum: 0,
        },
      ],
      CAA: [{ critical: true, tag: 'issue', value: 'ca.example.net; policy=ev' }],
      DS: [{ key_tag: 65535, algorithm: 13, digest_type: 2 }],
      DNSKEY: [
        { flags: 257, algorithm: 13, bits: 512 },
        { flags: 256, algorithm: 8, bits: 2048 },
        { flags: 256, algorithm: 7, bits: 1024 },
      ],
      TLSA: [{ usage: 3, selector: 1, matching_type: 1, data: '5e'.repeat(32) }],
      SRV: [
        { priority: 10, weight: 65535, port: 5060, target: 'sip.example.com' },
        { priority: 0, weight: 0, port: 0, target: '' },
      ],
      HTTPS: [bindingOf({}), bindingOf({ priority: 0, target: 'cdn.example.net', alpn: [] })],
      SVCB: [
        bindingOf({ mandatory: [1, 3], port: 8443, no_default_alpn: true, ech: true, ipv6_hints: ['2001:db8::1'] }),
      ],
    }
    const { query } = resolver([(await lab({ zones: { 'example.com': records } })).address])
    const types = Object.keys(records) as (keyof typeof records)[]
    const answers = await Promise.all(types.map(async type => [type, await query('example.com', type)]))
    const expected = types.map(type => [
      type,
      { ...found, records: type === 'AAAA' ? ['2001:db8::1', '2001:db8::1:0:0:1'] : records[type] },
    ])
    assert.deepEqual(answers, expected)
  })

  it('rejects a service binding that is malformed', async () => {
    const malformed: readonly (readonly [title: string, data: readonly number[]])[] = [
      ['without a target', [0, 1]],
      ['with a parameter that is cut', [0, 1, 0, 0, 3, 0, 2, 1]],
      ['with parameters out of order', [0, 1, 0, 0, 3, 0, 2, 1, 187, 0, 1, 0, 3, 2, 104, 50]],
      ['with a parameter twice', [0, 1, 0, 0, 3, 0, 2, 1, 187, 0, 3, 0, 2, 1, 187]],
      ['with a port of three octets', [0, 1, 0, 0, 3, 0, 3, 0, 1, 187]],
      ['with an empty list of protocols', [0, 1, 0, 0, 1, 0, 0]],
      ['with a protocol longer than the list', [0, 1, 0, 0, 1, 0, 2, 9, 104]],
      ['with half an address', [0, 1, 0, 0, 4, 0, 2, 192, 0]],
    ]
    for (const [title, data] of malformed) {
      const octets = Buffer.from(data)
      assert.equal(readServiceBinding(octets, { start: 0, end: octets.length }), null, title)
    }
  })

  it('compares and returns names in lower case without the final dot', async () => {
    const zones = { 'example.com': { NS: ['NS.Example.NET'] } }
    assert.deepEqual(await once({ zones }, 'EXAMPLE.Com.', 'NS'), { ...found, records: ['ns.example.net'] })
  })

  const told: Readonly<Record<string, { name: string; fault?: LabFault; answer: object }>> = {
    'a name that does not exist': { name: 'gone.example', answer: { ...negative, status: 'not_found' } },
    'a name without such records': { name: 'mail.example', answer: { ...negative, status: 'no_data' } },
    'a name that only has names below it': { name: 'example', answer: { ...negative, status: 'no_data' } },
    'a server failure': {
      name: 'x.example',
      fault: { rcode: 'SERVFAIL' },
      answer: { status: 'unknown', reason: 'servfail' },
    },
    'a refusal': { name: 'x.example', fault: { rcode: 'REFUSED' }, answer: { status: 'unknown', reason: 'refused' } },
    'a server that does not understand': {
      name: 'x.example',
      fault: { rcode: 'FORMERR' },
      answer: { status: 'unknown', reason: 'refused' },
    },
    'a code that ends in an OPT record': {
      name: 'x.example',
      fault: badVersion,
      answer: { status: 'unknown', reason: 'refused' },
    },
    'a referral': { name: 'x.example', fault: referral, answer: { status: 'unknown', reason: 'refused' } },
    'no data beside the name servers': {
      name: 'x.example',
      fault: { raw: reply => [withAuthorities(reply, [nameServer, soa])] },
      answer: { ...negative, status: 'no_data' },
    },
    silence: { name: 'x.example', fault: { silent: true }, answer: { status: 'unknown', reason: 'timeout' } },
    'only forged identifiers': {
      name: 'x.example',
      fault: { wrong_id: true },
      answer: { status: 'unknown', reason: 'timeout' },
    },
    'only answers to another question': {
      name: 'x.example',
      fault: { wrong_question: true },
      answer: { status: 'unknown', reason: 'timeout' },
    },
    'an unreadable reply': {
      name: 'x.example',
      fault: { raw: reply => [reply.subarray(0, reply.length - 3)] },
      answer: { status: 'unknown', reason: 'malformed' },
    },
    'a denial after an alias': {
      name: 'dangling.example',
      answer: { ...negative, status: 'not_found', cnames: ['gone.example'] },
    },
    'no data after an alias': {
      name: 'alias.example',
      answer: { ...negative, status: 'no_data', cnames: ['mail.example'] },
    },
  }
  const toldZones: LabZones = {
    'mail.example': { MX: [{ preference: 1, exchange: 'mx.example' }] },
    'x.example': { A: ['192.0.2.1'] },
    'dangling.example': { CNAME: ['gone.example'] },
    'alias.example': { CNAME: ['mail.example'] },
  }
  const isTimeout = (answer: object) => 'reason' in answer && answer.reason === 'timeout'
  for (const [title, { name, fault, answer }] of Object.entries(told))
    it(`reports ${title}`, async () => {
      const lowered = isTimeout(answer) ? hasty : {}
      assert.deepEqual(await once({ zones: toldZones, fault: () => fault }, name, 'A', lowered), answer)
    })

  for (const chase of [true, false]) {
    const how = chase ? 'inside one reply' : 'by asking on'
    const names = (count: number) => Array.from({ length: count }, (_, at) => `c${at + 1}.example`)

    it(`follows 16 aliases ${how}`, async () =>
      assert.deepEqual(await once({ zones: chain(16), chase }, 'c0.example'), {
        ...found,
        records: ['192.0.2.1'],
        cnames: names(16),
      }))

    it(`gives up after more than 16 aliases ${how}`, async () => {
      for (const length of [17, 100])
        assert.deepEqual(await once({ zones: chain(length), chase }, 'c0.example'), {
          status: 'unknown',
          reason: 'cname_too_long',
        })
    })

    it(`reports a loop of aliases ${how}`, async () => {
      const zones = { 'a.example': { CNAME: ['b.example'] }, 'b.example': { CNAME: ['a.example'] } }
      const loop = { status: 'unknown', reason: 'cname_loop' }
      assert.deepEqual(await once({ zones, chase }, 'a.example'), loop)
      assert.deepEqual(await once({ zones: { 'a.example': { CNAME: ['A.example'] } }, chase }, 'a.example'), loop)
    })
  }

  it('does not follow an alias to a name that no query can carry', async () => {
    const zones = { 'a.example': { CNAME: ['b c.example'] } }
    assert.deepEqual(await once({ zones, chase: false }, 'a.example'), { status: 'unknown', reason: 'malformed' })
  })

  it('does not follow an alias in a CNAME query', async () =>
    assert.deepEqual(await once({ zones: chain(2) }, 'c0.example', 'CNAME'), { ...found, records: ['c1.example'] }))

  it('accepts the denial that comes with an alias', async () => {
    const soa = {
      mname: 'ns.example',
      rname: 'root.example',
      serial: 1,
      refresh: 7200,
      retry: 900,
      expire: 1_209_600,
      minimum: 300,
    }
    const dns = await lab({ zones: { ...toldZones, example: { SOA: [soa] } } })
    const answer = await resolver([dns.address]).query('alias.example', 'A')
    assert.deepEqual([answer.status, dns.queries.length], ['no_data', 1])
  })

  it('returns the smallest TTL of the answer, capped at a day', async () => {
    const ttls = await Promise.all(
      [0, 60, 86_401, 2 ** 31 - 1, 2 ** 32 - 1].map(async ttl => {
        const answer = await once({ zones: chain(1), ttl }, 'c0.example')
        return answer.status === 'found' ? answer.ttl : null
      }),
    )
    assert.deepEqual(ttls, [0, 60, 86_400, 86_400, 86_400])
  })

  it('reports whether the resolver validated the answer, found or not', async () => {
    const dns = await lab({ zones: toldZones, signed: ['x.example', 'no.example'] })
    const { query } = resolver([dns.address])
    const answers = await Promise.all(['x.example', 'no.example', 'mail.example'].map(name => query(name, 'A')))
    assert.deepEqual(
      answers.map(answer => answer.status !== 'unknown' && answer.authenticated),
      [true, true, false],
    )
  })

  it('sends a separate query with checkingDisabled', async () => {
    const dns = await lab({ zones: toldZones, bogus: ['x.example'] })
    const { query } = resolver([dns.address])
    assert.deepEqual(await query('x.example', 'A'), { status: 'unknown', reason: 'servfail' })
    assert.deepEqual(await query('x.example', 'A', true), { ...found, records: ['192.0.2.1'] })
  })

  it('sends equal queries once per check, in any spelling', async () => {
    const dns = await lab({ zones: toldZones, delay_ms: 10 })
    const { query } = resolver([dns.address])
    await Promise.all([query('x.example', 'A'), query('X.EXAMPLE.', 'A'), query('x.example', 'AAAA')])
    await query('x.example', 'A')
    assert.deepEqual(dns.queries.map(asked => asked.type).sort(), ['A', 'AAAA'])
  })

  it('sends no more queries than the limit', async () => {
    const dns = await lab({ zones: chain(5), chase: false })
    const { query } = resolver([dns.address], { dns_queries: 3 })
    assert.deepEqual(await query('c3.example', 'A'), {
      ...found,
      records: ['192.0.2.1'],
      cnames: ['c4.example', 'c5.example'],
    })
    assert.deepEqual(await query('c4.example', 'A'), { status: 'unknown', reason: 'too_many_queries' })
    assert.equal(dns.queries.length, 3)
  })

  for (const name of [
    'a..example',
    '.example',
    `${'x'.repeat(64)}.example`,
    'a b.example',
    'ä.example',
    `${'x.'.repeat(127)}x`,
    'a\\046b.example',
  ])
    it(`sends no query for ${JSON.stringify(name.slice(0, 20))}`, async () => {
      const dns = await lab({ zones: {} })
      assert.deepEqual(await resolver([dns.address]).query(name, 'A'), { status: 'unknown', reason: 'malformed' })
      assert.deepEqual(dns.queries, [])
    })

  describe('with several servers', () => {
    const silent = () => lab({ zones: {}, fault: () => ({ silent: true }) })
    const good = () => lab({ zones: toldZones })
    const answer = { ...found, records: ['192.0.2.1'] }
    /** A short try, and a long phase for busy machines. */
    const insistent = { dns_try_ms: 100, dns_phase_ms: 25_000 }

    it('queries the next when the first is silent, and then prefers it', async t => {
      const [first, second] = [await silent(), await good()]
      const { query } = resolver([first.address, second.address])
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const answered = query('x.example', 'A')
      while (first.queries.length === 0) await turn()
      t.mock.timers.tick(patient.dns_try_ms)
      assert.deepEqual(await answered, answer)
      await query('x.example', 'AAAA')
      assert.deepEqual(
        [first, second].map(({ queries }) => queries.filter(({ type }) => type === 'AAAA').length),
        [0, 1],
      )
    })

    it('accepts a late answer of the first while the second is queried', async () => {
      const first = await lab({ zones: toldZones, delay_ms: 150 })
      const { query } = resolver([first.address, (await silent()).address], insistent)
      assert.deepEqual(await query('x.example', 'A'), answer)
    })

    const passedOver: Readonly<Record<string, LabFault>> = {
      SERVFAIL: { rcode: 'SERVFAIL' },
      REFUSED: { rcode: 'REFUSED' },
      'a referral': referral,
    }
    for (const [said, fault] of Object.entries(passedOver))
      it(`queries the next at once after ${said}`, async () => {
        const first = await lab({ zones: toldZones, fault: () => fault })
        assert.deepEqual(await resolver([first.address, (await good()).address]).query('x.example', 'A'), answer)
      })

    it('queries the next at once when nothing listens', async () => {
      const gone = await good()
      await gone.close()
      assert.deepEqual(await resolver([gone.address, (await good()).address]).query('x.example', 'A'), answer)
    })

    it('reports an error code rather than a timeout', async t => {
      const first = await silent()
      const failing = await lab({ zones: {}, fault: () => ({ rcode: 'SERVFAIL' }) })
      const { query } = resolver([first.address, failing.address])
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const answered = query('x.example', 'A')
      while (first.queries.length === 0) await turn()
      t.mock.timers.tick(patient.dns_try_ms)
      while (failing.queries.length === 0) await turn()
      // The answer is on its way through loopback.
      for (let turns = 0; turns < 10; turns++) await turn()
      t.mock.timers.tick(patient.dns_phase_ms)
      assert.deepEqual(await answered, { status: 'unknown', reason: 'servfail' })
    })

    it('times out when all are silent, and fails at once when nothing listens', async () => {
      const gone = await good()
      await gone.close()
      const failure = async (addresses: string[], lowered: Partial<Limits> = {}) => {
        const answer = await resolver(addresses, lowered).query('x.example', 'A')
        return answer.status === 'unknown' && answer.reason
      }
      assert.equal(await failure([(await silent()).address, (await silent()).address], hasty), 'timeout')
      // A query that waited for its time limit would report `timeout`.
      assert.equal(await failure([gone.address]), 'unreachable')
    })

    it('retries a single server, because a datagram may be lost', async () => {
      let lost = 0
      const dns = await lab({ zones: toldZones, fault: () => (lost++ === 0 ? { silent: true } : undefined) })
      assert.deepEqual(await resolver([dns.address], insistent).query('x.example', 'A'), answer)
    })
  })

  describe('with a server that does not support EDNS', () => {
    const headAlone = (reply: Buffer) => [Buffer.concat([reply.subarray(0, 4), Buffer.alloc(8)])]
    const withoutEdns: Readonly<Record<string, LabFault>> = {
      'says FORMERR': { rcode: 'FORMERR' },
      'says FORMERR and leaves the question out': { rcode: 'FORMERR', raw: headAlone },
      'says NOTIMP': { rcode: 'NOTIMP' },
      'says BADVERS': badVersion,
    }
    const asked = ({ type, edns }: LabQuestion) => `${type}${edns ? ' with EDNS' : ''}`

    for (const [title, fault] of Object.entries(withoutEdns))
      it(`retries without EDNS when the server ${title}, and omits EDNS from then on`, async () => {
        const dns = await lab({ zones: toldZones, fault: ({ edns }) => (edns ? fault : undefined) })
        const { query } = resolver([dns.address])
        assert.deepEqual(await query('x.example', 'A'), { ...found, records: ['192.0.2.1'] })
        assert.equal((await query('mail.example', 'MX')).status, 'found')
        assert.deepEqual(dns.queries.map(asked), ['A with EDNS', 'A', 'MX'])
      })

    it('retries only once, and not without budget', async () => {
      const refused = { status: 'unknown', reason: 'refused' }
      for (const [dns_queries, expected] of [
        [60, ['A with EDNS', 'A']],
        [1, ['A with EDNS']],
      ] as const) {
        const dns = await lab({ zones: toldZones, fault: () => ({ rcode: 'FORMERR' }) })
        assert.deepEqual(await resolver([dns.address], { dns_queries }).query('x.example', 'A'), refused)
        assert.deepEqual(dns.queries.map(asked), expected)
      }
    })
  })

  describe('over TCP, when the answer does not fit', () => {
    const many = { 'big.example': { A: Array.from({ length: 2_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`) } }
    const overTcp = (fault: LabFault) => ({
      zones: many,
      fault: ({ transport }: { transport: string }) => (transport === 'tcp' ? fault : undefined),
    })

    it('receives it whole', async () =>
      assert.deepEqual(await once({ zones: many }, 'big.example'), { ...found, records: many['big.example'].A }))

    it('receives it from a server that truncates everything', async () => {
      const dns = await lab({ zones: toldZones, fault: () => ({ truncate: true }) })
      assert.deepEqual(await resolver([dns.address]).query('x.example', 'A'), { ...found, records: ['192.0.2.1'] })
      assert.deepEqual(
        dns.queries.map(asked => asked.transport),
        ['udp', 'tcp'],
      )
    })

    const unanswered: Readonly<Record<string, [LabFault, string]>> = {
      'is silent': [{ silent: true }, 'timeout'],
      'drips an octet at a time': [{ drip_ms: 20 }, 'timeout'],
      'answers something else': [{ wrong_id: true }, 'malformed'],
      'promises more than it sends': [{ raw: () => [Buffer.from([0xff, 0xff, 0])] }, 'timeout'],
      'promises nothing': [{ raw: () => [Buffer.from([0, 0])] }, 'malformed'],
    }
    for (const [title, [fault, reason]] of Object.entries(unanswered))
      it(`times out when the server ${title}`, async () => {
        const lowered = reason === 'timeout' ? hasty : {}
        assert.deepEqual(await once(overTcp(fault), 'big.example', 'A', lowered), { status: 'unknown', reason })
      })
  })

  describe('when cancelled', () => {
    const cancelled = { status: 'unknown', reason: 'cancelled' }
    const silentLab = () => lab({ zones: toldZones, fault: () => ({ silent: true }) })

    it('returns at once, before and during a query, and leaves no socket', async () => {
      const { query, check } = resolver([(await silentLab()).address])
      const sockets = () => process.getActiveResourcesInfo().filter(kind => kind === 'UDPWRAP').length
      const before = sockets()
      const pending = query('x.example', 'A')
      setTimeout(() => check.abort(), 20)
      assert.deepEqual(await pending, cancelled)
      assert.deepEqual(await query('y.example', 'A'), cancelled)
      await new Promise(setImmediate)
      assert.equal(sockets(), before)
    })

    it('releases one caller while another waits', async () => {
      const { query, queryWith } = resolver([(await lab({ zones: toldZones, delay_ms: 40 })).address])
      const leaver = new AbortController()
      const left = queryWith('x.example', 'A', { signal: leaver.signal })
      const stayed = query('x.example', 'A')
      leaver.abort()
      assert.deepEqual(await left, cancelled)
      assert.equal((await stayed).status, 'found')
    })
  })
})
