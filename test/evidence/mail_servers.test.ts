import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../../src/evidence/facts.ts'
import { ehloName } from '../../src/evidence/mail_servers/converse.ts'
import type { MailServer, MailServers } from '../../src/evidence/mail_servers/facts.ts'
import createGatherer from '../../src/evidence/mail_servers/gather.ts'
import { takeReply } from '../../src/evidence/mail_servers/smtp.ts'
import { reverseZone } from '../../src/evidence/reverse_names/gather.ts'
import { createTrustStore } from '../../src/evidence/tls/trust_store.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import { createAuthority, selfSign } from '../../src/testing/lab_ca.ts'
import { type LabDnsOptions, type LabRecords, type LabZones, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabMail, labMail } from '../../src/testing/lab_mail.ts'
import { drip, flood, type Step, send } from '../../src/testing/lab_script.ts'
import { type Destination, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { farDeadline, LONG_MS, PATIENT } from '../patience.ts'
import { domainTarget, ipTarget } from './lab_check.ts'

const DOMAIN = 'shop.lab'
const MX = 'mx.shop.lab'
const IP = '193.0.16.1'

const root = createAuthority()
const issuer = root.subordinate()
const good = issuer.issue({ names: [MX] })
const trust = createTrustStore(root.certificate)
/** With nothing remembered of mail servers. */
const newGatherer = () =>
  createGatherer({ mail_client: { name: 'checks.example', extra_roots: root.certificate }, trust })

interface World extends Partial<LabDnsOptions> {
  /** What listens on port 25 of an address. */
  readonly mail?: Readonly<Record<string, LabMail | readonly Step[] | Destination>>
  readonly zones?: LabZones
  readonly limits?: Partial<Limits>
  readonly deny?: readonly string[]
  readonly left_ms?: number
}

const one = (ip = IP, mx = MX): LabZones => ({
  [DOMAIN]: { MX: [{ preference: 10, exchange: mx }] },
  [mx]: { A: [ip] },
})

/** Gathers once in a new lab, or several times with one process's memory of port 25. */
async function inWorld<T>(
  { mail = {}, zones = one(), limits, deny = [], left_ms = LONG_MS, ...options }: World,
  use: (
    see: (domain?: string, end?: AbortSignal) => Promise<MailServers>,
    web: LabWeb,
    commands: string[],
  ) => Promise<T>,
): Promise<T> {
  const commands: string[] = []
  const dns = await startLabDns({ zones, ...options })
  const web = await startLabWeb()
  for (const [ip, service] of Object.entries(mail)) {
    if (typeof service !== 'object') web.place(ip, 25, service)
    else await web.script(ip, 25, 'name' in service ? [labMail(service, commands)] : service)
  }
  const guard = createGuard({ own: () => [], deny })
  const network = createNetwork({ resolvers: [dns.address], guard, dial: web.dial, limits: { ...PATIENT, ...limits } })
  const gatherServers = newGatherer()
  const see = async (domain = DOMAIN, end?: AbortSignal) => {
    const ending = new AbortController()
    end?.addEventListener('abort', () => ending.abort())
    const deadline = performance.now() + left_ms
    const opened = network.open({ signal: ending.signal, deadline })
    const context = { target: domainTarget(domain), signal: ending.signal, deadline, network: opened }
    try {
      return await gatherServers(context as unknown as GatherContext)
    } finally {
      ending.abort()
    }
  }
  try {
    return await use(see, web, commands)
  } finally {
    await network.close()
    await Promise.all([dns.close(), web.close()])
  }
}

const first = async (world: World): Promise<MailServer> => {
  const { servers } = await inWorld(world, see => see())
  return servers[0] ?? assert.fail('no server')
}

function assertHas(server: MailServer | undefined, expected: Partial<MailServer>): void {
  for (const [name, value] of Object.entries(expected))
    assert.deepEqual(server?.[name as keyof MailServer], value, name)
}

const plain: LabMail = { name: MX }
const secure: LabMail = { name: MX, tls: good }

describe('a mail server', () => {
  it('is greeted, asked for TLS and left, and never sent mail', async () => {
    const { servers, commands, connections } = await inWorld({ mail: { [IP]: secure } }, async (see, web, commands) => {
      const { servers, total } = await see()
      assert.equal(total, 1)
      // The check does not wait until the server has read its last command.
      for (let left = 200; left > 0 && !commands.includes('QUIT'); left--) await pause(10)
      return { servers, commands, connections: web.seen.connections }
    })
    assert.deepEqual(commands, ['EHLO checks.example', 'STARTTLS', 'QUIT'])
    assert.deepEqual(connections, [`${IP}:25`])
    const [server] = servers
    assert.ok(server?.tls?.certificate)
    const { tls, dane, reverse, ...rest } = server
    assert.deepEqual(rest, {
      preference: 10,
      exchange: MX,
      contact: 'answered',
      reason: null,
      code: null,
      address: IP,
      banner: `${MX} ESMTP Lab`,
      extensions: ['PIPELINING', 'SIZE', 'STARTTLS', '8BITMIME'],
      starttls: true,
      tls_failure: null,
      reverse_failure: null,
    })
    const { certificate, ...handshake } = tls
    assert.deepEqual(certificate?.dns_names, [MX])
    assert.deepEqual(handshake, {
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      only_legacy: false,
      names_host: true,
      anchored: true,
      verify_error: null,
    })
    assert.deepEqual([dane.status, dane.records], ['not_found', []])
    assert.deepEqual(reverse, { ip: IP, names: [], total: 0 })
  })

  const told: readonly (readonly [title: string, mail: LabMail | readonly Step[], Partial<MailServer>])[] = [
    ['without STARTTLS', plain, { contact: 'answered', starttls: false, tls: null, tls_failure: null }],
    [
      'that waits before it greets',
      { ...secure, greeting_ms: 300 },
      { contact: 'answered', banner: `${MX} ESMTP Lab`, starttls: true },
    ],
    ['that distrusts us', { ...plain, behaviour: 'rejects' }, { contact: 'rejected', code: 554, starttls: null }],
    ['that rejects EHLO', { ...plain, behaviour: 'rejects_ehlo' }, { contact: 'rejected', code: 502, starttls: null }],
    [
      'that takes STARTTLS back',
      { ...secure, behaviour: 'rejects_starttls' },
      { contact: 'answered', starttls: true, tls_failure: 'rejected' },
    ],
    [
      'that speaks in the clear after STARTTLS',
      { ...secure, behaviour: 'injects' },
      { contact: 'answered', starttls: true, tls: null, tls_failure: 'injected' },
    ],
    ['whose TLS is text', { ...secure, behaviour: 'breaks_tls' }, { contact: 'answered', starttls: true, tls: null }],
    ['that speaks HTTP', { ...plain, behaviour: 'nonsense' }, { contact: 'not_smtp', reason: null, banner: null }],
    ['that changes its code in a reply', [send('220-a\r\n221 b\r\n')], { contact: 'not_smtp' }],
    ['whose line never ends', [flood(Buffer.alloc(4_096, '2'))], { contact: 'not_smtp' }],
    ['whose reply never ends', [flood(Buffer.from('220-more\r\n'.repeat(500)))], { contact: 'not_smtp' }],
    [
      'with a hostile greeting',
      [send(`220 \u001b[31m<script>${'x'.repeat(900)}\r\n`)],
      { banner: `[31m<script>${'x'.repeat(188)}` },
    ],
  ]
  for (const [title, mail, expected] of told) {
    it(`is told as it is: one ${title}`, async () => {
      assertHas(await first({ mail: { [IP]: mail }, limits: { smtp_ms: 900 } }), expected)
    })
  }

  const certificates: readonly (readonly [title: string, tls: object, Partial<MailServer['tls']>])[] = [
    ['for another name', issuer.issue({ names: ['mail.other.lab'] }), { names_host: false, anchored: true }],
    ['for all names of its domain', issuer.issue({ names: ['*.shop.lab'] }), { names_host: true, anchored: true }],
    ['signed by itself', selfSign({ names: [MX] }), { names_host: true, anchored: false }],
    [
      'and old versions only',
      { ...issuer.issue({ names: [MX] }), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { protocol: 'TLSv1.1', only_legacy: true, anchored: true },
    ],
  ]
  for (const [title, tls, expected] of certificates) {
    it(`shows a certificate ${title}`, async () => {
      const server = await first({ mail: { [IP]: { name: MX, tls } } })
      for (const [name, value] of Object.entries(expected ?? {})) {
        assert.deepEqual(server.tls?.[name as keyof typeof server.tls], value, name)
      }
    })
  }

  it('has reverse names, which are confirmed when they lead back', async () => {
    const zones = { ...one(), [reverseZone(IP)]: { PTR: [MX] } }
    const { reverse } = await first({ mail: { [IP]: plain }, zones })
    assert.deepEqual(reverse, { ip: IP, names: [{ name: MX, confirmed: true }], total: 1 })
  })

  const unknown: readonly (readonly [
    title: string,
    zones: LabZones,
    expected: Partial<MailServer>,
    deny?: string[],
  ])[] = [
    ['points inside', one('10.0.0.25'), { contact: 'internal', reason: 'private_use', address: null }],
    ['is this machine', one('127.0.0.1'), { contact: 'internal', reason: 'loopback', address: null }],
    ['has no address', { [DOMAIN]: { MX: [{ preference: 1, exchange: MX }] } }, { contact: 'no_address' }],
    ['is an address', { [DOMAIN]: { MX: [{ preference: 1, exchange: IP }] } }, { contact: 'no_address' }],
    ['is forbidden by its address', one(), { contact: 'unknown', reason: 'denied' }, [IP]],
    ['is forbidden by its name', one(), { contact: 'unknown', reason: 'denied' }, ['mx.shop.lab']],
  ]
  for (const [title, zones, expected, deny = []] of unknown) {
    it(`is not contacted when it ${title}`, async () => {
      const { server, connections } = await inWorld({ mail: { [IP]: plain }, zones, deny }, async (see, web) => {
        const { servers } = await see()
        return { server: servers[0], connections: web.seen.connections }
      })
      assert.deepEqual(connections, [])
      assertHas(server, expected)
    })
  }
})

describe('mail servers', () => {
  const many = (count: number): LabZones => ({
    [DOMAIN]: { MX: Array.from({ length: count }, (_, at) => ({ preference: at, exchange: `mx${at}.shop.lab` })) },
    ...Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`mx${at}.shop.lab`, { A: [`193.0.16.${at + 1}`] }]),
    ),
  })

  it('are the first five by preference', async () => {
    const mail = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`193.0.16.${at + 1}`, plain]))
    const { servers, total, connections } = await inWorld({ mail, zones: many(7) }, async (see, web) => {
      return { ...(await see()), connections: web.seen.connections.length }
    })
    assert.deepEqual([servers.map(({ preference }) => preference), total, connections], [[0, 1, 2, 3, 4], 7, 5])
  })

  it('beyond the budget are unknown, and not blamed', async () => {
    const mail = Object.fromEntries([1, 2, 3].map(at => [`193.0.16.${at}`, plain]))
    const { servers } = await inWorld({ mail, zones: many(3), limits: { mail_connections: 2 } }, see => see())
    assert.deepEqual(servers.map(({ contact, reason }) => [contact, reason]).sort(), [
      ['answered', null],
      ['answered', null],
      ['unknown', 'too_many_connections'],
    ])
  })

  const none: readonly (readonly [title: string, records: LabRecords | null, error: Error])[] = [
    ['without MX records', { A: [IP] }, new NotApplicable('no_mx')],
    ['with a null MX', { MX: [{ preference: 0, exchange: '' }] }, new NotApplicable('null_mx')],
    ['of a name that does not exist', null, new NotApplicable('domain_not_found')],
  ]
  for (const [title, records, error] of none) {
    it(`are none for a domain ${title}`, async () => {
      await assert.rejects(
        inWorld({ zones: records === null ? {} : { [DOMAIN]: records } }, see => see()),
        error,
      )
    })
  }

  it('are unknown when the MX records are', async () => {
    const fault = ({ type }: { type: string }) => (type === 'MX' ? ({ rcode: 'SERVFAIL' } as const) : undefined)
    await assert.rejects(
      inWorld({ fault }, see => see()),
      new Unavailable('servfail'),
    )
  })

  for (const [title, target, reason] of [
    ['are nothing that an address has', ipTarget(IP), 'ip_target'],
    ['are not contacted by a check that must not visit', { ...domainTarget(DOMAIN), visit: false }, 'not_visited'],
  ] as const) {
    it(title, async () => {
      const context = { target } as unknown as GatherContext
      await assert.rejects(newGatherer()(context), new NotApplicable(reason))
    })
  }
})

