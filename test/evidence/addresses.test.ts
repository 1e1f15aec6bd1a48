import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gatherAddresses } from '../../src/evidence/addresses/gather.ts'
import type { Target } from '../../src/targets/target.ts'
import type { LabFault, LabQuestion, LabZones } from '../../src/testing/lab_dns.ts'
import { domainTarget, inLab, ipTarget, type LabOptions } from './lab_check.ts'

const zones: LabZones = {
  'example.com': { A: ['93.184.216.34', '93.184.216.35'], AAAA: ['2606:2800:220:1::1'] },
  'www.example.com': { CNAME: ['edge.example.net'] },
  'edge.example.net': { CNAME: ['example.com'] },
  'v4.example.com': { A: ['93.184.216.34'] },
  'v6.example.com': { AAAA: ['2606:2800:220:1::1'] },
  'mail.example.com': { MX: [{ preference: 1, exchange: 'mx.example.com' }] },
  'inside.example.com': { A: ['10.0.0.1'], AAAA: ['::1'] },
  'mixed.example.com': { A: ['127.0.0.1', '93.184.216.34'], AAAA: ['fc00::1', '::ffff:127.0.0.1'] },
  'many.example.com': {
    A: Array.from({ length: 1_000 }, (_, at) => `93.184.${at >> 8}.${at & 255}`),
    AAAA: Array.from({ length: 1_000 }, (_, at) => `2606:2800::${(at + 1).toString(16)}`),
  },
  'synthesized.example.com': { A: ['93.184.216.34'], AAAA: ['64:ff9b::5db8:d822'] },
  'synthesized-own.example.com': { A: ['93.184.216.34'], AAAA: ['2001:67c:64:5d:b8:d822::'] },
  'synthesized-long.example.com': { A: ['93.184.216.34'], AAAA: ['2001:67c:96::5db8:d822'] },
  'published.example.com': { A: ['93.184.216.34'], AAAA: ['64:ff9b::a00:1'] },
  'only-nat64.example.com': { AAAA: ['64:ff9b::5db8:d822'] },
  // As Cloudflare numbers its hosts
  'embedding.example.com': { A: ['104.16.132.229'], AAAA: ['2606:4700::6810:84e5'] },
  'denied-alias.example.com': { CNAME: ['edge.denied.example'] },
  'edge.denied.example': { A: ['93.184.216.34'] },
  'denied-range.example.com': { A: ['93.184.77.1', '93.184.216.34'] },
  'loop.example.com': { CNAME: ['pool.example.com'] },
  'pool.example.com': { CNAME: ['loop.example.com'] },
}

const seen = (address: string, refused: string | null = null) => ({
  address,
  family: address.includes(':') ? 6 : 4,
  refused,
})

const gather = (target: Target, options: Partial<LabOptions> = {}) =>
  inLab({ zones, ...options }, target, gatherAddresses)

/** A fault for one family only. */
const only = (family: string, fault: LabFault) => (question: LabQuestion) =>
  question.type === family ? fault : undefined

