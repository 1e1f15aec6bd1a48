import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { type Answer, encode } from 'dns-packet'
import fc from 'fast-check'
import { createQuery, type Query, readAnswer, readReply, TYPE } from '../../src/network/dns_message.ts'
import { readName } from '../../src/network/dns_name.ts'
import type { RecordType } from '../../src/network/dns_records.ts'
import { limits } from '../../src/network/limits.ts'
import { createResolver } from '../../src/network/resolver.ts'
import { assertCheap } from '../cpu.ts'

const RESPONSE = 0x8180

/** A response with records as octets: [owner, type, data], the owner as labels. */
function response(query: Query, records: readonly [Buffer, number, Buffer][], count = records.length): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(query.id, 0)
  head.writeUInt16BE(RESPONSE, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(count, 6)
  const asked = Buffer.concat([labels(...query.name.split('.')), u16(query.type), u16(1)])
  const answers = records.map(([owner, type, data]) =>
    Buffer.concat([owner, u16(type), u16(1), u16(0), u16(60), u16(data.length), data]),
  )
  return Buffer.concat([head, asked, ...answers])
}

const u16 = (value: number) => Buffer.from([value >> 8, value & 255])
const labels = (...parts: string[]) =>
  Buffer.concat([...parts.map(part => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')])), ROOT])
const ROOT = Buffer.from([0])
const A = Buffer.from([192, 0, 2, 1])

/** The resolver's answer for a reply. */
function read(name: string, type: RecordType, reply: (query: Query) => Buffer) {
  const query = createQuery(name, type, false)
  const understood = readReply(reply(query), query)
  if (typeof understood === 'string') return understood
  const step = readAnswer(understood, name, type, new Set([name]), limits.dns_cname_chain)
  return typeof step === 'string' ? step : step.records
}

describe('a reply', () => {
  const foreign: Readonly<Record<string, [Buffer, number, Buffer][]>> = {
    'another name': [[labels('evil', 'com'), TYPE.A, A]],
    'the parent': [[labels('example', 'com'), TYPE.A, A]],
    'one label that spells two': [[labels('www.example', 'com'), TYPE.A, A]],
    'a label with NUL': [[labels('www', 'example\0', 'com'), TYPE.A, A]],
    'an alias of another name': [
      [labels('x', 'com'), TYPE.CNAME, labels('y', 'com')],
      [labels('y', 'com'), TYPE.A, A],
    ],
  }
  for (const [title, records] of Object.entries(foreign))
    it(`is ignored about ${title}`, () =>
      assert.deepEqual(
        read('www.example.com', 'A', query => response(query, records)),
        [],
      ))

  it('counts only for the queried name', () => {
    const records: [Buffer, number, Buffer][] = [
      [labels('evil', 'com'), TYPE.A, Buffer.from([6, 6, 6, 6])],
      [labels('WWW', 'Example', 'com'), TYPE.A, A],
      [labels('www', 'example', 'com'), TYPE.TXT, Buffer.from([1, 65])],
    ]
    assert.deepEqual(
      read('www.example.com', 'A', query => response(query, records)),
      ['192.0.2.1'],
    )
  })

  it('keeps similar names apart', () => {
    const exchange = labels('mx.evil', 'a\\b', 'é ', 'COM')
    assert.deepEqual(
      read('example.com', 'MX', query =>
        response(query, [[labels('example', 'com'), TYPE.MX, Buffer.concat([u16(5), exchange])]]),
      ),
      [{ preference: 5, exchange: 'mx\\046evil.a\\092b.\\233\\032.com' }],
    )
  })

  const unreadable: Readonly<Record<string, [RecordType, Buffer]>> = {
    'an address of five octets': ['A', Buffer.from([1, 2, 3, 4, 5])],
    'an IPv6 address of four octets': ['AAAA', A],
    'a name that goes on after its data': ['NS', Buffer.from([3, 97, 98])],
    'octets after a name': ['NS', Buffer.concat([labels('a'), A])],
    'a name without data': ['CNAME', Buffer.alloc(0)],
    'an MX without a name': ['MX', u16(5)],
    'a text that is longer than its data': ['TXT', Buffer.from([200, 65])],
    'a text without a string': ['TXT', Buffer.alloc(0)],
    'a CAA without a tag': ['CAA', Buffer.from([0, 0, 65])],
    'a CAA whose tag is longer than its data': ['CAA', Buffer.from([0, 9, 65])],
    'a DS without a digest': ['DS', Buffer.from([0, 1, 8, 2])],
    'a TLSA without a certificate': ['TLSA', Buffer.from([3, 1, 1])],
    'an SOA without its numbers': ['SOA', Buffer.concat([labels('a'), labels('b')])],
    'a name that points at itself': ['NS', Buffer.from([0xc0, 52])],
    'a label of a reserved kind': ['NS', Buffer.from([0x80, 0x00])],
  }
  for (const [title, [type, data]] of Object.entries(unreadable))
    it(`with ${title} is malformed`, () =>
      assert.equal(
        read('example.com', type, query => response(query, [[labels('example', 'com'), TYPE[type], data]])),
        'malformed',
      ))

  it('is ignored about another class', () => {
    const chaos = (query: Query) => {
      const reply = response(query, [[labels('example', 'com'), TYPE.A, A]])
      reply.writeUInt16BE(3, 44)
      return reply
    }
    assert.deepEqual(read('example.com', 'A', chaos), [])
  })

  it('that announces more records than it has is malformed', () =>
    assert.equal(
      read('example.com', 'A', query => response(query, [], 65_535)),
      'malformed',
    ))

  it('to another query, or that is a query itself, is foreign', () => {
    const changes: ((reply: Buffer) => void)[] = [
      reply => reply.writeUInt16BE(reply.readUInt16BE(0) ^ 1, 0),
      reply => reply.writeUInt16BE(0x0100, 2),
      reply => reply.writeUInt16BE(RESPONSE | 0x2800, 2),
      reply => reply.writeUInt16BE(0, 4),
      reply => reply.writeUInt16BE(2, 4),
      reply => reply.write('X', 13, 'latin1'),
      reply => reply.writeUInt16BE(TYPE.AAAA, 25),
      reply => reply.writeUInt16BE(3, 27),
    ]
    const outcomes = changes.map(change =>
      read('example.com', 'A', query => {
        const reply = response(query, [[labels('example', 'com'), TYPE.A, A]])
        change(reply)
        return reply
      }),
    )
    assert.deepEqual(outcomes, Array(changes.length).fill('foreign'))
  })

  it('never throws when it is truncated or bits of it flip', () => {
    const records = everyType()
    const types = Object.keys(TYPE) as RecordType[]
    const reply = (query: Query) =>
      encode({
        type: 'response',
        id: query.id,
        flags: 0x180,
        questions: [{ name: query.name, type: 'A' }],
        answers: records,
        authorities: records,
      })
    const flips = fc.array(fc.tuple(fc.nat(), fc.nat(7)), { maxLength: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...types), flips, fc.option(fc.nat(), { nil: undefined }), (type, bits, cut) => {
        const query = { ...createQuery('example.com', 'A', false), type: TYPE.A }
        const whole = reply(query)
        const message = Buffer.from(cut === undefined ? whole : whole.subarray(0, cut % whole.length))
        for (const [at, bit] of bits)
          if (message.length > 0)
            message.writeUInt8(message.readUInt8(at % message.length) ^ (1 << bit), at % message.length)
        const understood = readReply(message, query)
        if (typeof understood !== 'string') readAnswer(understood, 'example.com', type, new Set(['example.com']), 16)
      }),
      { numRuns: 3_000 },
    )
  })

  it('of random octets never throws', () => {
    const query = createQuery('example.com', 'A', false)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), octets => {
        const message = response(query, [], 500)
        const understood = readReply(Buffer.concat([message, octets]), query)
        assert.ok(understood === 'malformed' || typeof understood === 'object')
      }),
      { numRuns: 1_000 },
    )
  })

  it('of 64 KiB, built to be costly, costs little', () => {
    const query = createQuery('example.com', 'A', false)
    const data = 40
    const pointers = Array.from({ length: 8_000 }, (_, at) => u16(0xc000 | (at === 0 ? 12 : data + 2 * (at - 1))))
    const filler = response(query, [[ROOT, TYPE.TXT, Buffer.concat(pointers)]], 4_001)
    const record = Buffer.concat([u16(0xc000 | (data + 2 * 125)), u16(TYPE.A), u16(1), u16(0), u16(60), u16(0)])
    const deep = Buffer.concat([filler, ...Array(4_000).fill(record)])
    const wide = response(query, Array(4_000).fill([u16(0xc00c), TYPE.CNAME, u16(0xc00c)]))
    for (const [message, outcome] of [
      [deep, 'malformed'],
      [wide, 'cname_loop'],
    ] as const) {
      assertCheap(() => {
        const understood = readReply(message, query)
        assert.ok(typeof understood === 'object')
        assert.equal(readAnswer(understood, 'example.com', 'A', new Set(['example.com']), 16), outcome)
      }, 20)
    }
  })
})

