// C: what resolvers and name servers do.
import assert from 'node:assert/strict'
import { encode } from 'dns-packet'
import type { LabFault, LabQuestion, LabZones } from '../../../src/testing/lab_dns.ts'
import type { Expected, FaultCase, Place, World } from '../case.ts'
import { healthyPage } from '../healthy.ts'
import { DEADLINE_MS, LIMITS } from '../setting.ts'

const site = ({ name, address, issue }: Place) => ({
  host: name,
  addresses: [address],
  https: healthyPage,
  credentials: issue(),
})

/** Questions about the name itself, not about those beside it such as `_dmarc.`. */
const own =
  (place: Place, answer: (question: LabQuestion, server: number) => LabFault | undefined): World['dns'] =>
  (question, server) =>
    question.name === place.name ? answer(question, server) : undefined

const answers = (
  row: number,
  of: string,
  fault: LabFault | ((place: Place) => LabFault),
  expect: Expected,
  types?: readonly string[],
): FaultCase => ({
  row,
  of,
  world: place => ({
    sites: [site(place)],
    dns: own(place, ({ type }) =>
      !types || types.includes(type) ? (typeof fault === 'function' ? fault(place) : fault) : undefined,
    ),
  }),
  expect,
})

const everywhere = (status: string) => ({ dns_security: status, ssl_info: status, web: status })

const codes: readonly FaultCase[] = [
  answers(
    49,
    'a name that does not exist',
    { rcode: 'NXDOMAIN' },
    {
      signals: ['domain_not_found'],
      sections: everywhere('not_applicable domain_not_found'),
      connections: [],
    },
  ),
  ...(['SERVFAIL', 'REFUSED', 'FORMERR', 'NOTIMP'] as const).map(rcode =>
    answers(
      50,
      `${rcode} from both resolvers`,
      { rcode },
      { signals: [rcode === 'SERVFAIL' ? 'dns_servfail' : 'dns_unanswered'], connections: [] },
    ),
  ),
  ...(
    [
      [49, { rcode: 'NXDOMAIN' }, 'completed'],
      [50, { rcode: 'SERVFAIL' }, 'completed dns_servfail'],
      [50, { rcode: 'REFUSED' }, 'completed dns_refused'],
      [52, { silent: true }, 'completed dns_resolver_timeout'],
    ] as const
  ).map(([row, fault, ssl_info]) => ({
    ...answers(row, `a name at a given address, of which DNS says ${JSON.stringify(fault)}`, fault, {
      sections: { ssl_info, content_analysis: 'completed', geo_location: 'completed' },
    }),
    ask: ({ name, address }: Place) => `domain=${name}&ip=${address}`,
  })),
  {
    row: 50,
    of: 'FORMERR to whatever comes with EDNS',
    world: place => ({
      sites: [site(place)],
      dns: own(place, ({ edns }) => (edns ? { rcode: 'FORMERR' } : undefined)),
    }),
    expect: { sections: everywhere('completed') },
  },
  {
    row: 50,
    of: 'a failure that is forgotten soon after',
    world: place => {
      let failing = 4
      return {
        sites: [site(place)],
        dns: own(place, ({ type }) => (type === 'A' && failing-- > 0 ? { rcode: 'SERVFAIL' } : undefined)),
      }
    },
    expect: { holds: ({ answer }) => assert.ok(!answer.text.includes('domain_not_found'), 'the domain is found') },
  },
  {
    row: 52,
    of: 'a first resolver that is silent',
    world: place => ({
      sites: [site(place)],
      dns: (_question, server) => (server === 0 ? { silent: true } : undefined),
    }),
    expect: { sections: { web: 'completed', ssl_info: 'completed' }, within_ms: DEADLINE_MS },
  },
  {
    row: 52,
    of: 'name servers of which both resolvers hear nothing, while they answer for others',
    world: () => ({ dns: () => ({ silent: true }) }),
    expect: {
      signals: ['dns_unanswered'],
      sections: { dns_security: 'unavailable timeout' },
      within_ms: LIMITS.dns_phase_ms + 3_000,
    },
  },
  {
    row: 53,
    of: 'silent name servers, while kept answers go on',
    world: place => {
      let silent = false
      return {
        sites: [site(place)],
        dns: ({ name }) => {
          if (name.startsWith('cold')) silent = true
          return silent ? { silent: true } : undefined
        },
      }
    },
    async play({ get, place: { name } }) {
      await get(`domain=${name}`)
      const cold = Promise.all(Array.from({ length: 15 }, (_, at) => get(`domain=cold${at}.${name}`)))
      cold.catch(() => {})
      await new Promise(resolve => setTimeout(resolve, 50))
      const kept = await Promise.all(Array.from({ length: 15 }, () => get(`domain=${name}`)))
      for (const { status, headers, ms } of kept) {
        assert.deepEqual([status, headers['x-cache']], [200, 'HIT'])
        assert.ok(ms < 1_000, `${ms} ms`)
      }
      for (const { status, ms } of await cold) {
        assert.ok(status === 200 || status === 503, `${status}`)
        assert.ok(ms < LIMITS.dns_phase_ms + 3_000, `${ms} ms`)
      }
    },
  },
]

