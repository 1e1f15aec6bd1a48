import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gatherDns } from '../../src/evidence/dns/gather.ts'
import type { Target } from '../../src/targets/target.ts'
import type { LabFault, LabQuestion, LabZones } from '../../src/testing/lab_dns.ts'
import { domainTarget, inLab, ipTarget, type LabOptions } from './lab_check.ts'

const letsencrypt = { critical: false, tag: 'issue', value: 'letsencrypt.org' }
const nobody = { critical: false, tag: 'issue', value: ';' }
const ds = { key_tag: 1, algorithm: 13, digest_type: 2 }
const soa = {
  mname: 'ns1.example.net',
  rname: 'hostmaster.example.com',
  serial: 1,
  refresh: 7200,
  retry: 900,
  expire: 1_209_600,
  minimum: 300,
}
const key = { flags: 257, algorithm: 13, bits: 512 }
const binding = {
  priority: 1,
  target: '',
  alpn: ['h2', 'h3'],
  no_default_alpn: false,
  port: null,
  ech: true,
  mandatory: [],
  ipv4_hints: ['192.0.2.80'],
  ipv6_hints: [],
}
const zones: LabZones = {
  'ns1.example.net': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
  'ns2.example.net': { A: ['192.0.2.2'], AAAA: ['64:ff9b::192.0.2.2'] },
  'example.com': {
    HTTPS: [binding],
    SOA: [soa],
    DNSKEY: [key],
    NS: ['ns1.example.net', 'ns2.example.net'],
    CAA: [letsencrypt],
    TXT: ['v=spf1 -all'],
    DS: [ds],
  },
  'www.example.com': { TXT: ['hello', 'x'.repeat(300)] },
  'shop.example.com': { CAA: [nobody], NS: ['ns.shop.example'] },
  'alias.example.com': { CNAME: ['elsewhere.example.net'] },
  'elsewhere.example.net': { NS: ['ns.elsewhere.example'], CAA: [nobody] },
  'plain.example': { TXT: ['plain'] },
  'github.io': { NS: ['ns.github.example'], CAA: [letsencrypt], DS: [ds] },
  'user.github.io': { TXT: ['page'] },
}

const gather = (target: Target, options: Partial<LabOptions> = {}) => inLab({ zones, ...options }, target, gatherDns)
const found = { status: 'found', ttl: 300, authenticated: false, cnames: [] }
const noData = { status: 'no_data', authenticated: false, cnames: [] }

const onlyTxtFails = ({ type }: LabQuestion): LabFault | undefined =>
  type === 'TXT' ? { rcode: 'SERVFAIL' } : undefined

describe('a delegation below a signed domain', () => {
  const above = { NS: ['ns2.example.net', 'ns1.example.net'], DS: [ds], TXT: ['x'] }
  const below: readonly (readonly [string, LabZones[string], string])[] = [
    ['without a DS is unsigned', { NS: ['ns.shop.example'], TXT: ['x'] }, 'unsigned'],
    ['with a DS is not', { NS: ['ns.shop.example'], TXT: ['x'], DS: [ds] }, 'signed'],
    ['that is none has the DS of the domain', { TXT: ['x'] }, 'signed'],
  ]
  for (const [title, child, dnssec] of below)
    it(title, async () => {
      const { evidence } = await gather(domainTarget('shop.example.com', 'example.com'), {
        zones: { 'example.com': above, 'shop.example.com': child },
        signed: ['example.com'],
      })
      assert.equal(evidence.dnssec, dnssec)
      if (child.NS === undefined)
        assert.deepEqual(evidence.ns, {
          ...found,
          authenticated: true,
          records: ['ns1.example.net', 'ns2.example.net'],
        })
    })
})