describe('a mail server of several domains', () => {
  const zones: LabZones = { ...one(), 'other.lab': { MX: [{ preference: 1, exchange: MX }] } }
  const names = ({ servers }: MailServers) => servers.map(({ contact, tls }) => [contact, tls?.names_host])

  it('is asked once for all of them', async () => {
    await inWorld({ mail: { [IP]: secure }, zones }, async (see, web) => {
      const seen = [await see(), await see('other.lab'), await see()]
      assert.deepEqual(seen.map(names), Array(3).fill([['answered', true]]))
      assert.deepEqual(web.seen.connections, [`${IP}:25`])
    })
  })

  it('is asked once by checks at the same time', async () => {
    await inWorld({ mail: { [IP]: { ...secure, greeting_ms: 100 } }, zones }, async (see, web) => {
      const seen = await Promise.all([see(), see('other.lab')])
      assert.deepEqual(seen.map(names), Array(2).fill([['answered', true]]))
      assert.deepEqual(web.seen.connections, [`${IP}:25`])
    })
  })

  it('is asked again by a check whose predecessor ended in the middle', async () => {
    await inWorld({ mail: { [IP]: { ...secure, greeting_ms: 200 } }, zones }, async (see, web) => {
      const ended = new AbortController()
      const first = see(DOMAIN, ended.signal)
      while (web.seen.connections.length === 0) await pause(5)
      const second = see('other.lab')
      setTimeout(() => ended.abort(), 50)
      await first
      assert.deepEqual(names(await second), [['answered', true]])
      assert.deepEqual(web.seen.connections, [`${IP}:25`, `${IP}:25`])
    })
  })

  it('is asked again after silence', async () => {
    await inWorld({ mail: { [IP]: 'refused' }, zones }, async (see, web) => {
      await see()
      await see('other.lab')
      assert.deepEqual(web.seen.connections, [`${IP}:25`, `${IP}:25`])
    })
  })
})

