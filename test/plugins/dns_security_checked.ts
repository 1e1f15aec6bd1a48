// A name's mail gathered from a zone and judged by dns_security, as the engine would.
import plugin from '../../plugins/dns_security/index.ts'
import type { Section } from '../../plugins/dns_security/schema.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import type { Evidence, Finding } from '../../src/engine/plugin.ts'
import type { FetchResult } from '../../src/network/network.ts'
import { domainTarget, gatherMail, served, type Zone } from '../evidence/mail_zone.ts'

export interface World {
  /** Null when it was not gathered, because of a time-out. */
  readonly mail_records?: null
  readonly addresses?: Evidence['addresses'] | null
  readonly dns?: Evidence['dns'] | null
  readonly fetched?: FetchResult
  readonly ip?: string
}

/** An MTA-STS policy that fits `healthy`, served unless `world` says otherwise. */
export const stsPolicy =
  'version: STSv1\r\nmode: enforce\r\nmx: mx.example.com\r\nmx: *.mail.example.com\r\nmax_age: 604800\r\n'

/** `example.com` with all of its mail in order. */
export const healthy: Zone = {
  'example.com': { MX: [{ preference: 0, exchange: 'mx.example.com' }], A: ['192.0.2.80'], TXT: ['v=spf1 mx -all'] },
  'mx.example.com': { A: ['192.0.2.25'], AAAA: ['2001:db8::25'] },
  'default._domainkey.example.com': { TXT: [`v=DKIM1; k=ed25519; p=${Buffer.alloc(32, 7).toString('base64')}`] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@example.com'] },
  '_mta-sts.example.com': { TXT: ['v=STSv1; id=20260101'] },
  '_smtp._tls.example.com': { TXT: ['v=TLSRPTv1; rua=mailto:t@example.com'] },
}

export const addresses: Evidence['addresses'] = {
  status: 'found',
  answers: [{ address: '192.0.2.80', family: 4, refused: null }],
  dialable: [{ address: '192.0.2.80', family: 4, refused: null }],
  cnames: [],
  ttl: 300,
  authenticated: false,
}

export const dns: Evidence['dns'] = {
  ns: { status: 'found', records: ['ns1.example.com', 'ns2.example.com'], ttl: 300, authenticated: true, cnames: [] },
  zone: 'example.com',
  caa: {
    status: 'found',
    records: [{ critical: false, tag: 'issue', value: 'ca.example' }],
    ttl: 300,
    authenticated: true,
    cnames: [],
  },
  caa_at: 'example.com',
  txt: { status: 'no_data', authenticated: true, cnames: [] },
  ds: { status: 'no_data', authenticated: true, cnames: [] },
  soa: {
    status: 'found',
    records: [
      {
        mname: 'ns1.example.com',
        rname: 'hostmaster.example.com',
        serial: 2026112001,
        refresh: 7200,
        retry: 900,
        expire: 1_209_600,
        minimum: 300,
      },
    ],
    ttl: 300,
    authenticated: true,
    cnames: [],
  },
  dnskey: null,
  name_server_ipv6: [{ name: 'ns1.example.com', ipv6: true }],
  dnssec: 'signed',
}

const isSection = sectionAjv().compile(plugin.schema)

/** Beside the zone all is well, unless `world` says otherwise. Throws when the section breaks its own schema. */
export async function find(domain: string, zone: Zone, world: World = {}): Promise<Finding<Section, string>> {
  const { mail } = await gatherMail(domain, zone, world.fetched ?? served(stsPolicy))
  const finding = plugin.analyze(
    { mail_records: mail, addresses, dns, ...world },
    {
      target: domainTarget(domain, world.ip ?? null),
      options: {},
      now: new Date('2026-11-20T12:00:00Z'),
      missing: world.mail_records === null ? { mail_records: { status: 'unavailable', reason: 'timeout' } } : {},
    },
  )
  if ('section' in finding && !isSection(finding.section)) throw new Error(JSON.stringify(isSection.errors))
  return finding
}

export interface Checked {
  readonly section: Section
  readonly codes: readonly string[]
  readonly signals: readonly string[]
  readonly unknown: string | null
}

/** As `find`, for a finding that must have a section. */
export async function check(domain: string, zone: Zone, world: World = {}): Promise<Checked> {
  const finding = await find(domain, zone, world)
  if (!('section' in finding)) throw new Error(`no section: ${JSON.stringify(finding)}`)
  return {
    section: finding.section,
    codes: finding.section.issues?.map(({ code }) => code) ?? [],
    signals: finding.signals.map(({ id }) => id),
    unknown: finding.unknown ?? null,
  }
}
