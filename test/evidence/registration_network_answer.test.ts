import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { IpNetworkFacts } from '../../src/evidence/ip_network/facts.ts'
import { noNetwork, readNetwork } from '../../src/evidence/ip_network/network_answer.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const read = (body: unknown, ip = '193.0.14.115') =>
  readNetwork(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), ip, NOW)

const card = (...properties: readonly (readonly [name: string, value: unknown])[]) => [
  'vcard',
  [['version', {}, 'text', '4.0'], ...properties.map(([name, value]) => [name, {}, 'text', value])],
]
const entity = (roles: readonly string[], vcardArray: unknown, entities: readonly object[] = []) => ({
  objectClassName: 'entity',
  roles,
  vcardArray,
  entities,
})
const registrant = entity(['registrant'], card(['fn', 'Harbour Archive']))
const abuse = entity(['abuse'], card(['fn', 'Abuse desk'], ['email', 'abuse@harbour.lab']))

const whole = {
  objectClassName: 'ip network',
  handle: '193.0.14.0 - 193.0.15.255',
  startAddress: '193.0.14.0',
  endAddress: '193.0.15.255',
  ipVersion: 'v4',
  name: 'HARBOUR-NET',
  type: 'ASSIGNED PA',
  country: 'nl',
  events: [
    { eventAction: 'registration', eventDate: '2003-03-17T12:15:57Z' },
    { eventAction: 'last changed', eventDate: '2024-03-17T12:15:57Z' },
  ],
  entities: [registrant, abuse],
}

const facts: IpNetworkFacts = {
  registered: true,
  start_address: '193.0.14.0',
  end_address: '193.0.15.255',
  name: 'HARBOUR-NET',
  holder: 'Harbour Archive',
  country: 'NL',
  registered_at: '2003-03-17T12:15:57Z',
  abuse_email: 'abuse@harbour.lab',
}

describe('an answer about the network of an address', () => {
  const tells: readonly [title: string, body: object, told: Partial<IpNetworkFacts>][] = [
    ['tells of all', whole, {}],
    ['tells of it without a class', { ...whole, objectClassName: undefined }, {}],
    ['tells no name that is none', { ...whole, name: 7 }, { name: null }],
    ['tells a name made printable', { ...whole, name: ' HARBOUR\u0000\nNET ' }, { name: 'HARBOUR NET' }],
    ['tells of no holder without a registrant', { ...whole, entities: [abuse] }, { holder: null }],
    [
      'tells of an organization where there is no name',
      { ...whole, entities: [entity(['registrant'], card(['org', 'Harbour'])), abuse] },
      { holder: 'Harbour' },
    ],
    [
      'tells of the contact for abuse among the registrant’s own',
      { ...whole, entities: [entity(['Registrant'], card(['fn', 'Harbour Archive']), [abuse])] },
      {},
    ],
    [
      'tells of the first contact for abuse that can be written to',
      { ...whole, entities: [registrant, entity(['abuse'], card(['email', 'by telephone'])), abuse] },
      {},
    ],
    [
      'tells of no contact for other matters',
      { ...whole, entities: [registrant, entity(['technical'], card(['email', 'noc@harbour.lab']))] },
      { abuse_email: null },
    ],
    [
      'tells of no contact that would steer a terminal or is too long',
      {
        ...whole,
        entities: [
          registrant,
          entity(['abuse'], card(['email', `${'a'.repeat(260)}@harbour.lab`])),
          entity(['abuse'], card(['email', '<script>@harbour.lab'])),
        ],
      },
      { abuse_email: null },
    ],
    ['tells of no country that is none', { ...whole, country: 'Netherlands' }, { country: null }],
    [
      'tells the date of registration alone',
      { ...whole, events: [{ eventAction: 'last changed', eventDate: '2024-03-17T12:15:57Z' }] },
      { registered_at: null },
    ],
    [
      'tells a date before there were names',
      { ...whole, events: [{ eventAction: 'registration', eventDate: '1983-08-23T00:00:00-04:00' }] },
      { registered_at: '1983-08-23T04:00:00Z' },
    ],
    [
      'tells no date that fills a gap, and none to come',
      {
        ...whole,
        events: ['1970-01-01T00:00:00Z', '2027-01-01T00:00:00Z'].map(eventDate => ({
          eventAction: 'registration',
          eventDate,
        })),
      },
      { registered_at: null },
    ],
    ['says that there is none', { errorCode: 404, title: 'Not Found' }, noNetwork],
  ]
  for (const [title, body, told] of tells) {
    it(title, () => assert.deepEqual(read(body), { ok: true, facts: { ...facts, ...told } }))
  }

  it('describes an IPv6 network in canonical form', () => {
    const body = { ...whole, startAddress: '2A10:3781:0001::', endAddress: '2a10:3781:1:ffff:ffff:ffff:ffff:ffff' }
    const reading = read(body, '2a10:3781:1::10')
    assert.ok(reading.ok)
    assert.deepEqual(
      [reading.facts.start_address, reading.facts.end_address],
      ['2a10:3781:1::', '2a10:3781:1:ffff:ffff:ffff:ffff:ffff'],
    )
  })

  const useless: readonly [title: string, body: unknown, failure: string, ip?: string][] = [
    ['is no JSON', '<html>', 'unreadable'],
    ['is a list', [], 'unreadable'],
    ['is another object', { ...whole, objectClassName: 'autnum' }, 'unreadable'],
    ['is an error', { ...whole, errorCode: 500 }, 'unreadable'],
    ['has no first address', { ...whole, startAddress: undefined }, 'unreadable'],
    ['has a block for an address', { ...whole, endAddress: '193.0.14.0/24' }, 'unreadable'],
    ['has an address of one link', { ...whole, startAddress: 'fe80::1%eth0' }, 'unreadable'],
    ['ends before the address', whole, 'other_network', '193.0.16.0'],
    ['begins behind the address', whole, 'other_network', '193.0.13.255'],
    ['is of the other version', whole, 'other_network', '2a10:3781:1::10'],
  ]
  for (const [title, body, failure, ip] of useless) {
    it(`is rejected when it ${title}`, () => assert.deepEqual(read(body, ip), { ok: false, failure }))
  }

  it('never throws for any input', () => {
    const members = fc.record(
      { ...Object.fromEntries(Object.keys(whole).map(name => [name, fc.jsonValue()])), entities: fc.jsonValue() },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          members.map(some => ({ ...whole, ...some })),
        ),
        body => {
          assert.equal(typeof read(body).ok, 'boolean')
        },
      ),
    )
  })
})