describe('the zone around a name', () => {
  it('tells when its signatures are valid, where the resolver sends them', async () => {
    const signatures = { from: 1_795_000_000, until: 1_796_000_000 }
    const { evidence } = await gather(domainTarget('example.com'), { signed: ['example.com'], signatures })
    const validated = { ...found, authenticated: true }
    assert.deepEqual(evidence.soa, { ...validated, records: [soa], signature: signatures })
    assert.deepEqual(evidence.dnskey, { ...validated, records: [key], signature: signatures })
    assert.deepEqual(evidence.ns, { ...validated, records: ['ns1.example.net', 'ns2.example.net'] })
  })

  it('is found at the registrable domain, with its keys and the addresses of its name servers', async () => {
    const { evidence, asked } = await gather(domainTarget('example.com'))
    assert.deepEqual(evidence, {
      ns: { ...found, records: ['ns1.example.net', 'ns2.example.net'] },
      zone: 'example.com',
      caa: { ...found, records: [letsencrypt] },
      caa_at: 'example.com',
      txt: { ...found, records: ['v=spf1 -all'] },
      https: { ...found, records: [binding] },
      ds: { ...found, records: [ds] },
      soa: { ...found, records: [soa] },
      dnskey: { ...found, records: [key] },
      name_server_ipv6: [
        { name: 'ns1.example.net', ipv6: true },
        { name: 'ns2.example.net', ipv6: false },
      ],
      dnssec: 'unknown',
    })
    assert.deepEqual(asked, [
      'A example.com',
      'AAAA example.com',
      'AAAA ns1.example.net',
      'AAAA ns2.example.net',
      'CAA example.com',
      'DNSKEY example.com',
      'DS example.com',
      'HTTPS example.com',
      'MX example.com',
      'NS example.com',
      'SOA example.com',
      'TXT example.com',
    ])
  })

  it('is found above a name with two more queries, and no higher than the registered domain', async () => {
    const { evidence, asked } = await gather(domainTarget('www.example.com', 'example.com'))
    assert.deepEqual([evidence.zone, evidence.caa_at], ['example.com', 'example.com'])
    assert.deepEqual(evidence.txt, { ...found, records: ['hello', 'x'.repeat(300)] })
    const above = ['CAA www.example.com', 'NS www.example.com']
    assert.deepEqual([asked.length, asked.filter(question => above.includes(question))], [14, above])
    const outside = await gather(domainTarget('www.example.com', 'www.example.com'))
    assert.deepEqual([outside.evidence.zone, outside.evidence.caa_at, outside.evidence.ns], [null, null, noData])
  })

  it('is found at the owner of a private suffix, whose CAA applies below it', async () => {
    const { evidence } = await gather(domainTarget('user.github.io', 'user.github.io', 'github.io'))
    assert.deepEqual([evidence.zone, evidence.caa_at], ['github.io', 'github.io'])
    assert.deepEqual(evidence.ns, { ...found, records: ['ns.github.example'] })
    assert.deepEqual(evidence.caa, { ...found, records: [letsencrypt] })
  })

  it('is the closest one, and so is its CAA', async () => {
    const { evidence } = await gather(domainTarget('a.shop.example.com', 'example.com'))
    assert.deepEqual([evidence.zone, evidence.caa_at], ['shop.example.com', 'shop.example.com'])
    assert.deepEqual(evidence.caa, { ...found, records: [nobody] })
  })

  it('does not follow an alias, but CAA does', async () => {
    const { evidence } = await gather(domainTarget('alias.example.com', 'example.com'))
    assert.deepEqual([evidence.zone, evidence.caa_at], ['example.com', 'alias.example.com'])
    assert.deepEqual(evidence.caa, { ...found, records: [nobody], cnames: ['elsewhere.example.net'] })
  })

  it('is unknown when a closer name is unknown', async () => {
    const { evidence } = await gather(domainTarget('www.example.com', 'example.com'), {
      fault: ({ name, type }) => (name === 'www.example.com' && type === 'CAA' ? { rcode: 'SERVFAIL' } : undefined),
    })
    assert.deepEqual(evidence.caa, { status: 'unknown', reason: 'servfail' })
    assert.deepEqual([evidence.caa_at, evidence.zone], [null, 'example.com'])
  })

  it('is searched at no more than eight names, those closest to the registrable domain', async () => {
    const { evidence, asked } = await gather(domainTarget(`${'a.'.repeat(100)}example.com`, 'example.com'))
    assert.deepEqual([evidence.zone, asked.filter(question => question.startsWith('NS')).length], ['example.com', 8])
  })

  it('does not exist for a name that does not exist', async () => {
    const { evidence } = await gather(domainTarget('gone.example'))
    const gone = { ...noData, status: 'not_found' }
    assert.deepEqual(evidence, {
      ns: gone,
      zone: null,
      caa: gone,
      caa_at: null,
      txt: gone,
      https: gone,
      ds: gone,
      soa: null,
      dnskey: null,
      name_server_ipv6: [],
      dnssec: 'unknown',
    })
  })

  const states: readonly [string, Target, Partial<LabOptions>, string][] = [
    ['signed: DS and a validated answer', domainTarget('example.com'), { signed: ['example.com'] }, 'signed'],
    ['unsigned: no DS', domainTarget('plain.example'), {}, 'unsigned'],
    [
      'unsigned: no DS, though the resolver echoes AD',
      domainTarget('plain.example'),
      { signed: ['plain.example'] },
      'unsigned',
    ],
    ['unknown: DS, but the resolver does not validate', domainTarget('example.com'), {}, 'unknown'],
    [
      'bogus: a failure that is none without validation',
      domainTarget('example.com'),
      { bogus: ['example.com'] },
      'bogus',
    ],
    [
      'signed although another question fails',
      domainTarget('example.com'),
      { signed: ['example.com'], fault: ({ type }) => (type === 'NS' ? { rcode: 'SERVFAIL' } : undefined) },
      'signed',
    ],
    ['unsigned: no DS, whatever else fails', domainTarget('plain.example'), { fault: onlyTxtFails }, 'unsigned'],
    ['unknown: the failure stays without validation', domainTarget('example.com'), { fault: onlyTxtFails }, 'unknown'],
    [
      'signed below a private suffix by its owner’s DS',
      domainTarget('user.github.io', 'user.github.io', 'github.io'),
      { signed: ['github.io'] },
      'signed',
    ],
  ]
  for (const [title, target, options, dnssec] of states)
    it(`is ${title}`, async () => assert.equal((await gather(target, options)).evidence.dnssec, dnssec))

  type Failing = readonly [name: string, type: string]
  const APEX = 'example.com'
  const WWW = 'www.example.com'
  const [apex, www] = [domainTarget(APEX), domainTarget(WWW, APEX)]
  const plain = domainTarget('plain.example')
  const alias = domainTarget('alias.example', 'alias.example')
  const signedZone: LabZones = {
    ...zones,
    [WWW]: { A: ['192.0.2.9'], AAAA: ['2001:db8::9'], TXT: ['hello'] },
    'signed.example': { DS: [ds] },
    'a.signed.example': { A: ['192.0.2.8'] },
    'a.unsigned.example': { A: ['192.0.2.7'] },
  }
  const to = (name: string): LabZones => ({ ...signedZone, 'alias.example': { CNAME: [name] } })
  const sets: readonly (readonly [
    title: string,
    target: Target,
    failing: readonly Failing[],
    expected: readonly string[],
    dnssec: string,
    zones?: LabZones,
  ])[] = [
    ['the A records', apex, [[APEX, 'A']], ['A example.com'], 'bogus'],
    ['the AAAA records', apex, [[APEX, 'AAAA']], ['AAAA example.com'], 'bogus'],
    [
      'both',
      apex,
      [
        [APEX, 'AAAA'],
        [APEX, 'A'],
      ],
      ['A example.com', 'AAAA example.com'],
      'bogus',
    ],
    ['the address of a name in the zone', www, [[WWW, 'A']], ['A www.example.com'], 'bogus'],
    ['the MX records', apex, [[APEX, 'MX']], ['MX example.com'], 'bogus'],
    ['the TXT records', apex, [[APEX, 'TXT']], ['TXT example.com'], 'bogus'],
    ['the NS records', apex, [[APEX, 'NS']], ['NS example.com'], 'bogus'],
    ['the CAA records above the name', www, [[APEX, 'CAA']], ['CAA example.com'], 'bogus'],
    ['the SOA record', www, [[APEX, 'SOA']], ['SOA example.com'], 'bogus'],
    ['the keys', apex, [[APEX, 'DNSKEY']], ['DNSKEY example.com'], 'bogus'],
    ['the delegation', apex, [[APEX, 'DS']], ['DS example.com'], 'bogus'],
    ['the denial of a type', www, [[WWW, 'MX']], ['MX www.example.com'], 'bogus'],
    ['the address of another name', apex, [[WWW, 'A']], [], 'signed'],
    ['nothing', apex, [], [], 'signed'],
    ['an address in an unsigned zone', plain, [['plain.example', 'A']], [], 'unsigned'],
    [
      'an alias from an unsigned zone into a signed one',
      alias,
      [['alias.example', 'A']],
      ['A alias.example'],
      'bogus',
      to('a.signed.example'),
    ],
    [
      'an alias from an unsigned zone into an unsigned one',
      alias,
      [['alias.example', 'A']],
      [],
      'unsigned',
      to('a.unsigned.example'),
    ],
  ]
  for (const [title, target, failing, expected, dnssec, world = signedZone] of sets)
    it(`is ${dnssec} when validation fails for ${title}`, async () => {
      const fails = ({ name, type, checkingDisabled }: LabQuestion) =>
        !checkingDisabled && failing.some(one => one[0] === name && one[1] === type)
      const { evidence } = await gather(target, {
        zones: world,
        signed: [APEX],
        fault: question => (fails(question) ? { rcode: 'SERVFAIL' } : undefined),
      })
      assert.deepEqual(
        [(evidence.bogus ?? []).map(({ name, type }) => `${type} ${name}`), evidence.dnssec],
        [expected, dnssec],
      )
    })

  it('is asked about again for at most four record sets, the addresses first', async () => {
    const { evidence, asked } = await gather(apex, { bogus: [APEX] })
    assert.deepEqual(
      evidence.bogus?.map(({ type }) => type),
      ['A', 'AAAA', 'MX', 'TXT'],
    )
    assert.equal(asked.filter(question => question.endsWith(` ${APEX}`)).length, 12)
  })

  it('is unavailable when no query is answered', async () => {
    const failing = gather(domainTarget('example.com'), { fault: () => ({ rcode: 'SERVFAIL' }) })
    await assert.rejects(failing, { name: 'Unavailable', reason: 'servfail' })
    const silent = gather(domainTarget('example.com'), { fault: () => ({ silent: true }) })
    await assert.rejects(silent, { name: 'Unavailable', reason: 'resolver_timeout' })
  })

  it('does not apply to an address', () =>
    assert.rejects(gather(ipTarget('8.8.8.8')), { name: 'NotApplicable', reason: 'ip_target' }))
})
