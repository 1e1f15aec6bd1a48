// The third parties that a check asks, in a lab: blocklists, a registry, and the directory of green hosts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testPoints } from '../../evidence/listings/list_health.ts'
import { chooseLists } from '../../evidence/listings/lists.ts'
import { reversedAddress } from '../../evidence/listings/questions.ts'
import type { LabHost } from '../lab_internet.ts'
import type { LabHandler, LabResponse } from '../lab_web.ts'

/** An address block in its registry. */
export interface LabNetwork {
  readonly start_address: string
  readonly end_address: string
  readonly name: string
  readonly holder: string
  readonly country: string
  readonly registered_at: string
  readonly abuse_email: string
}

export interface Outside {
  /** Names and addresses on the blocklists. */
  readonly listed: readonly string[]
  /** Names whose host runs on green energy. */
  readonly green: readonly string[]
  /** Days since the registration of a domain; null for an unregistered one. */
  readonly ageOf: (domain: string) => number | null
  /** The block of an address; null when there is none. */
  readonly networkOf: (ip: string) => LabNetwork | null
}

export const GREENCHECK = 'https://green-directory.lab/greencheck/'

/** What the lab's registry is responsible for, by dataset ID. */
const spaces = {
  rdap_bootstrap: ['lab'],
  rdap_bootstrap_ipv4: ['193.0.0.0/8', '45.0.0.0/8'],
  rdap_bootstrap_ipv6: ['2a10::/12'],
}

/** Writes IANA's bootstrap files for the lab (RFC 9224); returns `datasets` of a configuration. */
export function writeBootstraps(directory: string): Readonly<Record<string, string>> {
  const paths = Object.entries(spaces).map(([id, entries]) => {
    const path = join(directory, `${id}.json`)
    writeFileSync(path, JSON.stringify({ version: '1.0', services: [[entries, ['https://registry.lab/']]] }))
    return [id, path] as const
  })
  return Object.fromEntries(paths)
}

export const outside = ({ listed, green, ageOf, networkOf }: Outside): readonly LabHost[] => [
  { name: 'green-directory.lab', addresses: ['193.0.14.90'], https: directory(green) },
  { name: 'registry.lab', addresses: ['193.0.14.91'], https: registry(ageOf, networkOf) },
  { name: 'lists.lab', addresses: ['193.0.14.92'], zones: listZones(listed) },
]

/** All lists that are enabled by default, with their test points (RFC 5782 section 5) and the listed entries. */
function listZones(subjects: readonly string[]): NonNullable<LabHost['zones']> {
  const addresses = subjects.filter(isAddress)
  const names = subjects.filter(one => !isAddress(one))
  const entries = chooseLists().flatMap(list => {
    const [code] = Object.entries(list.codes).find(([, { strength }]) => strength !== 'none') ?? ['127.0.0.2']
    const entries = [
      ...testPoints(list).listed,
      ...(list.asks.includes('host') || list.asks.includes('registrable') ? names : []),
      ...(list.asks.includes('ipv4') ? addresses.map(reversedAddress) : []),
    ]
    return entries.map(name => [`${name}.${list.zone}`, { A: [code] }] as const)
  })
  return Object.fromEntries(entries)
}

const isAddress = (text: string): boolean => /^[\d.]+$/.test(text)

const lastSegment = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

const json = (body: object): LabResponse => ({
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body),
})

const directory =
  (green: readonly string[]): LabHandler =>
  ({ url }) =>
    json(green.includes(lastSegment(url)) ? { green: true, hosted_by: 'Lab Hosting Cooperative' } : { green: false })

const registry =
  (ageOf: Outside['ageOf'], networkOf: Outside['networkOf']): LabHandler =>
  ({ url }) => {
    const subject = lastSegment(url)
    if (url.startsWith('/ip/')) {
      const network = networkOf(subject)
      return network === null ? { status: 404 } : json(networkAnswer(network))
    }
    const age = ageOf(subject)
    return age === null ? { status: 404 } : json(domainAnswer(subject, age))
  }

const DAY_MS = 86_400_000
/** Half a day more than whole days, so that the age in days is constant all day. */
const HALF_DAY_MS = DAY_MS / 2
/** Days until every registration expires. */
const PAID_DAYS = 200

const daysFromNow = (days: number): string => new Date(Date.now() + days * DAY_MS - HALF_DAY_MS).toISOString()

/** The response to a domain query (RFC 9083 section 5.3). */
const domainAnswer = (name: string, ageDays: number) => ({
  objectClassName: 'domain',
  ldhName: name,
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: daysFromNow(-ageDays) },
    { eventAction: 'expiration', eventDate: daysFromNow(PAID_DAYS) },
  ],
  entities: [entity('registrar', ['fn', 'Lab Registrar'])],
})

/** The response to an address query (RFC 9083 section 5.4). */
const networkAnswer = (network: LabNetwork) => ({
  objectClassName: 'ip network',
  startAddress: network.start_address,
  endAddress: network.end_address,
  name: network.name,
  country: network.country,
  events: [{ eventAction: 'registration', eventDate: network.registered_at }],
  entities: [entity('registrant', ['fn', network.holder]), entity('abuse', ['email', network.abuse_email])],
})

const entity = (role: string, [property, text]: readonly [property: string, text: string]) => ({
  objectClassName: 'entity',
  roles: [role],
  vcardArray: [
    'vcard',
    [
      ['version', {}, 'text', '4.0'],
      [property, {}, 'text', text],
    ],
  ],
})
