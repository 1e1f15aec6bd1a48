// Whom a check asks beside the target: blocklists, the registry, and the directory of green hosts, as the lab has them.
import { chooseLists } from '../../src/evidence/listings/lists.ts'
import { testPoints } from '../../src/evidence/listings/test_points.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import type { GoldenSite } from './site.ts'

const DAY_MS = 86_400_000
/** Half a day beside the whole ones: an age in days is the same all day long. */
const HALF_DAY_MS = DAY_MS / 2
/** Days that every registration is paid for. */
const PAID_DAYS = 200

/** Names whose host runs on green energy. */
const GREEN = new Set(['static.lab', 'shop.lab'])
/** Below list zones: what lists of names hold beside their test points. */
const LISTED = ['microsoft-mailbox-verify.lab']

export const GREENCHECK = 'https://green-directory.lab/greencheck/'
/** IANA's file, as far as the lab goes (RFC 9224). */
export const bootstrap = { version: '1.0', services: [[['lab'], ['https://registry.lab/']]] }

const json = (body: object) => ({
  headers: [['Content-Type', 'application/json'] as const],
  body: JSON.stringify(body),
})
const lastSegment = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

const directory: LabHost = {
  name: 'green-directory.lab',
  addresses: ['193.0.14.90'],
  https: ({ url }) => {
    const name = lastSegment(url)
    return json(GREEN.has(name) ? { green: true, hosted_by: 'Lab Hosting Cooperative' } : { green: false })
  },
}

function registry(sites: readonly GoldenSite[]): LabHost {
  const ages = new Map(sites.map(({ asked, age_days }) => ['domain' in asked ? asked.domain : asked.ip, age_days]))
  return {
    name: 'registry.lab',
    addresses: ['193.0.14.91'],
    https: ({ url }) => {
      const name = lastSegment(url)
      const age = ages.get(name) ?? null
      return age === null ? { status: 404 } : json(registered(name, age))
    },
  }
}

const daysFromNow = (days: number): string => new Date(Date.now() + days * DAY_MS - HALF_DAY_MS).toISOString()

/** An answer to a query for a domain (RFC 9083 section 5.3). */
const registered = (name: string, age_days: number) => ({
  objectClassName: 'domain',
  ldhName: name,
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: daysFromNow(-age_days) },
    { eventAction: 'expiration', eventDate: daysFromNow(PAID_DAYS) },
  ],
  entities: [
    {
      objectClassName: 'entity',
      roles: ['registrar'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Lab Registrar'],
        ],
      ],
    },
  ],
})

/** All lists that are asked as shipped: alive, and holding what is listed. */
const lists: LabHost = {
  name: 'lists.lab',
  addresses: ['193.0.14.92'],
  zones: Object.fromEntries(
    chooseLists().flatMap(list => {
      const [code = '127.0.0.2'] = Object.keys(list.codes)
      const names = list.asks.some(asks => asks === 'host' || asks === 'registrable') ? LISTED : []
      return [...testPoints(list).listed, ...names].map(name => [`${name}.${list.zone}`, { A: [code] }] as const)
    }),
  ),
}

export const outside = (sites: readonly GoldenSite[]): readonly LabHost[] => [directory, registry(sites), lists]
