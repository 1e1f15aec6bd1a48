import assert from 'node:assert/strict'
import { constants, createDiffieHellman } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { TlsOptions } from 'node:tls'
import fc from 'fast-check'
import type { Evidence } from '../../src/evidence/evidence.ts'
import { Unavailable } from '../../src/evidence/facts.ts'
import { writeHello } from '../../src/evidence/tls_offer/client_hello.ts'
import type { SuiteKind, TlsOffer } from '../../src/evidence/tls_offer/facts.ts'
import { gatherTlsOffer } from '../../src/evidence/tls_offer/gather.ts'
import { createReplyReader } from '../../src/evidence/tls_offer/server_reply.ts'
import { suiteKinds, suites, suitesOfTls13, type TlsVersion } from '../../src/evidence/tls_offer/suites.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { close, flood, type Step, send } from '../../src/testing/lab_script.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget } from './lab_check.ts'
import { openCheck, outcome, type VisitOptions } from './lab_visit.ts'
import { type OldTls, oldTls, record } from './old_tls_server.ts'

const NAME = 'old.lab'
const target = domainTarget(NAME)
const credentials = createAuthority().issue({ names: [NAME], key: 'rsa2048' })

let dns: LabDns
let web: LabWeb
let next = 1
before(async () => {
  dns = await startLabDns({ zones: {} })
  web = await startLabWeb()
})
after(async () => {
  await Promise.all([dns.close(), web.close()])
})

/** Asks a server at a new address, whose own handshake is given. */
async function asked(listen: (address: string) => Promise<void>, options: VisitOptions = {}, tls: object = {}) {
  const address = `193.0.15.${next++}`
  await listen(address)
  const { context, end } = openCheck(web, dns, target, options)
  const handshake = { status: 'handshake', failure: null, address, server_name: NAME, ...tls }
  const gather = async () => handshake as unknown as Evidence['tls']
  const before = web.seen.connections.length
  const facts = await outcome(gatherTlsOffer({ ...context, gather: gather as typeof context.gather }))
  end()
  return { facts, connections: web.seen.connections.slice(before), address }
}

const ofScript = (steps: readonly Step[], options?: VisitOptions) =>
  asked(address => web.script(address, 443, steps), options)
const ofOld = (options: OldTls, visit?: VisitOptions) => ofScript([oldTls(options)], visit)
const ofNode = (tls: TlsOptions) =>
  asked(address => web.add({ host: NAME, addresses: [address], https: () => ({}), credentials, tls }))

function factsOf(facts: TlsOffer | string): TlsOffer {
  assert.ok(typeof facts === 'object', `${facts}`)
  return facts
}
const versionsIn = (facts: TlsOffer | string, status: string): TlsVersion[] =>
  factsOf(facts)
    .versions.filter(one => one.status === status)
    .map(({ version }) => version)
const kindsIn = (facts: TlsOffer | string, status: string): SuiteKind[] =>
  factsOf(facts)
    .suites.filter(one => one.status === status)
    .map(({ kind }) => kind)

