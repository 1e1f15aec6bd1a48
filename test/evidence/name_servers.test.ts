// What name servers say when each is asked itself, over real sockets.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, decode, encode } from 'dns-packet'
import type { Dns } from '../../src/evidence/dns/facts.ts'
import type { NameServers } from '../../src/evidence/name_servers/facts.ts'
import { gatherNameServers } from '../../src/evidence/name_servers/gather.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import { type LabDns, serveStream, startLabDns } from '../../src/testing/lab_dns.ts'
import { type Step, send, wait } from '../../src/testing/lab_script.ts'
import { startLabWeb } from '../../src/testing/lab_web.ts'
import { farDeadline } from '../patience.ts'
import { domainTarget, ipTarget } from './lab_check.ts'

const ZONE = 'example.com'
const NAMES = ['ns1.example.com', 'ns2.example.com']
const AA = 1 << 10

interface Says {
  readonly rcode?: number
  readonly flags?: number
  readonly serial?: number
  /** NS records, in the answer or in a referral. */
  readonly names?: readonly string[]
  readonly refers?: true
}

/** Answers about the zone as a server of it does, or as it is told. */
const server =
  ({ rcode = 0, flags = AA, serial = 7, names = NAMES, refers }: Says = {}): Step =>
  (socket, signal) =>
    new Promise<void>(resolve => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      serveStream(socket, async query => {
        const { id = 0, questions = [] } = decode(query)
        const isSoa = questions[0]?.type === 'SOA'
        const ns = names.map((data): Answer => ({ type: 'NS', name: ZONE, ttl: 300, data }))
        const times = { refresh: 7_200, retry: 900, expire: 1_209_600, minimum: 300 }
        const soa = { mname: NAMES[0] as string, rname: 'hostmaster.example.com', serial, ...times }
        const own: Answer[] = isSoa ? [{ type: 'SOA', name: ZONE, ttl: 300, data: soa }] : ns
        const isEmpty = rcode !== 0 || refers === true
        const message = encode({
          type: 'response',
          id,
          flags: flags | rcode,
          questions,
          answers: isEmpty ? [] : own,
          authorities: refers ? ns : [],
        })
        const length = Buffer.alloc(2)
        length.writeUInt16BE(message.length)
        return { messages: [Buffer.concat([length, message])] }
      })
    })

const parent = (says: Says = {}) => server({ flags: 0, refers: true, ...says })
const close: Step = socket => void socket.end()
const silent = wait(10_000)

const PARENT_AT = '192.0.2.53'
const AT: Readonly<Record<string, string>> = { 'ns1.example.com': '192.0.2.1', 'ns2.example.com': '198.51.100.2' }

interface World {
  readonly servers?: Readonly<Record<string, Step>>
  readonly parent?: Step
  /** As the resolver finds them. */
  readonly names?: readonly string[]
  readonly deny?: readonly string[]
  readonly limits?: Partial<Limits>
}