const aliases = (row: number, of: string, zones: (place: Place) => LabZones, expect: Expected): FaultCase => ({
  row,
  of,
  world: place => ({ zones: zones(place), sites: [site(place)] }),
  expect,
})

/** A chain of so many aliases that ends at the site. */
const chain = ({ name, address }: Place, length: number): LabZones =>
  Object.fromEntries([
    ...Array.from(
      { length },
      (_, at) => [at === 0 ? name : `a${at}.${name}`, { CNAME: [`a${at + 1}.${name}`] }] as const,
    ),
    [`a${length}.${name}`, { A: [address] }] as const,
  ])

const chains: readonly FaultCase[] = [
  aliases(
    55,
    'three names that are aliases in a circle',
    ({ name }) => ({
      [name]: { CNAME: [`a.${name}`] },
      [`a.${name}`]: { CNAME: [`b.${name}`] },
      [`b.${name}`]: { CNAME: [name] },
    }),
    {
      sections: { dns_security: 'unavailable cname_loop' },
      connections: [],
    },
  ),

  ...[17, 100].map(length =>
    aliases(56, `${length} aliases`, place => chain(place, length), {
      sections: { dns_security: 'unavailable cname_too_long' },
      connections: [],
    }),
  ),
]

/** A reply of one's own to the same question, its answers others. */
const forged =
  (place: Place, records: readonly { name: string; type: 'A' | 'CNAME'; data: string }[], only: boolean) =>
  (reply: Buffer): readonly Buffer[] => {
    const id = reply.readUInt16BE(0)
    const message = encode({
      type: 'response',
      id,
      flags: 0x180,
      questions: [{ name: place.name, type: 'A' }],
      answers: [
        ...(only ? [] : [{ name: place.name, type: 'A' as const, data: place.address, ttl: 60 }]),
        ...records.map(one => ({ ...one, ttl: 60 })),
      ] as never,
    })
    return [message]
  }

/** Replies with every id but the right one, all of them to another site, and then the real one. */
const spoofed =
  ({ name, other_address }: Place) =>
  (reply: Buffer): readonly Buffer[] => [
    ...Array.from({ length: 1_000 }, (_, at) => {
      const id = at === reply.readUInt16BE(0) ? at ^ 0x8000 : at
      const answers = [{ name, type: 'A' as const, data: other_address, ttl: 60 }]
      return encode({ type: 'response', id, flags: 0x180, questions: [{ name, type: 'A' }], answers })
    }),
    reply,
  ]