describe('the addresses of a target', () => {
  it('are those of both families, IPv6 first, with two queries', async () => {
    const { evidence, asked } = await gather(domainTarget('example.com'), { ttl: 60, signed: ['example.com'] })
    const all = [seen('2606:2800:220:1::1'), seen('93.184.216.34'), seen('93.184.216.35')]
    assert.deepEqual(evidence, {
      status: 'found',
      answers: all,
      dialable: all,
      cnames: [],
      ttl: 60,
      authenticated: true,
    })
    assert.deepEqual(asked, ['A example.com', 'AAAA example.com'])
  })

  it('are found behind aliases, which are listed', async () => {
    const { evidence } = await gather(domainTarget('www.example.com'))
    assert.deepEqual([evidence.cnames, evidence.answers.length], [['edge.example.net', 'example.com'], 3])
  })

  const none = { answers: [], dialable: [], cnames: [], ttl: null, authenticated: false }
  it('do not exist for a name that does not exist', async () => {
    const { evidence } = await gather(domainTarget('gone.example.com'))
    assert.deepEqual(evidence, { ...none, status: 'not_found' })
  })

  it('are no data for a name without any, even if AAAA is wrongly denied', async () => {
    const noData = { ...none, status: 'no_data' }
    assert.deepEqual((await gather(domainTarget('mail.example.com'))).evidence, noData)
    const fault = only('AAAA', { rcode: 'NXDOMAIN' })
    assert.deepEqual((await gather(domainTarget('mail.example.com'), { fault })).evidence, noData)
  })

  it('are all listed, but only public ones are dialled', async () => {
    const inside = await gather(domainTarget('inside.example.com'))
    assert.deepEqual(inside.evidence.answers, [seen('::1', 'loopback'), seen('10.0.0.1', 'private_use')])
    assert.deepEqual(inside.evidence.dialable, [])
    const mixed = await gather(domainTarget('mixed.example.com'))
    assert.equal(mixed.evidence.answers.length, 4)
    assert.deepEqual(mixed.evidence.dialable, [seen('93.184.216.34')])
  })

  const deny = ['2001:67c:64::/48', '2001:67c:96::/96', '93.184.77.0/24', 'denied.example']
  const v4 = seen('93.184.216.34')
  const synthesized: readonly (readonly [title: string, name: string, answers: readonly ReturnType<typeof seen>[]])[] =
    [
      ['are the A records alone where AAAA is made from them below 64:ff9b::/96', 'synthesized', [v4]],
      ['so too below a prefix of one’s own that is denied', 'synthesized-own', [v4]],
      ['so too where that has 96 bits', 'synthesized-long', [v4]],
      ['are told where AAAA holds another address than A', 'published', [seen('64:ff9b::a00:1', 'private_use'), v4]],
      ['are told where there is no A to make them from', 'only-nat64', [seen('64:ff9b::5db8:d822')]],
      [
        'are told where a public AAAA happens to hold the A',
        'embedding',
        [seen('2606:4700::6810:84e5'), seen('104.16.132.229')],
      ],
      ['are denied behind an alias that is', 'denied-alias', [seen('93.184.216.34', 'denied')]],
      ['are denied one by one', 'denied-range', [seen('93.184.77.1', 'denied'), v4]],
    ]
  for (const [title, name, answers] of synthesized)
    it(title, async () => {
      const { evidence } = await gather(domainTarget(`${name}.example.com`), { deny })
      assert.deepEqual(evidence.answers, answers)
      assert.deepEqual(
        evidence.dialable,
        answers.filter(({ refused }) => refused === null),
      )
    })

  it('are unknown when AAAA was synthesized and the A query failed', () =>
    assert.rejects(gather(domainTarget('synthesized.example.com'), { fault: only('A', { rcode: 'SERVFAIL' }) }), {
      name: 'Unavailable',
      reason: 'servfail',
    }))

  it('are at most 16, of both families, with 4 to dial', async () => {
    const { evidence } = await gather(domainTarget('many.example.com'))
    const families = (list: readonly { family: number }[]) => list.map(({ family }) => family).join('')
    assert.equal(families(evidence.answers), '6464646464646464')
    assert.equal(families(evidence.dialable), '6464')
  })

  it('are those of one family when the other is silent, which is noted', async () => {
    for (const [type, family, name] of [
      ['AAAA', 6, 'v4.example.com'],
      ['A', 4, 'v6.example.com'],
    ] as const) {
      const { evidence } = await gather(domainTarget(name), { fault: only(type, { silent: true }) })
      assert.deepEqual([evidence.status, evidence.answers.length, evidence.unanswered], ['found', 1, family])
    }
  })

  it('wait for the slower family when the faster one has nothing to dial', async () => {
    const late = (question: LabQuestion) => (question.type === 'A' ? { delay_ms: 280 } : { records: { AAAA: ['::1'] } })
    const { evidence } = await gather(domainTarget('v4.example.com'), { fault: late })
    assert.deepEqual(evidence.dialable, [seen('93.184.216.34')])
  })

  const unknown: readonly [string, string, Partial<LabOptions>, string][] = [
    ['both families fail', 'example.com', { fault: () => ({ rcode: 'SERVFAIL' }) }, 'servfail'],
    ['the resolver refuses', 'example.com', { fault: () => ({ rcode: 'REFUSED' }) }, 'refused'],
    ['the resolver is silent', 'example.com', { fault: () => ({ silent: true }) }, 'resolver_timeout'],
    ['aliases loop', 'loop.example.com', {}, 'cname_loop'],
    ['the other family stays out', 'mail.example.com', { fault: only('AAAA', { rcode: 'SERVFAIL' }) }, 'servfail'],
    ['only AAAA denies the name', 'gone.example.com', { fault: only('A', { rcode: 'SERVFAIL' }) }, 'servfail'],
    ['no question is left', 'example.com', { limits: { dns_queries: 0 } }, 'too_many_queries'],
  ]
  for (const [title, name, options, reason] of unknown)
    it(`are unavailable when ${title}`, () =>
      assert.rejects(gather(domainTarget(name), options), { name: 'Unavailable', reason }))

  it('are dialled at the given ip, if it is public', async () => {
    const beside = async (ip: string) => {
      const { evidence } = await gather({ ...domainTarget('v4.example.com'), ip } as Target)
      return [evidence.answers, evidence.dialable]
    }
    const answers = [seen('93.184.216.34')]
    assert.deepEqual(await beside('8.8.8.8'), [answers, [seen('8.8.8.8')]])
    assert.deepEqual(await beside('10.0.0.1'), [answers, []])
  })

  it('are the given address, without a query', async () => {
    const { evidence, asked } = await gather(ipTarget('8.8.8.8'))
    const one = [seen('8.8.8.8')]
    assert.deepEqual(evidence, {
      status: 'found',
      answers: one,
      dialable: one,
      cnames: [],
      ttl: null,
      authenticated: false,
    })
    assert.deepEqual(asked, [])
    const inside = await gather(ipTarget('fc00::1'))
    assert.deepEqual([inside.evidence.answers, inside.evidence.dialable], [[seen('fc00::1', 'unique_local')], []])
  })
})