describe('the name servers of a zone', () => {
  let dns: LabDns
  before(async () => {
    const more = Array.from({ length: 12 }, (_, n) => [`n${10 + n}.example.net`, { A: [`203.0.113.${n}`] }] as const)
    dns = await startLabDns({
      zones: {
        ...Object.fromEntries([...Object.entries(AT).map(([name, at]) => [name, { A: [at] }] as const), ...more]),
        'a.gtld-servers.net': { A: [PARENT_AT] },
        'inside.example.com': { A: ['10.0.0.53'] },
      },
    })
  })
  after(() => dns.close())

  async function see({ servers = {}, names = NAMES, deny = [], limits = {}, ...world }: World): Promise<NameServers> {
    const web = await startLabWeb()
    await web.script(PARENT_AT, 53, [world.parent ?? parent()])
    for (const [name, step] of Object.entries(servers)) await web.script(AT[name] as string, 53, [step])
    const check = new AbortController()
    const deadline = farDeadline()
    const network = createNetwork({
      resolvers: [dns.address],
      guard: createGuard({ own: () => [], allow: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'], deny }),
      dial: web.dial,
      limits,
    })
    const ns = { status: 'found', records: names, ttl: 300, authenticated: false, cnames: [] } as const
    try {
      return await gatherNameServers({
        target: domainTarget(ZONE),
        now: new Date(),
        signal: check.signal,
        deadline,
        shared: new Map(),
        network: network.open({ signal: check.signal, deadline }),
        cpu: undefined as never,
        gather: async () => ({ zone: ZONE, ns }) as unknown as Dns as never,
      })
    } finally {
      check.abort()
      await Promise.all([network.close(), web.close()])
    }
  }

  const both = (one: Step, other: Step = server()) => ({ 'ns1.example.com': one, 'ns2.example.com': other })
  type Row = readonly [what: string, world: World, first: readonly unknown[]]
  const rows: readonly Row[] = [
    ['that have it', { servers: both(server()) }, ['answered', null, 0, true, 7]],
    ['with another version of it', { servers: both(server({ serial: 6 })) }, ['answered', null, 0, true, 6]],
    ['of which one refuses', { servers: both(server({ rcode: 5 })) }, ['answered', null, 5, false, null]],
    ['of which one fails', { servers: both(server({ rcode: 2 })) }, ['answered', null, 2, false, null]],
    ['of which one denies the zone', { servers: both(server({ rcode: 3 })) }, ['answered', null, 3, false, null]],
    ['of which one answers from a cache', { servers: both(server({ flags: 0 })) }, ['answered', null, 0, false, null]],
    ['of which one refers to others', { servers: both(parent()) }, ['answered', null, 0, false, null]],
    [
      'of which one has no open port',
      { servers: { 'ns2.example.com': server() } },
      ['unanswered', 'refused', null, null, null],
    ],
    ['of which one closes the connection', { servers: both(close) }, ['unanswered', 'closed', null, null, null]],
    ['of which one is silent', { servers: both(silent) }, ['unanswered', 'timeout', null, null, null]],
    [
      'of which one speaks something else',
      { servers: both(send('HTTP/1.1 400 Bad Request\r\n\r\n')) },
      ['unanswered', 'timeout', null, null, null],
    ],
    [
      'of which one has no address',
      { servers: both(server()), names: ['gone.example.com', ...NAMES] },
      ['no_address', null, null, null, null],
    ],
    [
      'of which one is internal',
      { servers: both(server()), names: ['inside.example.com', ...NAMES] },
      ['internal', null, null, null, null],
    ],
    [
      'of which one is denied',
      { servers: both(server()), deny: ['ns1.example.com'] },
      ['unknown', 'denied', null, null, null],
    ],
    [
      'which nobody may ask more often',
      { servers: both(server()), limits: { name_server_connections: 0 } },
      ['unknown', 'too_many_connections', null, null, null],
    ],
  ]
  for (const [what, world, first] of rows)
    it(`are seen: ${what}`, async () => {
      const { servers } = await see(world)
      const [one] = servers
      assert.deepEqual([one?.contact, one?.reason, one?.rcode, one?.authoritative, one?.serial], first)
    })

  it('cannot be blamed for silence where none of them answers', async () => {
    const seen = await see({ servers: both(silent, silent), parent: silent })
    assert.deepEqual(
      seen.servers.map(({ contact, reason }) => [contact, reason]),
      Array(2).fill(['unknown', 'port_53_unproved']),
    )
    assert.deepEqual([seen.delegation, seen.delegation_reason], [null, 'port_53_unproved'])
  })

  it('are those of the zone and of its parent, each with who names it', async () => {
    const old = parent({ names: ['ns1.example.com', 'n10.example.net'] })
    const seen = await see({ servers: both(server()), parent: old })
    assert.deepEqual([seen.parent, seen.delegation], ['com', ['n10.example.net', 'ns1.example.com']])
    assert.deepEqual(
      seen.servers.map(({ name, in_parent, in_zone, names }) => [name, in_parent, in_zone, names]),
      [
        ['n10.example.net', true, false, null],
        ['ns1.example.com', true, true, NAMES],
        ['ns2.example.com', false, true, NAMES],
      ],
    )
  })

  type Delegation = readonly [what: string, parent: Step, delegation: readonly string[] | null, reason: string | null]
  const delegations: readonly Delegation[] = [
    ['in a referral', parent(), NAMES, null],
    ['in an answer, where the parent has the zone, too', server(), NAMES, null],
    ['by denying the zone', server({ rcode: 3 }), [], null],
    ['by refusing', server({ rcode: 5, flags: 0 }), null, 'refused'],
    ['by closing the connection', close, null, 'closed'],
  ]
  for (const [what, step, delegation, reason] of delegations)
    it(`are told by the parent ${what}`, async () => {
      const seen = await see({ servers: both(server()), parent: step })
      assert.deepEqual([seen.delegation, seen.delegation_reason], [delegation, reason])
    })

  it('are at most eight', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `n${10 + n}.example.net`)
    const { servers, total } = await see({ names, parent: parent({ names }) })
    assert.deepEqual([servers.length, total], [8, 10])
  })

  it('are not asked for an address, nor for what must not be visited', async () => {
    const none = { gather: () => Promise.reject(new Error('not needed')) } as never
    for (const [target, reason] of [
      [ipTarget('192.0.2.1'), 'ip_target'],
      [{ ...domainTarget(ZONE), visit: false }, 'not_visited'],
    ] as const)
      await assert.rejects(gatherNameServers({ ...(none as object), target } as never), {
        name: 'NotApplicable',
        reason,
      })
  })
})