describe('a name on the wire', () => {
  it('with the maximum number of labels costs little, even if repeated in a reply', () => {
    const name = `${'a.'.repeat(126)}a`
    const query = createQuery(name, 'A', false)
    const record: Parameters<typeof response>[1][number] = [u16(0xc00c), TYPE.A, Buffer.from([93, 184, 216, 34])]
    const message = response(query, Array(4_000).fill(record))
    assertCheap(() => {
      const understood = readReply(message, query)
      assert.ok(typeof understood === 'object')
      assert.ok(understood.answers.every(({ owner }) => owner === name))
    }, 10)
  })

  it('reads as it was written, for any octets', () => {
    const label = fc.uint8Array({ minLength: 1, maxLength: 63 })
    fc.assert(
      fc.property(fc.array(label, { maxLength: 3 }), parts => {
        const text = parts.map(part => Buffer.from(part).toString('latin1'))
        const wire = labels(...text)
        const printable = (octet: string) =>
          /[^!-~]|[.\\]/.test(octet) ? `\\${String(octet.charCodeAt(0)).padStart(3, '0')}` : octet.toLowerCase()
        const expected = text.map(part => [...part].map(printable).join('')).join('.')
        assert.deepEqual(readName(wire, 0), { name: expected, end: wire.length })
      }),
    )
  })

  it('follows pointers backwards only, and to 255 octets only', () => {
    const long = Buffer.concat([
      ...Array.from({ length: 4 }, () => labels('x'.repeat(62)).subarray(0, 63)),
      labels('yz'),
    ])
    assert.equal(readName(long, 0), null)
    assert.equal(readName(long, 63)?.name.length, 3 * 63 + 2)
    assert.deepEqual(readName(Buffer.from([1, 97, 0, 1, 98, 0xc0, 0]), 3), { name: 'b.a', end: 7 })
    assert.equal(readName(Buffer.from([0xc0, 2, 1, 97, 0]), 0), null)
    assert.equal(readName(Buffer.from([0xc0, 0]), 0), null)
    assert.equal(readName(Buffer.from([1, 97, 0xc0, 0]), 0), null)
    assert.equal(readName(Buffer.from([0xc0]), 0), null)
    assert.equal(readName(Buffer.alloc(0), 0), null)
  })
})

