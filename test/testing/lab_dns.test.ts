import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type DecodedPacket, decode, encode, type RecordType, streamEncode } from 'dns-packet'
import { type LabDns, type LabFault, type LabZones, startLabDns } from '../../src/testing/lab_dns.ts'

const zones: LabZones = {
  'example.com': {
    A: ['93.184.216.34'],
    AAAA: ['2606:2800:220:1::1'],
    MX: [{ preference: 10, exchange: 'mx.example.com' }],
    TXT: ['v=spf1 -all', 'x'.repeat(300)],
    CAA: [{ critical: false, tag: 'issue', value: 'ca.example.net' }],
    SOA: [
      {
        mname: 'ns.example.com',
        rname: 'root.example.com',
        serial: 7,
        refresh: 7200,
        retry: 900,
        expire: 1_209_600,
        minimum: 300,
      },
    ],
  },
  'www.example.com': { CNAME: ['example.com'] },
  'away.example.com': { CNAME: ['gone.example.com'] },
  'deep.below.example.com': { A: ['192.0.2.1'] },
  '*.wild.example.com': { A: ['192.0.2.2'] },
  'self.example.com': { CNAME: ['self.example.com'] },
  'null-mx.example.com': { MX: [{ preference: 0, exchange: '' }] },
  'many.example.com': { A: Array.from({ length: 100 }, (_, at) => `192.0.2.${at}`) },
}

const faults: Record<string, LabFault> = {
  'servfail.example.com': { rcode: 'SERVFAIL' },
  'rebind.example.com': { records: { A: ['127.0.0.1'] } },
}

describe('the lab DNS', () => {
  let dns: LabDns
  const resolver = new Resolver()
  before(async () => {
    dns = await startLabDns({
      zones,
      signed: ['example.com'],
      bogus: ['bogus.example.com'],
      fault: ({ name }) => faults[name],
    })
    resolver.setServers([dns.address])
  })
  after(() => dns.close())

  async function ask(name: string, type: RecordType, flags = 0): Promise<DecodedPacket> {
    const socket = createSocket('udp4')
    const query = encode({ type: 'query', id: 7, flags, questions: [{ name, type }] })
    socket.send(query, Number(dns.address.split(':')[1]), '127.0.0.1')
    const [message] = await once(socket, 'message')
    socket.close()
    return decode(message)
  }
  const rcode = (packet: DecodedPacket) => (packet.flags ?? 0) & 15

  const mxOf = async (name: string) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => [priority, exchange])

  it('answers each record type as it was given', async () => {
    assert.deepEqual(await resolver.resolve4('example.com'), ['93.184.216.34'])
    assert.deepEqual(await resolver.resolve6('example.com'), ['2606:2800:220:1::1'])
    assert.deepEqual(await mxOf('example.com'), [[10, 'mx.example.com']])
    assert.deepEqual(
      (await resolver.resolveCaa('example.com')).map(({ critical, issue }) => [critical, issue]),
      [[0, 'ca.example.net']],
    )
    assert.deepEqual(
      (await resolver.resolveTxt('example.com')).map(strings => strings.map(text => text.length)),
      [[11], [255, 45]],
    )
    assert.equal((await resolver.resolveSoa('example.com')).serial, 7)
    assert.deepEqual(await mxOf('null-mx.example.com'), [[0, '']])
  })

  it('distinguishes NXDOMAIN from no data', async () => {
    const outcomes = ['gone.example.com', 'below.example.com', 'example.com', 'x.wild.example.com'].map(async name => {
      const packet = await ask(name, 'TLSA')
      return [name, rcode(packet), packet.answers?.length, packet.authorities?.map(record => record.name)]
    })
    assert.deepEqual(await Promise.all(outcomes), [
      ['gone.example.com', 3, 0, ['example.com']],
      ['below.example.com', 0, 0, ['example.com']],
      ['example.com', 0, 0, ['example.com']],
      ['x.wild.example.com', 0, 0, ['example.com']],
    ])
  })

  it('follows aliases to their end, to nothing and in a loop', async () => {
    const types = async (name: string) => {
      const packet = await ask(name, 'A')
      return [rcode(packet), ...(packet.answers ?? []).map(record => record.type)]
    }
    assert.deepEqual(await types('www.example.com'), [0, 'CNAME', 'A'])
    assert.deepEqual(await types('away.example.com'), [3, 'CNAME'])
    assert.deepEqual(await types('self.example.com'), [0, 'CNAME'])
  })

  it('sets AD for validated names when asked, and answers bogus names with CD', async () => {
    const AD = 1 << 5
    const CD = 1 << 4
    assert.equal((await ask('example.com', 'A')).flag_ad, false)
    assert.equal((await ask('example.com', 'A', AD)).flag_ad, true)
    assert.equal(rcode(await ask('bogus.example.com', 'A')), 2)
    assert.equal(rcode(await ask('bogus.example.com', 'A', CD)), 3)
  })

  it('truncates large answers over UDP and sends them completely over TCP', async () => {
    const packet = await ask('many.example.com', 'A')
    assert.deepEqual([packet.flag_tc, packet.answers?.length], [true, 0])
    assert.equal((await resolver.resolve4('many.example.com')).length, 100)
  })

  it('answers two queries on one TCP connection', async () => {
    const socket = connect(Number(dns.address.split(':')[1]), '127.0.0.1')
    const query = (id: number) => streamEncode({ type: 'query', id, questions: [{ name: 'example.com', type: 'A' }] })
    socket.write(Buffer.concat([query(1), query(2)]))
    const ids: number[] = []
    let held = Buffer.alloc(0)
    for await (const chunk of socket) {
      held = Buffer.concat([held, chunk])
      for (; held.length > 2 && held.length >= 2 + held.readUInt16BE(0); held = held.subarray(2 + held.readUInt16BE(0)))
        ids.push(held.readUInt16BE(2))
      if (ids.length === 2) break
    }
    assert.deepEqual(ids, [1, 2])
  })

  it('applies the fault', async () => {
    assert.equal(rcode(await ask('servfail.example.com', 'A')), 2)
    assert.deepEqual(await resolver.resolve4('rebind.example.com'), ['127.0.0.1'])
    faults['forged.example.com'] = { wrong_id: true }
    assert.equal((await ask('forged.example.com', 'A')).id, 6)
    faults['raw.example.com'] = { raw: () => [encode({ type: 'response', id: 99 })] }
    assert.equal((await ask('raw.example.com', 'A')).id, 99)
  })

  it('records every query', async () => {
    await ask('Logged.Example.com', 'DS')
    assert.deepEqual(dns.queries.at(-1), {
      name: 'logged.example.com',
      type: 'DS',
      transport: 'udp',
      checkingDisabled: false,
      edns: false,
    })
  })
})
