// H: what blocklists, registries and directories answer.
import assert from 'node:assert/strict'
import { close, drip, flood, hello, type Step, send, wait } from '../../../src/testing/lab_script.ts'
import type { LabHandler } from '../../../src/testing/lab_web.ts'
import type { Expected, FaultCase, Place } from '../case.ts'
import { healthyPage } from '../healthy.ts'
import { DEADLINE_MS } from '../setting.ts'

const site = ({ name, address, issue }: Place) => ({
  host: name,
  addresses: [address],
  https: healthyPage,
  credentials: issue(),
})
const reversed = (address: string) => address.split('.').reverse().join('.')

interface List {
  readonly name: string
  readonly status: string
}
const listsOf = (body: Readonly<Record<string, unknown>>): readonly List[] =>
  (body['reputation'] as { lists: List[] }).lists
const hits = (body: Readonly<Record<string, unknown>>): number | null =>
  (body['threat_summary'] as { blacklist_hits: number | null }).blacklist_hits

/** What the list of addresses and the list of names answer about the case. */
const listed = (
  row: number,
  of: string,
  { zen = [], dbl = [] }: { zen?: readonly string[]; dbl?: readonly string[] },
  expect: Expected,
): FaultCase => ({
  row,
  of,
  world: place => ({
    sites: [site(place)],
    zones: {
      [place.name]: { A: [place.address] },
      ...(zen.length > 0 ? { [`${reversed(place.address)}.zen.spamhaus.org`]: { A: zen } } : {}),
      ...(dbl.length > 0 ? { [`${place.name}.dbl.spamhaus.org`]: { A: dbl } } : {}),
    },
  }),
  expect,
})

const noHit: Expected = {
  without: ['listed_as_malicious', 'listed_for_abuse'],
  holds: ({ answer }) => assert.ok((hits(answer.body) ?? 0) === 0, answer.text.slice(0, 300)),
}

const lists: readonly FaultCase[] = [
  ...['127.255.255.252', '127.255.255.254', '127.255.255.255', '127.255.255.1'].map(code =>
    listed(142, `the error ${code} of a list of addresses`, { zen: [code] }, noHit),
  ),

  ...['127.0.0.200', '8.8.8.8', '10.0.0.1', '0.0.0.0', '128.0.0.2'].map(code =>
    listed(142, `the answer ${code}, which is in no table`, { zen: [code], dbl: [code] }, noHit),
  ),

  {
    row: 148,
    of: 'the names that lists are asked',
    world: place => ({ sites: [site(place)] }),
    expect: {
      holds: ({ queries }, { name, address }) => {
        // A list that was silent in another case is left alone for a while; what is asked of it is asked rightly
        const asked = queries.map(one => one.name)
        const of = (zone: string) => [...new Set(asked.filter(one => one.endsWith(zone)))]
        for (const [zone, expected] of [
          ['.dbl.spamhaus.org', `${name}.dbl.spamhaus.org`],
          ['.zen.spamhaus.org', `${reversed(address)}.zen.spamhaus.org`],
        ] as const) {
          if (of(zone).length > 0) assert.deepEqual(of(zone), [expected])
        }
      },
    },
  },
  {
    row: 148,
    of: 'a name that is too long for any list',
    world: place => ({ zones: { [`*.${place.name}`]: { A: [place.address] } }, sites: [site(place)] }),
    ask: ({ name }) => `domain=${Array.from({ length: 3 }, () => 'a'.repeat(60)).join('.')}.${'b'.repeat(40)}.${name}`,
    expect: { holds: ({ answer }) => assert.equal(answer.status, 200) },
  },
  {
    row: 146,
    of: 'lists that are all silent, which is not clean',
    world: place => ({
      sites: [site(place)],
      dns: ({ name }) => (name.endsWith('.spamhaus.org') ? { silent: true } : undefined),
    }),
    expect: {
      within_ms: DEADLINE_MS,
      holds: ({ answer }) => {
        assert.ok(
          listsOf(answer.body).every(({ status }) => status === 'unknown'),
          answer.text.slice(0, 200),
        )
        assert.equal(hits(answer.body), null)
      },
    },
  },
]

const json = (body: unknown, status = 200): ReturnType<LabHandler> => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: [['Content-Type', 'application/rdap+json']],
})

const registered = (row: number, of: string, rdap: (place: Place) => LabHandler, expect: Expected = {}): FaultCase => ({
  row,
  of,
  world: place => ({ zones: { [place.registered]: { A: [place.other_address] } }, rdap: rdap(place) }),
  ask: place => `domain=${place.registered}`,
  expect: { within_ms: DEADLINE_MS, sections: { reputation: 'completed' }, ...expect },
})