describe('under a flood of forged replies', () => {
  it('waits for the real reply', async () => {
    const server = createSocket('udp4')
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    server.on('message', async (query, { port }) => {
      const forged = encode({
        type: 'response',
        questions: [{ name: 'x.example', type: 'A' }],
        answers: [address('6.6.6.6')],
      })
      for (let sent = 1; sent <= 10_000; sent++) {
        forged.writeUInt16BE((query.readUInt16BE(0) + sent) & 0xffff, 0)
        server.send(forged, port, '127.0.0.1')
        if (sent % 50 === 0) await new Promise(setImmediate)
      }
      const real = encode({
        type: 'response',
        id: query.readUInt16BE(0),
        questions: [{ name: 'x.example', type: 'A' }],
        answers: [address('192.0.2.1')],
      })
      server.send(real, port, '127.0.0.1')
    })
    const address = (data: string): Answer => ({ name: 'x.example', type: 'A', ttl: 60, data })
    const check = new AbortController()
    const servers = [{ host: '127.0.0.1', port: server.address().port }]
    const patient = { ...limits, dns_try_ms: 50_000, dns_phase_ms: 60_000 }
    const resolver = createResolver({ servers, limits: patient, signal: check.signal })
    const answer = await resolver.query('x.example', 'A', { signal: check.signal })
    server.close()
    assert.deepEqual(answer, { status: 'found', records: ['192.0.2.1'], ttl: 60, authenticated: false, cnames: [] })
  })
})

function everyType(): Answer[] {
  const name = 'example.com'
  return [
    { name, type: 'A', data: '192.0.2.1' },
    { name, type: 'AAAA', data: '2001:db8::1' },
    { name, type: 'NS', data: 'ns.example.com' },
    { name, type: 'PTR', data: 'a.example.com' },
    { name, type: 'MX', data: { preference: 1, exchange: 'mx.example.com' } },
    { name, type: 'TXT', data: ['abc', 'x'.repeat(200)] },
    { name, type: 'SOA', data: { mname: 'a.example.com', rname: 'b.example.com' } },
    { name, type: 'CAA', data: { tag: 'issue', value: 'ca.example' } },
    { name, type: 'DS', data: { keyTag: 1, algorithm: 8, digestType: 2, digest: Buffer.alloc(32) } },
    { name, type: 'TLSA', data: { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32) } },
    { name, type: 'CNAME', data: 'c.example.com' },
  ]
}