describe('a mail server that does not answer', () => {
  const zones: LabZones = {
    ...one(),
    'other.lab': { MX: [{ preference: 1, exchange: 'mx.other.lab' }] },
    'mx.other.lab': { A: ['193.0.16.9'] },
  }
  const quick = { connect_ms: 100, smtp_ms: 200 }
  const silences: readonly (readonly [title: string, service: readonly Step[] | Destination, reason: string])[] = [
    ['a closed port', 'refused', 'refused'],
    ['a black hole', 'black_hole', 'timeout'],
    ['a server that hangs up', [labMail({ ...plain, behaviour: 'closes' })], 'closed'],
    ['a server that says nothing', [drip('', 1, 50)], 'timeout'],
  ]
  for (const [title, service, reason] of silences) {
    it(`is not blamed where port 25 may be blocked: ${title}`, async () => {
      const server = await first({ mail: { [IP]: service }, zones, limits: quick })
      assert.deepEqual([server.contact, server.reason, server.address], ['unknown', 'port_25_unproved', IP])
    })

    it(`is told as such once another one has answered: ${title}`, async () => {
      const world = { mail: { [IP]: service, '193.0.16.9': plain }, zones, limits: quick }
      const server = await inWorld(world, async see => {
        await see('other.lab')
        return (await see()).servers[0]
      })
      assert.deepEqual([server?.contact, server?.reason], ['unanswered', reason])
    })
  }

  it('is told as such beside one of the same domain that answers', async () => {
    const both: LabZones = {
      [DOMAIN]: {
        MX: [
          { preference: 1, exchange: MX },
          { preference: 2, exchange: 'mx.other.lab' },
        ],
      },
      [MX]: { A: [IP] },
      'mx.other.lab': { A: ['193.0.16.9'] },
    }
    const { servers } = await inWorld({ mail: { '193.0.16.9': plain }, zones: both, limits: quick }, see => see())
    assert.deepEqual(
      servers.map(({ contact }) => contact),
      ['unanswered', 'answered'],
    )
  })

  it('is not proved by one of the other address family', async () => {
    const six: LabZones = { ...zones, [MX]: { AAAA: ['2606:4700::25'] } }
    const server = await inWorld({ mail: { '193.0.16.9': plain }, zones: six, limits: quick }, async see => {
      await see('other.lab')
      return (await see()).servers[0]
    })
    assert.deepEqual([server?.contact, server?.reason], ['unknown', 'port_25_unproved'])
  })

  it('is unknown when the check had less time than a server may take', async () => {
    const server = await first({ mail: { [IP]: [send('220-mx ESMTP\r\n')] }, left_ms: 600 })
    assert.deepEqual([server.contact, server.reason], ['unknown', 'deadline'])
  })

  it('is not blamed for a handshake that our own limit ends', async () => {
    const replies = ['250-mx\r\n250 STARTTLS\r\n', '220 Go ahead\r\n']
    const silent: Step = socket => {
      socket.write('220 mx ESMTP\r\n')
      socket.on('data', () => socket.write(replies.shift() ?? '')).on('error', () => {})
    }
    const server = await first({ mail: { [IP]: [silent] }, limits: { smtp_ms: 300 } })
    assert.deepEqual([server.contact, server.tls, server.tls_failure], ['answered', null, 'timeout'])
  })

  it('is told as a tarpit when its greeting has begun', async () => {
    const server = await first({
      mail: { [IP]: [send('220-mx ESMTP\r\n'), drip('220 ready', 1, 300)] },
      limits: { smtp_ms: 300 },
    })
    assert.deepEqual([server.contact, server.reason, server.banner], ['unanswered', 'timeout', null])
  })
})