const ageUnknown: Expected = {
  holds: ({ answer }) => assert.equal((answer.body['threat_summary'] as { age_days: unknown }).age_days, null),
  sections: {},
}
const healthy = (name: string) => ({
  objectClassName: 'domain',
  ldhName: name,
  events: [{ eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' }],
  entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'Lab Registrar']]] }],
})

const registries: readonly FaultCase[] = [
  registered(151, 'a registry that knows no such domain', () => () => json({ errorCode: 404 }, 404), ageUnknown),
  ...[429, 503].map(status =>
    registered(
      151,
      `a registry that answers ${status}, and to come back in an hour`,
      () => () => ({ status, headers: [['Retry-After', '3600']] }),
      ageUnknown,
    ),
  ),

  registered(151, 'a registry that is silent', () => () => new Promise(() => {}), ageUnknown),
  registered(
    152,
    'a registry that leads in circles',
    () =>
      ({ url }) => ({ status: 302, headers: [['Location', url]] }),
    ageUnknown,
  ),
  ...['http://127.0.0.1/', 'https://10.0.0.1/', 'http://rdap.lab/', 'https://[::1]/', 'https://169.254.169.254/'].map(
    to =>
      registered(
        152,
        `a registry that leads to ${to}`,
        () => () => ({ status: 302, headers: [['Location', to]] }),
        ageUnknown,
      ),
  ),
  registered(
    152,
    'a registry of four hops',
    () =>
      ({ url }) => ({ status: 302, headers: [['Location', `${url}x`]] }),
    ageUnknown,
  ),
  registered(
    41,
    'links of a registry that point inside',
    ({ registered: name }) =>
      () =>
        json({
          ...healthy(name),
          links: [
            { rel: 'related', href: 'http://127.0.0.1/' },
            { rel: 'self', href: 'http://169.254.169.254/' },
          ],
        }),
    { sections: {} },
  ),
]

/** WHOIS is asked of a fixed host of the suffix; each case has a suffix of its own. */
const whois = (
  of: string,
  suffix: string,
  host: string,
  steps: readonly Step[],
  expect: Expected = ageUnknown,
): FaultCase => ({
  row: of.includes('refers') ? 43 : 155,
  of,
  world: ({ name, address, other_address }) => ({
    zones: { [host]: { A: [other_address] }, [`${name.split('.')[0]}.${suffix}`]: { A: [address] } },
    scripts: [{ at: other_address, port: 43, steps }],
  }),
  ask: ({ name }) => `domain=${name.split('.')[0]}.${suffix}`,
  expect: { within_ms: DEADLINE_MS, ...expect },
})

const servers: readonly FaultCase[] = [
  whois('a WHOIS server that never ends', 'kg', 'whois.kg', [
    hello(),
    flood(Buffer.from('remarks: x\r\n'.repeat(500))),
  ]),
  whois('a WHOIS server at an octet each 100 ms', 'im', 'whois.nic.im', [
    hello(),
    drip('Creation Date: 2001-01-01T00:00:00Z\r\n'.repeat(20), 1, 100),
  ]),
  whois('a WHOIS server that is silent', 'je', 'whois.je', [hello(), wait(20_000)]),
  whois(
    'a WHOIS server that speaks Latin-1 and controls',
    'hm',
    'whois.registry.hm',
    [hello(), send(Buffer.from('Registrar: \u00c9vil\u0000\u001b[31m\r\nName: \u00ff\r\n', 'latin1')), close()],
    { holds: ({ answer }) => assert.ok(!/\\u00(?:0|1|7f)/.test(answer.text), 'nothing raw comes through') },
  ),
  whois('a WHOIS server that refers to 127.0.0.1:22', 'gd', 'whois.nic.gd', [
    hello(),
    send(
      'refer: 127.0.0.1:22\r\nwhois: 10.0.0.1\r\nReferralServer: whois://127.0.0.1:22\r\nRegistrar WHOIS Server: 169.254.169.254\r\n',
    ),
    close(),
  ]),
  whois('a WHOIS server that refers to itself', 'gs', 'whois.nic.gs', [
    hello(),
    send('refer: whois.nic.gs\r\n'),
    close(),
  ]),
  {
    ...whois('a WHOIS server that is at a private address', 'fo', 'whois.nic.fo', []),
    world: ({ name, address }) => ({
      zones: { 'whois.nic.fo': { A: ['127.0.0.1'] }, [`${name.split('.')[0]}.fo`]: { A: [address] } },
    }),
  },
]

export const registryFaults: readonly FaultCase[] = [...lists, ...registries, ...servers]
