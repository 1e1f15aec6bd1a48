import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NotApplicable, Unavailable } from '../../src/evidence/facts.ts'
import { gatherReverseNames, reverseZone } from '../../src/evidence/reverse_names/gather.ts'
import type { LabZones } from '../../src/testing/lab_dns.ts'
import { domainTarget, inLab, ipTarget, type LabOptions } from './lab_check.ts'

const IP = '198.51.101.7'
const ZONE = '7.101.51.198.in-addr.arpa'

const seen = (lab: LabOptions, ip = IP) => inLab(lab, ipTarget(ip), gatherReverseNames)

describe('the names of an address', () => {
  const six = '2606:4700::1111'
  const cases: [title: string, ip: string, zones: LabZones, names: [string, boolean | null][]][] = [
    ['are none when it has none', IP, {}, []],
    [
      'are confirmed when they lead back',
      IP,
      { [ZONE]: { PTR: ['mail.lab'] }, 'mail.lab': { A: ['198.51.101.6', IP] } },
      [['mail.lab', true]],
    ],
    [
      'are claims when they lead elsewhere or nowhere',
      IP,
      { [ZONE]: { PTR: ['www.bank.lab', 'gone.lab'] }, 'www.bank.lab': { A: ['198.51.101.99'] } },
      [
        ['gone.lab', false],
        ['www.bank.lab', false],
      ],
    ],
    [
      'lead back by an alias too',
      IP,
      { [ZONE]: { PTR: ['a.lab'] }, 'a.lab': { CNAME: ['b.lab'] }, 'b.lab': { A: [IP] } },
      [['a.lab', true]],
    ],
    [
      'of IPv6 are asked by nibbles and led back by AAAA',
      six,
      { [reverseZone(six)]: { PTR: ['one.lab'] }, 'one.lab': { A: [IP], AAAA: [six] } },
      [['one.lab', true]],
    ],
  ]
  for (const [title, ip, zones, names] of cases) {
    it(title, async () => {
      const { evidence } = await seen({ zones }, ip)
      assert.deepEqual([evidence.ip, evidence.names.map(({ name, confirmed }) => [name, confirmed])], [ip, names])
    })
  }

  it('are at most four, each resolved once', async () => {
    const PTR = ['e', 'd', 'c', 'b', 'a', 'f'].map(label => `${label}.lab`)
    const { evidence, asked } = await seen({ zones: { [ZONE]: { PTR } } })
    assert.equal(evidence.total, 6)
    assert.deepEqual(
      evidence.names.map(({ name }) => name),
      ['a.lab', 'b.lab', 'c.lab', 'd.lab'],
    )
    assert.deepEqual(asked, ['A a.lab', 'A b.lab', 'A c.lab', 'A d.lab', `PTR ${ZONE}`])
  })

  it('are omitted when they are not host names', async () => {
    const PTR = ['<script>.lab', 'localhost', '10.0.0.1', 'fine.lab']
    const { evidence } = await seen({ zones: { [ZONE]: { PTR } } })
    assert.deepEqual([evidence.total, evidence.names.map(({ name }) => name)], [4, ['fine.lab']])
  })

  it('are unconfirmed when they cannot be resolved', async () => {
    const { evidence } = await seen({
      zones: { [ZONE]: { PTR: ['mail.lab'] } },
      fault: ({ name }) => (name === 'mail.lab' ? { rcode: 'SERVFAIL' } : undefined),
    })
    assert.deepEqual(evidence.names, [{ name: 'mail.lab', confirmed: null }])
  })

  for (const [title, fault, reason] of [
    ['fails', { rcode: 'SERVFAIL' }, 'servfail'],
    ['is silent', { silent: true }, 'resolver_timeout'],
  ] as const) {
    it(`are unknown when their zone ${title}`, async () => {
      await assert.rejects(seen({ zones: {}, fault: () => fault }), new Unavailable(reason))
    })
  }

  it('are not waited for when their zone is slow', async () => {
    const slow = { zones: { [ZONE]: { PTR: ['mail.lab'] } }, limits: { dns_try_ms: 9_000, dns_phase_ms: 9_000 } }
    await assert.rejects(seen({ ...slow, fault: () => ({ silent: true }) }), new Unavailable('resolver_timeout'))
  })

  it('do not apply to a domain', async () => {
    await assert.rejects(
      inLab({ zones: {} }, domainTarget('a.lab'), gatherReverseNames),
      new NotApplicable('domain_target'),
    )
  })
})
