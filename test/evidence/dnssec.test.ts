// DNSSEC as a validating Unbound sees it: zones of a real Knot DNS, whole and damaged, one world a zone.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gatherAddresses } from '../../src/evidence/addresses/gather.ts'
import { gatherDns } from '../../src/evidence/dns/gather.ts'
import type { DnsDaemon } from '../dns_daemon.ts'
import { type Knot, type KnotZone, startKnot } from '../knot_server.ts'
import { without } from '../needs.ts'
import { startUnbound } from '../unbound_server.ts'
import { domainTarget, withResolver } from './lab_check.ts'

const PARENT = 'example'

const RECORDS = [
  '@ 300 A 192.0.2.1',
  '@ 300 AAAA 2001:db8::1',
  '@ 300 MX 10 mail',
  '@ 300 TXT "v=spf1 -all"',
  'mail 300 A 192.0.2.2',
  'www 300 A 192.0.2.3',
]
const whole: KnotZone = { records: RECORDS, signed: true }
const unsigned: KnotZone = { records: RECORDS, signed: false }
const damaged = (tamper: KnotZone['tamper']): KnotZone => ({ ...whole, ...(tamper && { tamper }) })

/** Leaves out the signature of a type at the apex. */
const withoutSignature = (type: string) =>
  damaged(line => (new RegExp(`^[^w]\\S+\\s+\\d+\\s+RRSIG\\s+${type} `).test(line) ? null : line))
const altered = (from: string, to: string) => damaged(line => line.replace(from, to))

interface World {
  readonly zone: KnotZone
  /** The apex if absent. */
  readonly host?: string
  readonly dnssec: string
  readonly bogus?: readonly string[]
  /** Whether the addresses that came were validated; null if none came. */
  readonly secured: boolean | null
}

const aliasTo = (name: string, signed: boolean): KnotZone => ({
  records: [...RECORDS, `alias 300 CNAME ${name}.`],
  signed,
})

const worlds: Readonly<Record<string, World>> = {
  whole: { zone: whole, dnssec: 'signed', secured: true },
  'whole-www': { zone: whole, host: 'www', dnssec: 'signed', secured: true },
  unsigned: { zone: unsigned, dnssec: 'unsigned', secured: false },
  'other-a': { zone: altered('192.0.2.1', '192.0.2.66'), dnssec: 'bogus', bogus: ['A'], secured: true },
  'other-aaaa': { zone: altered('2001:db8::1', '2001:db8::66'), dnssec: 'bogus', bogus: ['AAAA'], secured: true },
  'other-mx': { zone: altered('10 mail', '5 mail'), dnssec: 'bogus', bogus: ['MX'], secured: true },
  'other-txt': { zone: altered('-all', '+all'), dnssec: 'bogus', bogus: ['TXT'], secured: true },
  'other-www': { zone: altered('192.0.2.3', '192.0.2.66'), host: 'www', dnssec: 'bogus', bogus: ['A'], secured: null },
  'other-www-not-asked': { zone: altered('192.0.2.3', '192.0.2.66'), dnssec: 'signed', secured: true },
  'unsigned-a': { zone: withoutSignature('A'), dnssec: 'bogus', bogus: ['A'], secured: true },
  'unsigned-ns': { zone: withoutSignature('NS'), dnssec: 'bogus', bogus: ['NS'], secured: true },
  'unsigned-denial': { zone: withoutSignature('NSEC'), dnssec: 'bogus', bogus: ['CAA'], secured: true },
  'unsigned-keys': {
    zone: withoutSignature('DNSKEY'),
    dnssec: 'bogus',
    bogus: ['A', 'AAAA', 'MX', 'TXT'],
    secured: null,
  },
  'alias-to-signed': { zone: aliasTo('whole.example', true), host: 'alias', dnssec: 'signed', secured: true },
  'alias-to-unsigned': { zone: aliasTo('unsigned.example', true), host: 'alias', dnssec: 'signed', secured: false },
  'alias-to-bogus': {
    zone: aliasTo('other-a.example', true),
    host: 'alias',
    dnssec: 'bogus',
    bogus: ['A'],
    secured: true,
  },
  'unsigned-alias-to-bogus': {
    zone: aliasTo('other-a.example', false),
    host: 'alias',
    dnssec: 'bogus',
    bogus: ['A'],
    secured: false,
  },
  'unsigned-alias-to-unsigned': {
    zone: aliasTo('unsigned.example', false),
    host: 'alias',
    dnssec: 'unsigned',
    secured: false,
  },
}

describe('DNSSEC', { skip: without('unbound', 'knotd', 'kzonesign'), timeout: 120_000 }, () => {
  let knot: Knot
  let unbound: DnsDaemon
  const zones = Object.fromEntries(Object.entries(worlds).map(([name, { zone }]) => [`${name}.${PARENT}`, zone]))

  before(async () => {
    knot = await startKnot(PARENT, zones)
    const at = knot.address.replace(':', '@')
    const stubs = [PARENT, ...Object.keys(zones)].map(name => `stub-zone:\n  name: "${name}"\n  stub-addr: ${at}\n`)
    const validating = `server:\n  module-config: "validator iterator"\n  trust-anchor: "${knot.anchor}"\n`
    unbound = await startUnbound(`${validating}  local-zone: "${PARENT}." nodefault\n${stubs.join('')}`)
  })
  after(async () => {
    await unbound?.stop()
    await knot?.stop()
  })

  for (const [name, { host, dnssec, bogus = [], secured }] of Object.entries(worlds)) {
    const domain = `${name}.${PARENT}`
    const subject = host === undefined ? domain : `${host}.${domain}`
    it(`of ${subject} is ${[dnssec, ...bogus].join(' ')}`, async () => {
      const { evidence } = await withResolver(unbound.address, domainTarget(subject, domain), async context => ({
        dns: await gatherDns(context),
        addresses: await gatherAddresses(context).catch(() => null),
      }))
      assert.deepEqual(
        [
          evidence.dns.dnssec,
          (evidence.dns.bogus ?? []).map(({ type }) => type),
          evidence.addresses?.authenticated ?? null,
        ],
        [dnssec, bogus, secured],
      )
    })
  }
})