describe('what a server of Node accepts', () => {
  const WEAK = 'ALL:COMPLEMENTOFALL:@SECLEVEL=0'
  const group1024 = createDiffieHellman(
    'ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff',
    'hex',
    Buffer.from([2]),
  )
  const cases: readonly (readonly [
    title: string,
    tls: TlsOptions,
    versions: readonly TlsVersion[],
    kinds: readonly SuiteKind[],
    rest: Partial<TlsOffer>,
  ])[] = [
    [
      'is TLS 1.2 and 1.3 with its defaults, and suites without forward secrecy',
      {},
      ['TLSv1.3', 'TLSv1.2'],
      ['static_key'],
      { secure_renegotiation: true, own_order: true, compression: false, fallback_refused: null, prime_bits: null },
    ],
    [
      'is TLS 1.3 alone, which has none of the kinds',
      { minVersion: 'TLSv1.3' },
      ['TLSv1.3'],
      [],
      { secure_renegotiation: null, own_order: null, compression: null, handshakes: 3 },
    ],
    [
      'is forward secret alone',
      { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' },
      ['TLSv1.2'],
      [],
      { own_order: true },
    ],
    [
      'is old versions, no encryption and no certificate when it allows them, with the size of its prime',
      {
        minVersion: 'TLSv1',
        ciphers: WEAK,
        honorCipherOrder: true,
        dhparam: pemOf(group1024.getPrime(), group1024.getGenerator()),
      },
      ['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1'],
      ['null_encryption', 'anonymous', 'static_key', 'finite_field'],
      { prime_bits: 1024, own_order: true, fallback_refused: true },
    ],
    [
      'follows the client where it has no order of its own',
      { honorCipherOrder: false, maxVersion: 'TLSv1.2' },
      ['TLSv1.2'],
      ['static_key'],
      { own_order: false },
    ],
    [
      'is TLS 1.0 where 1.1 is left out',
      {
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.2',
        ciphers: 'ECDHE-RSA-AES128-SHA:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0',
        secureOptions: constants.SSL_OP_NO_TLSv1_1,
      },
      ['TLSv1.2', 'TLSv1'],
      [],
      {},
    ],
  ]
  for (const [title, tls, versions, kinds, rest] of cases) {
    it(title, async () => {
      const facts = factsOf((await ofNode(tls)).facts)
      assert.deepEqual([versionsIn(facts, 'accepted'), kindsIn(facts, 'accepted')], [versions, kinds])
      assert.deepEqual([versionsIn(facts, 'unknown'), kindsIn(facts, 'unknown')], [[], []])
      for (const [name, value] of Object.entries(rest)) assert.deepEqual(facts[name as keyof TlsOffer], value, name)
    })
  }
})

/** PKCS #3 parameters. */
function pemOf(prime: Buffer, generator: Buffer): string {
  const integer = (octets: Buffer) => der(2, Buffer.concat([Buffer.from([0]), octets]))
  const sequence = der(0x30, Buffer.concat([integer(prime), integer(generator)]))
  return `-----BEGIN DH PARAMETERS-----\n${sequence.toString('base64')}\n-----END DH PARAMETERS-----\n`
}
function der(tag: number, content: Buffer): Buffer {
  const length = content.length < 128 ? [content.length] : [0x81, content.length]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

describe('what an old server accepts', () => {
  const cases: readonly (readonly [
    title: string,
    server: OldTls,
    versions: readonly TlsVersion[],
    kinds: readonly SuiteKind[],
    rest?: Partial<TlsOffer>,
  ])[] = [
    [
      'is every version from SSL 2.0 on',
      {
        versions: ['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2'],
        suites: ['RSA_WITH_AES_128_CBC_SHA', 'RSA_WITH_RC4_128_SHA', 'RSA_WITH_3DES_EDE_CBC_SHA'],
        own_order: true,
      },
      ['TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3', 'SSLv2'],
      ['rc4', 'small_blocks', 'static_key'],
      { secure_renegotiation: false, fallback_refused: false, own_order: true, compression: false },
    ],
    [
      'is each kind of suite, one reply at a time',
      {
        versions: ['TLSv1'],
        suites: [
          'RSA_WITH_AES_128_CBC_SHA',
          'DHE_RSA_WITH_AES_128_CBC_SHA',
          'DH_anon_WITH_AES_128_CBC_SHA',
          'RSA_WITH_NULL_MD5',
          'RSA_EXPORT_WITH_RC4_40_MD5',
          'RSA_WITH_DES_CBC_SHA',
        ],
        own_order: true,
      },
      ['TLSv1'],
      [...suiteKinds],
      { prime_bits: 2048 },
    ],
    [
      'compresses, and knows secure renegotiation',
      { versions: ['TLSv1.2'], suites: ['ECDHE_RSA_WITH_RC4_128_SHA'], compression: true, secure_renegotiation: true },
      ['TLSv1.2'],
      ['rc4'],
      { compression: true, secure_renegotiation: true },
    ],
    [
      'has the prime of the weakest exchange that it shows',
      { versions: ['TLSv1'], suites: ['DHE_RSA_EXPORT_WITH_DES40_CBC_SHA'], prime_bits: 509 },
      ['TLSv1'],
      ['export', 'small_blocks', 'finite_field'],
      { prime_bits: 509 },
    ],
    [
      'is known where it closes instead of sending an alert',
      { versions: ['TLSv1.2'], suites: ['ECDHE_RSA_WITH_AES_128_GCM_SHA256'], refuses: 'close' },
      ['TLSv1.2'],
      [],
    ],
    [
      'is known where it resets instead of sending an alert',
      { versions: ['TLSv1', 'SSLv3'], suites: ['RSA_WITH_RC4_128_SHA'], refuses: 'reset', fallback: true },
      ['TLSv1', 'SSLv3'],
      ['rc4', 'static_key'],
    ],
    [
      'is read behind a warning about the name',
      {
        versions: ['TLSv1.2'],
        suites: ['ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
        before: record(21, 0x0303, Buffer.from([1, 112])),
      },
      ['TLSv1.2'],
      [],
    ],
  ]
  for (const [title, server, versions, kinds, rest = {}] of cases) {
    it(title, async () => {
      const { facts, connections, address } = await ofOld(server)
      assert.deepEqual([versionsIn(facts, 'accepted'), kindsIn(facts, 'accepted')], [versions, kinds])
      assert.deepEqual([versionsIn(facts, 'unknown'), kindsIn(facts, 'unknown')], [[], []])
      for (const [name, value] of Object.entries(rest)) assert.deepEqual(factsOf(facts)[name as keyof TlsOffer], value)
      assert.deepEqual(connections, Array(factsOf(facts).handshakes).fill(`${address}:443`))
    })
  }
})

describe('an offer', () => {
  const plain: OldTls = { versions: ['TLSv1.2'], suites: ['ECDHE_RSA_WITH_AES_128_GCM_SHA256'] }
  const MODERN = ['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3', 'SSLv2']

  it('is not made to a server that speaks no TLS', async () => {
    for (const tls of [
      { status: 'refused', address: null },
      { status: 'failed', failure: 'not_tls' },
    ]) {
      const { facts, connections } = await asked(address => web.script(address, 443, [oldTls(plain)]), {}, tls)
      assert.deepEqual([facts, connections], ['NotApplicable: no_tls', []])
    }
  })

  it('goes to the port of an https URL', async () => {
    const address = '193.0.15.240'
    await web.script(address, 8443, [oldTls(plain)])
    const url = { href: 'https://old.lab:8443/', scheme: 'https', port: 8443, path: '/', query: null } as const
    const { context, end } = openCheck(web, dns, { ...target, url })
    const tls = { status: 'handshake', failure: null, address, server_name: NAME } as unknown as Evidence['tls']
    const facts = await gatherTlsOffer({ ...context, gather: (async () => tls) as unknown as typeof context.gather })
    end()
    assert.deepEqual(versionsIn(facts, 'accepted'), ['TLSv1.2'])
  })

  it('is not made to a server that did not answer the check', async () => {
    const silent = { status: 'failed', failure: 'timeout', address: '193.0.15.250' }
    const { facts, connections } = await asked(address => web.script(address, 443, [oldTls(plain)]), {}, silent)
    assert.deepEqual([facts, connections], ['Unavailable: timeout', []])
  })

  it('is refused silently only by a server that still answers', async () => {
    const { facts } = await ofOld({ ...plain, connections: 2, refuses: 'close' })
    assert.deepEqual(versionsIn(facts, 'accepted'), ['TLSv1.2'])
    assert.deepEqual(versionsIn(facts, 'unknown'), ['TLSv1.1', 'TLSv1', 'SSLv3', 'SSLv2'])
    assert.deepEqual(kindsIn(facts, 'unknown'), [...suiteKinds])
    assert.deepEqual(factsOf(facts).own_order, null)
  })

  it('is unknown where nothing was ever accepted and the server never said no', async () => {
    const { facts } = await ofScript([close()])
    assert.equal(facts, 'Unavailable: closed')
  })

  it('is made no more after two of them were met with silence', async () => {
    const { facts, connections } = await ofOld({ ...plain, refuses: 'silence' }, { limits: { tls_ms: 100 } })
    assert.deepEqual(versionsIn(facts, 'accepted'), ['TLSv1.2'])
    assert.deepEqual(
      versionsIn(facts, 'unknown'),
      MODERN.filter(version => version !== 'TLSv1.2'),
    )
    assert.equal(connections.length, 3)
  })

  it('is not made without time left', async () => {
    const { facts, connections } = await ofOld(plain, { left_ms: 200 })
    assert.deepEqual([facts, connections], ['Unavailable: deadline', []])
  })

  it('ends with the budget of the check, and what was learned stays', async () => {
    const { facts, connections } = await ofOld(plain, { limits: { tls_offer_connections: 2 } })
    assert.deepEqual([versionsIn(facts, 'accepted'), versionsIn(facts, 'refused')], [['TLSv1.2'], ['TLSv1.3']])
    assert.deepEqual(
      factsOf(facts).versions.flatMap(({ status, reason }) => (status === 'unknown' ? [reason] : [])),
      Array(4).fill('too_many_connections'),
    )
    assert.equal(connections.length, 2)
  })

  it('leaves the connections of the site to the site', async () => {
    const { facts } = await ofOld(plain, { limits: { connections: 1 } })
    assert.deepEqual(versionsIn(facts, 'unknown'), [])
  })

  const PIECES = Buffer.concat(Array(1_000).fill(record(22, 0x0303, Buffer.from([2, 0, 0xff, 0xff]))))
  const strange: readonly (readonly [title: string, steps: readonly Step[], reason: string])[] = [
    ['text', [send('220 mail.lab ESMTP\r\n')], 'not_tls'],
    ['a message in endless pieces', [flood(PIECES)], 'too_large'],
    [
      'a message that never ends',
      [flood(Buffer.concat([Buffer.from([22, 3, 3, 0x40, 0]), Buffer.alloc(0x4000, 2)]))],
      'too_large',
    ],
    ['half a record', [send(Buffer.from([22, 3, 3, 1])), close()], 'protocol_error'],
    [
      'a version that nobody offered',
      [send(record(22, 0x0303, Buffer.from([2, 0, 0, 38, 3, 9, ...Buffer.alloc(36)])))],
      'protocol_error',
    ],
    [
      'a suite that nobody knows',
      [send(record(22, 0x0303, Buffer.from([2, 0, 0, 38, 3, 1, ...Buffer.alloc(33), 0xee, 0xee, 0])))],
      'protocol_error',
    ],
  ]
  for (const [title, steps, reason] of strange) {
    it(`is unknown where the answer is ${title}`, async () => {
      assert.equal((await ofScript(steps)).facts, `${Unavailable.name}: ${reason}`)
    })
  }
})

describe('a hello', () => {
  it('offers fewer suites than old servers bear, each once', () => {
    assert.ok(suites.length < 128)
    assert.equal(new Set(suites.map(({ code }) => code)).size, suites.length)
  })

  it('is never of a length that old servers do not answer', () => {
    const names = fc.option(fc.domain())
    const some = fc.subarray(suites.map(({ code }) => code))
    const versions = fc.constantFrom<TlsVersion>('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3')
    fc.assert(
      fc.property(names, some, versions, (server_name, suites, version) => {
        const message = writeHello({ version, suites, server_name }).length - 5
        assert.ok(message < 256 || message >= 512, `${message}`)
      }),
    )
  })
})

describe('the reader of replies', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 })
  const likely = fc
    .tuple(fc.constantFrom(20, 21, 22, 23), fc.uint8Array({ maxLength: 60 }))
    .map(([type, content]) => record(type, 0x0303, Buffer.from(content)))
  const bytes = fc.oneof(
    chunks.map(all => Buffer.concat(all)),
    fc.array(likely).map(all => Buffer.concat(all)),
  )
  const asked = fc.constantFrom<TlsVersion>('SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.2', 'TLSv1.3')
  const closed = { outcome: 'refused', reason: 'closed' } as const

  it('reads the same however the octets arrive', () => {
    fc.assert(
      fc.property(bytes, asked, fc.integer({ min: 1, max: 9 }), (all, version, size) => {
        const whole = createReplyReader(version)
        const cut = createReplyReader(version)
        let reply = null
        for (let at = 0; at < all.length && reply === null; at += size) reply = cut.push(all.subarray(at, at + size))
        assert.deepEqual(reply ?? cut.end(closed), whole.push(all) ?? whole.end(closed))
      }),
    )
  })

  it('knows every suite of TLS 1.3 that it offers', () => {
    for (const { code, name } of suitesOfTls13) {
      const supported = Buffer.from([0, 6, 0, 43, 0, 2, 3, 4])
      const hello = Buffer.concat([
        Buffer.from([3, 3]),
        Buffer.alloc(33),
        Buffer.from([code >> 8, code & 0xff, 0]),
        supported,
      ])
      const reply = createReplyReader('TLSv1.3').push(
        record(22, 0x0303, Buffer.concat([Buffer.from([2, 0, 0, hello.length]), hello])),
      )
      assert.deepEqual(reply?.outcome === 'accepted' && [reply.version, reply.suite?.name], ['TLSv1.3', name])
    }
  })
})
