// Targets and evidence of which a test says only what it is about.
import type { Evidence } from '../src/evidence/evidence.ts'
import type { Target } from '../src/targets/target.ts'

export const domainTarget = (domain: string, registrable = domain, registered = registrable): Target => ({
  kind: 'domain',
  domain,
  ip: null,
  registrable,
  registered,
  url: null,
  visit: true,
})

export const ipTarget = (ip: string): Extract<Target, { kind: 'ip' }> => ({
  kind: 'ip',
  domain: null,
  ip,
  registrable: null,
  registered: null,
  url: null,
  visit: true,
})

const NO_DATA = { status: 'no_data', authenticated: false, cnames: [] } as const

/** A zone without any record. */
export const zoneOf = (parts: Partial<Evidence['dns']> = {}): Evidence['dns'] => ({
  ns: NO_DATA,
  zone: null,
  caa: NO_DATA,
  caa_at: null,
  txt: NO_DATA,
  ds: NO_DATA,
  soa: null,
  dnskey: null,
  name_server_ipv6: [],
  dnssec: 'unsigned',
  ...parts,
})

/** An address of which nothing is known. */
export const locationOf = (parts: Partial<Evidence['location']> = {}): Evidence['location'] => ({
  ip: '93.184.216.34',
  country: null,
  country_name: null,
  region: null,
  city: null,
  latitude: null,
  longitude: null,
  asn: null,
  organization: null,
  ...parts,
})