const poison: readonly FaultCase[] = [
  answers(
    58,
    'an answer that is about another name alone',
    place => ({ raw: forged(place, [{ name: 'www.bank.lab', type: 'A', data: place.other_address }], true) }),
    { connections: [] },
    ['A'],
  ),
  answers(
    58,
    'records of another name beside the answer',
    place => ({ raw: forged(place, [{ name: 'www.bank.lab', type: 'A', data: place.other_address }], false) }),
    {
      sections: { web: 'completed' },
      holds: ({ answer }, { other_address }) => assert.ok(!answer.text.includes(other_address)),
    },
    ['A'],
  ),
  answers(59, 'a reply with another id, and no other', { wrong_id: true }, { signals: ['dns_unanswered'] }),
  answers(59, 'a reply to another question, and no other', { wrong_question: true }, { signals: ['dns_unanswered'] }),
  {
    row: 59,
    of: 'a thousand spoofed replies before the real one',
    world: place => ({
      sites: [site(place)],
      dns: own(place, ({ type }) => (type === 'A' ? { raw: spoofed(place) } : undefined)),
    }),
    async play({ get, place: { name, other_address } }) {
      const { status, text } = await get(`domain=${name}`)
      // The flood may drown the real one: then there is no answer, and never a false one
      assert.ok(status === 200 || status === 503, text.slice(0, 200))
      assert.ok(!text.includes(other_address), 'nothing false is told')
    },
  },
  ...[0, 1, 11, 12, 13, 20].map(length =>
    answers(
      59,
      `a reply of ${length} octets`,
      { raw: reply => [reply.subarray(0, length)] },
      {
        holds: ({ answer }) => assert.ok(!answer.text.includes('domain_not_found'), 'the domain is found'),
        signals: ['dns_unanswered'],
      },
    ),
  ),
  answers(
    59,
    'a reply whose names point at themselves',
    { raw: reply => [Buffer.concat([reply.subarray(0, 4), Buffer.from('0001ffff00000000c00cc00c00010001', 'hex')])] },
    { signals: ['dns_unanswered'] },
  ),
  answers(
    59,
    'a reply of 64 KiB of noise',
    { raw: reply => [Buffer.concat([reply.subarray(0, 12), Buffer.alloc(60_000, 0xc0)])] },
    { signals: ['dns_unanswered'] },
  ),
]

/** The stream of a message that says TC over TCP too. */
const cutAgain = (reply: Buffer): readonly Buffer[] => {
  const message = Buffer.from(reply.subarray(0, 12))
  message[2] = (message[2] ?? 0) | 2
  return [Buffer.from([0, message.length]), message]
}

const truncated = (of: string, tcp: LabFault | undefined, expect: Expected): FaultCase => ({
  row: 61,
  of: `a reply that does not fit, with TCP ${of}`,
  world: place => ({
    sites: [site(place)],
    dns: own(place, ({ transport }) => (transport === 'udp' ? { truncate: true } : tcp)),
  }),
  expect,
})

const many = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at))

const sizes: readonly FaultCase[] = [
  truncated('that works', undefined, { sections: { web: 'completed' } }),
  truncated(
    'that is silent',
    { silent: true },
    { signals: ['dns_unanswered'], within_ms: LIMITS.dns_phase_ms + 3_000 },
  ),
  truncated(
    'that gives an octet a second',
    { drip_ms: 1_000 },
    { signals: ['dns_unanswered'], within_ms: LIMITS.dns_phase_ms + 3_000 },
  ),
  truncated(
    'that is truncated as well',
    { raw: cutAgain },
    { signals: ['dns_unanswered'], within_ms: LIMITS.dns_phase_ms + 3_000 },
  ),
  truncated(
    'that hangs up in the middle',
    { raw: reply => [reply.subarray(0, 10)] },
    { signals: ['dns_unanswered'], within_ms: LIMITS.dns_phase_ms + 3_000 },
  ),
  {
    row: 62,
    of: 'as many addresses of either family as a message holds',
    world: ({ name }) => ({
      zones: {
        [name]: {
          A: many(2_000, at => `93.185.${at >> 8}.${at & 255}`),
          AAAA: many(1_400, at => `2a10:3781:dead::${at.toString(16)}`),
        },
      },
    }),
    expect: {
      sections: { ssl_info: 'unavailable connect_timeout' },
      holds: ({ answer }) => assert.ok(answer.text.length < 64 * 1024, `${answer.text.length} characters`),
    },
  },
  ...[0, 1, 2 ** 31 - 1, 2 ** 32 - 1].map(
    (ttl): FaultCase => ({
      row: 68,
      of: `a TTL of ${ttl}`,
      world: place => ({
        sites: [site(place)],
        dns: own(place, ({ type }) =>
          type === 'A'
            ? {
                raw: reply => [
                  encode({
                    type: 'response',
                    id: reply.readUInt16BE(0),
                    flags: 0x180,
                    questions: [{ name: place.name, type: 'A' }],
                    answers: [{ name: place.name, type: 'A', data: place.address, ttl }],
                  }),
                ],
              }
            : undefined,
        ),
      }),
      async play({ get, place }) {
        const [first, again] = [await get(`domain=${place.name}`), await get(`domain=${place.name}`)]
        assert.deepEqual([first.status, again.headers['x-cache']], [200, 'HIT'])
      },
    }),
  ),
]

