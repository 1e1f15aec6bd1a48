// What the answers of name servers mean, and what a person sees.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/name_servers/index.ts'
import type { Section } from '../../plugins/name_servers/section.ts'
import { type Evidence, NotApplicable, Unavailable } from '../../src/engine/plugin.ts'
import { runPlugin } from '../../src/testing/run_plugin.ts'

type Facts = Evidence['name_servers']
type Server = Facts['servers'][number]

const NAMES = ['ns1.example.com', 'ns2.example.net']
const server = (parts: Partial<Server> = {}): Server => ({
  name: NAMES[0] as string,
  in_parent: true,
  in_zone: true,
  address: '192.0.2.1',
  contact: 'answered',
  reason: null,
  rcode: 0,
  authoritative: true,
  serial: 7,
  names: NAMES,
  ...parts,
})
const other = (parts: Partial<Server> = {}): Server =>
  server({ name: NAMES[1] as string, address: '198.51.100.2', ...parts })
const silent = { rcode: null, authoritative: null, serial: null, names: null }
const lame = { rcode: 5, authoritative: false, serial: null, names: null }

const facts = (parts: Partial<Facts> = {}): Facts => ({
  zone: 'example.com',
  parent: 'com',
  delegation: NAMES,
  delegation_reason: null,
  servers: [server(), other()],
  total: 2,
  ...parts,
})

const run = (name_servers: Facts | Error) =>
  runPlugin<Section>(plugin, { target: 'example.com', evidence: { name_servers } })

describe('the name servers of a zone', () => {
  type Row = readonly [what: string, parts: Partial<Facts>, codes: readonly string[] | null]
  const rows: readonly Row[] = [
    ['that agree', {}, []],
    ['of which one refuses', { servers: [server(lame), other()] }, ['lame_server']],
    ['of which one answers from a cache', { servers: [server({ ...lame, rcode: 0 }), other()] }, ['lame_server']],
    ['of which one has an unknown code', { servers: [server({ ...lame, rcode: 23 }), other()] }, ['lame_server']],
    [
      'of which one is silent',
      { servers: [server({ ...silent, contact: 'unanswered', reason: 'timeout' }), other()] },
      ['name_server_unanswered'],
    ],
    [
      'of which one has no address',
      { servers: [server({ ...silent, contact: 'no_address', address: null }), other()] },
      ['name_server_without_address', 'name_servers_in_one_network'],
    ],
    [
      'of which one is internal',
      { servers: [server({ ...silent, contact: 'internal', address: '10.0.0.1' }), other()] },
      ['name_server_not_public'],
    ],
    ['with two versions', { servers: [server({ serial: 6 }), other()] }, ['serials_differ']],
    ['more than the parent knows', { delegation: ['ns1.example.com'] }, ['delegation_differs']],
    ['fewer than the parent knows', { delegation: [...NAMES, 'ns3.example.org'] }, ['delegation_differs']],
    ['that the parent denies', { delegation: [] }, ['delegation_differs']],
    ['that are all lame', { servers: [server(lame), other(lame)] }, ['lame_server', 'lame_server']],
    ['in one network', { servers: [server(), other({ address: '192.0.2.200' })] }, ['name_servers_in_one_network']],
    [
      'in one network of IPv6',
      { servers: [server({ address: '2001:db8:1::53' }), other({ address: '2001:db8:1:9::53' })] },
      ['name_servers_in_one_network'],
    ],
    [
      'in two networks of IPv6',
      { servers: [server({ address: '2001:db8::53' }), other({ address: '2001:db8:0:1::53' })] },
      ['name_servers_in_one_network'],
    ],
    [
      'in networks apart',
      { servers: [server({ address: '2001:db8:1::53' }), other({ address: '2001:db8:2::53' })] },
      [],
    ],
    [
      'of which there is one',
      { servers: [server({ names: ['ns1.example.com'] })], delegation: ['ns1.example.com'] },
      [],
    ],
    ['of which the parent did not say', { delegation: null, delegation_reason: 'refused' }, null],
    [
      'that could not be asked',
      { servers: [server({ ...silent, contact: 'unknown', reason: 'denied' }), other()] },
      null,
    ],
    [
      'that could not all be asked, and of which one is lame',
      { servers: [server({ ...silent, contact: 'unknown', reason: 'denied' }), other(lame)] },
      ['lame_server'],
    ],
  ]
  for (const [what, parts, codes] of rows)
    it(`${what}: ${codes?.join(', ') ?? 'unknown'}`, async () => {
      const { section, signals } = await run(facts(parts))
      assert.deepEqual([section?.issues?.map(({ code }) => code) ?? null, signals], [codes, []])
    })

  const agreements: readonly (readonly [what: string, parts: Partial<Facts>, consistent: boolean | null])[] = [
    ['the same servers', {}, true],
    ['another server', { delegation: ['ns1.example.com', 'ns9.example.net'] }, false],
    ['nothing', { delegation: null, delegation_reason: 'timeout' }, null],
    ['the same as no server that has the zone', { servers: [server(lame), other(lame)] }, null],
  ]
  for (const [what, parts, consistent] of agreements)
    it(`are ${consistent} to agree where the parent names ${what}`, async () =>
      assert.equal((await run(facts(parts))).section?.consistent, consistent))

  it('say in a sentence what differs', async () => {
    const { section } = await run(facts({ delegation: ['ns1.example.com', 'old.example.org'] }))
    assert.deepEqual(
      section?.issues?.map(({ message }) => message),
      [
        'The parent zone and example.com name different servers: old.example.org only by com; ns2.example.net only by the zone itself.',
      ],
    )
  })

  it('are shown with who names them and what they have', async () => {
    const { shown } = await run(facts({ servers: [server({ in_parent: false }), other(lame)] }))
    assert.deepEqual(shown?.summary, ['1 of 2 name servers of example.com are known to have the zone.'])
    const rows = shown?.tables?.[0]?.rows.map(row => row.slice(1))
    assert.deepEqual(rows, [
      ['192.0.2.1', 'the zone alone', 'serial 7'],
      ['198.51.100.2', 'both', 'does not have the zone'],
    ])
  })

  it('are incomplete for the reason why they could not be asked', async () => {
    const unproved = { ...silent, contact: 'unknown', reason: 'port_53_unproved' } as const
    const seen = await run(facts({ servers: [server(unproved), other(unproved)] }))
    assert.deepEqual([seen.status, seen.reason], ['completed', 'name_servers_port_53_unproved'])
  })

  for (const [error, expected] of [
    [new NotApplicable('no_zone'), ['not_applicable', 'no_zone']],
    [new Unavailable('resolver_timeout'), ['unavailable', 'resolver_timeout']],
  ] as const)
    it(`are ${expected[0]} with ${expected[1]}`, async () => {
      const { status, reason } = await run(error)
      assert.deepEqual([status, reason], expected)
    })
})