describe('TLSA records', () => {
  const [leaf = '', intermediate = ''] = good.chain
  const der = (pem: string) => new X509Certificate(pem).raw
  const key = (pem: string) => new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  const sha = (octets: Buffer, hash = 'sha256') => createHash(hash).update(octets).digest('hex')
  const stranger = createAuthority()
    .subordinate()
    .issue({ names: [MX] })

  type Tlsa = NonNullable<LabRecords['TLSA']>[number]
  const tlsa = (usage: number, selector: number, matching_type: number, data: string): Tlsa => ({
    usage,
    selector,
    matching_type,
    data,
  })
  const cases: readonly (readonly [title: string, record: Tlsa, usable: boolean, matches: boolean | null])[] = [
    ['match the key', tlsa(3, 1, 1, sha(key(leaf))), true, true],
    ['match the certificate', tlsa(3, 0, 2, sha(der(leaf), 'sha512')), true, true],
    ['match the whole key', tlsa(3, 1, 0, key(leaf).toString('hex')), true, true],
    ['match no other key', tlsa(3, 1, 1, sha(key(intermediate))), true, false],
    ['match the issuer', tlsa(2, 0, 1, sha(der(intermediate))), true, true],
    ['match the key of the issuer', tlsa(2, 1, 1, sha(key(intermediate))), true, true],
    ['do not match a root that was not sent', tlsa(2, 0, 1, sha(der(root.certificate))), true, false],
    ['do not match the server as its own authority', tlsa(2, 1, 1, sha(key(leaf))), true, false],
    ['do not count with the usages of public authorities', tlsa(1, 1, 1, sha(key(leaf))), false, null],
    ['do not count with an unknown digest', tlsa(3, 1, 9, sha(key(leaf))), false, null],
  ]
  for (const [title, record, usable, matches] of cases) {
    it(title, async () => {
      const zones = { ...one(), [`_25._tcp.${MX}`]: { TLSA: [record] } }
      const { dane } = await first({ mail: { [IP]: secure }, zones, signed: ['lab'] })
      const { usage, selector, matching_type } = record
      assert.deepEqual(dane, {
        name: `_25._tcp.${MX}`,
        authenticated: true,
        status: 'found',
        reason: null,
        records: [{ usage, selector, matching_type, usable, matches }],
      })
    })
  }

  it('of an authority count only if it signed the certificate', async () => {
    const tls = { ...stranger, cert: `${stranger.chain[0]}${intermediate}` }
    const data = sha(der(intermediate))
    const zones = { ...one(), [`_25._tcp.${MX}`]: { TLSA: [{ usage: 2, selector: 0, matching_type: 1, data }] } }
    const { dane } = await first({ mail: { [IP]: { name: MX, tls } }, zones, signed: ['lab'] })
    assert.equal(dane.records[0]?.matches, false)
  })

  const signed: readonly (readonly [title: string, signed: readonly string[], authenticated: boolean])[] = [
    ['count if everything is signed', ['lab'], true],
    ['do not count without DNSSEC', [], false],
    ['do not count if the MX records are unsigned', [MX, `_25._tcp.${MX}`], false],
  ]
  for (const [title, zonesSigned, authenticated] of signed) {
    it(title, async () => {
      const zones = { ...one(), [`_25._tcp.${MX}`]: { TLSA: [cases[0]?.[1] ?? assert.fail()] } }
      const { dane } = await first({ mail: { [IP]: secure }, zones, signed: zonesSigned })
      assert.deepEqual([dane.authenticated, dane.records[0]?.matches], [authenticated, true])
    })
  }

  it('are unknown when their query fails, and have nothing to match without a handshake', async () => {
    const bogus = await first({ mail: { [IP]: secure }, bogus: [`_25._tcp.${MX}`] })
    assert.deepEqual([bogus.dane.status, bogus.dane.reason, bogus.dane.authenticated], ['unknown', 'servfail', false])
    const zones = { ...one(), [`_25._tcp.${MX}`]: { TLSA: [cases[0]?.[1] ?? assert.fail()] } }
    const { dane } = await first({ mail: { [IP]: plain }, zones, signed: ['lab'] })
    assert.deepEqual(dane.records[0], { usage: 3, selector: 1, matching_type: 1, usable: true, matches: null })
  })
})

