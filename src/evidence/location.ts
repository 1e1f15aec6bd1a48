// Where an address is and whose network it is in, from the MMDB datasets.
import type { Addresses } from './addresses.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from './decline.ts'
import type { GatherContext, Gatherer } from './gatherer.ts'
import { type NetworkOwner, type Place, readNetworkOwner, readPlace } from './location_record.ts'

/** Of places or networks. */
export interface Database {
  /** The record of the longest prefix that holds the address; null when there is none. */
  lookup(address: string): unknown
}

export interface Location {
  readonly ip: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** English. */
  readonly country_name: string | null
  readonly region: string | null
  readonly city: string | null
  /** Degrees, WGS 84. */
  readonly latitude: number | null
  readonly longitude: number | null
  readonly asn: number | null
  readonly organization: string | null
}

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const nowhere: Place = { country: null, region: null, city: null, latitude: null, longitude: null }
const nobody: NetworkOwner = { asn: null, organization: null }

/** The first dataset that knows the place tells all of it, and likewise the network: two half answers make a false one. */
export function locate(ip: string, databases: readonly Database[]): Location {
  const records = databases.map(database => database.lookup(ip)).filter(record => record !== null)
  const place = records.map(readPlace).find(({ country, latitude }) => country !== null || latitude !== null) ?? nowhere
  const owner = records.map(readNetworkOwner).find(({ asn }) => asn !== null) ?? nobody
  const { country, ...rest } = place
  const country_name = country === null ? null : (countryNames.of(country) ?? null)
  return { ip, country, country_name, ...rest, ...owner }
}

/** The given address, else the first that connections may go to: waiting for the one that answers would cost a round trip. */
async function addressOf({ target, gather }: GatherContext): Promise<string> {
  if (target.ip !== null) return target.ip
  const addresses = await gather('addresses')
  const [first] = addresses.dialable
  if (first === undefined) throw new NotApplicable(reasonWithout(addresses))
  return first.address
}

function reasonWithout({ status, answers }: Addresses): string {
  if (status === 'not_found') return 'domain_not_found'
  return answers.length === 0 ? 'no_address' : 'not_public'
}

/** `geo` answers the databases of the moment; one that is still to be fetched is as good as none. */
export function createLocationGatherer(geo: () => readonly Database[]): Gatherer<'location'> {
  return async context => {
    const ip = await addressOf(context)
    const databases = geo()
    if (databases.length === 0) throw new Unavailable(NOT_CONFIGURED)
    try {
      return locate(ip, databases)
    } catch {
      // The reader's complaint about a record that is damaged.
      throw new Unavailable('damaged_geo_data')
    }
  }
}