const HOSTILE = 'v=spf1 \u0000\u001b[31m\r\nX-Evil: 1\u00ff<script>alert(1)</script> -all'

const records: readonly FaultCase[] = [
  {
    row: 64,
    of: 'a TXT record of controls, markup and octets that are no UTF-8',
    world: place => ({
      sites: [site(place)],
      zones: {
        [place.name]: { A: [place.address], TXT: [HOSTILE, 'google-site-verification=\u0000\u001b'] },
        [`_dmarc.${place.name}`]: { TXT: ['v=DMARC1; p=none\u0000\u001b\r\n; rua=mailto:\u0007@x'] },
      },
    }),
    expect: {
      holds: ({ answer }) =>
        assert.ok(
          !/[\u0000-\u0008\u000b-\u001f\ufffd]|\\u00(?:0[0-8b-f]|1[0-9a-f]|7f)|\\r|\\n/.test(answer.text),
          'controls are removed',
        ),
    },
  },

  {
    row: 65,
    of: 'two hundred MX',
    world: place => ({
      sites: [site(place)],
      zones: {
        [place.name]: {
          A: [place.address],
          MX: Array.from({ length: 200 }, (_, at) => ({ preference: at, exchange: `mx${at}.${place.name}` })),
        },
      },
    }),
    expect: { holds: ({ queries }) => assert.ok(queries.length <= 60, `${queries.length} questions`) },
  },

  {
    row: 67,
    of: 'an SPF tree that includes itself',
    world: place => ({
      sites: [site(place)],
      zones: {
        [place.name]: { A: [place.address], TXT: [`v=spf1 include:${place.name} include:a.${place.name} -all`] },
        [`a.${place.name}`]: { TXT: [`v=spf1 include:${place.name} redirect=a.${place.name}`] },
      },
    }),
    expect: { sections: { dns_security: 'completed' }, holds: ({ queries }) => assert.ok(queries.length <= 60) },
  },
  {
    row: 67,
    of: 'an SPF tree of two hundred branches',
    world: place => ({
      sites: [site(place)],
      zones: {
        [place.name]: {
          A: [place.address],
          TXT: [`v=spf1 ${Array.from({ length: 200 }, (_, at) => `include:s${at}.${place.name}`).join(' ')} -all`],
        },
        [`*.${place.name}`]: { TXT: ['v=spf1 exists:%{i}.x.lab ?all'] },
      },
    }),
    expect: {
      sections: { dns_security: 'completed' },
      holds: ({ queries }) => assert.ok(queries.length <= 60, `${queries.length} questions`),
    },
  },
  answers(
    70,
    'a name whose AAAA question is never answered',
    { silent: true },
    { sections: { web: 'completed', ssl_info: 'completed' } },
    ['AAAA'],
  ),
  {
    row: 70,
    of: 'an IPv6 address that swallows everything beside an IPv4 one',
    world: place => ({ zones: { [place.name]: { A: [place.address], AAAA: [place.hole6] } }, sites: [site(place)] }),
    expect: { sections: { web: 'completed' }, fields: {}, within_ms: DEADLINE_MS },
  },
]

export const dnsFaults: readonly FaultCase[] = [...codes, ...chains, ...poison, ...sizes, ...records]