describe('port 25', () => {
  it('is for mail servers alone, and they have no other', async () => {
    await inWorld({ mail: { [IP]: plain } }, async (_see, web) => {
      const network = createNetwork({
        resolvers: ['127.0.0.1:1'],
        guard: createGuard({ own: () => [] }),
        dial: web.dial,
      })
      const { signal } = new AbortController()
      const opened = network.open({ signal, deadline: farDeadline() })
      const failure = async (port: number, purpose: 'site' | 'tls_offer' | 'mail') => {
        const result = await opened.connect({ addresses: [IP], port, signal, purpose })
        return result.ok ? null : result.failure
      }
      assert.deepEqual(
        [
          await failure(25, 'site'),
          await failure(25, 'tls_offer'),
          await failure(443, 'mail'),
          await failure(25, 'mail'),
        ],
        ['denied', 'denied', 'denied', null],
      )
      await network.close()
      assert.deepEqual(web.seen.connections, [`${IP}:25`])
    })
  })
})

describe('a reply', () => {
  it('is the same however its octets arrive', () => {
    const line = fc.tuple(
      fc.integer({ min: 200, max: 599 }),
      fc.constantFrom(' ', '-', ''),
      fc.string({ maxLength: 30 }),
    )
    const some = fc.array(
      fc.oneof(
        line.map(([code, mark, text]) => `${code}${mark}${mark === '' ? '' : text}\r\n`),
        fc.string({ maxLength: 12 }),
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(some, lines => {
        const octets = Buffer.from(lines.join(''), 'latin1')
        const whole = takeReply(octets)
        let early: ReturnType<typeof takeReply> = null
        for (let end = 1; end <= octets.length && early === null; end++) early = takeReply(octets.subarray(0, end))
        assert.deepEqual(early, whole)
      }),
    )
  })
})

describe('the name in EHLO', () => {
  const cases: readonly (readonly [contact: string | null, name: string])[] = [
    [null, 'assay.invalid'],
    ['https://checks.example.com/about', 'checks.example.com'],
    ['http://192.0.2.7/', 'assay.invalid'],
    ['https://intranet/', 'assay.invalid'],
  ]
  for (const [contact, name] of cases) {
    it(`is ${name} for the contact ${contact}`, () => assert.equal(ehloName(contact), name))
  }
})
