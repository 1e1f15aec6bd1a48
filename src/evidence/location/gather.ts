// Gathers the location and the network of an address from the MMDB datasets.

import { DENIED, refusalOf } from '../../network/guard.ts'
import type { WithAddresses } from '../addresses/dialable.ts'
import type { Addresses } from '../addresses/facts.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Location } from './facts.ts'
import { type NetworkOwner, type Place, readNetworkOwner, readPlace } from './record.ts'

/** A database of places or networks. */
export interface Database {
  /** As the file states it, such as `GeoLite2-City`. */
  readonly type: string
  /** The record of the longest prefix that contains the address; null when there is none. */
  lookup(address: string): unknown
}

/** Made when it is first needed, so that no start waits for it. */
let countryNames: Intl.DisplayNames | undefined

function nameOf(country: string): string | null {
  countryNames ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return countryNames.of(country) ?? null
}

const nowhere: Place = { country: null, region: null, city: null, latitude: null, longitude: null }
const nobody: NetworkOwner = { asn: null, organization: null }

/**
 * The first dataset that knows the place provides all of its fields, and likewise for the network: mixing two records
 * could produce a wrong one.
 */
export function locate(ip: string, databases: readonly Database[]): Location {
  const records = databases.flatMap(database => {
    const record = database.lookup(ip)
    return record === null ? [] : [{ type: database.type, place: readPlace(record), owner: readNetworkOwner(record) }]
  })
  const ofPlace = records.find(({ place: { country, latitude } }) => country !== null || latitude !== null)
  const ofOwner = ownerIn(records)
  const { country, ...rest } = ofPlace?.place ?? nowhere
  const countryName = country === null ? null : nameOf(country)
  const databasesUsed = new Set([ofPlace, ofOwner].flatMap(one => (one ? [one.type.slice(0, TYPE_CHARACTERS)] : [])))
  return {
    ip,
    country,
    country_name: countryName,
    ...rest,
    ...(ofOwner?.owner ?? nobody),
    databases: [...databasesUsed],
  }
}

const TYPE_CHARACTERS = 64

/** By the first database that numbers the network. */
function networkOf(address: string, databases: readonly Database[]): { address: string; asn: number | null } {
  const records = databases.flatMap(database => database.lookup(address) ?? [])
  return { address, asn: ownerIn(records.map(record => ({ owner: readNetworkOwner(record) })))?.owner.asn ?? null }
}

/** A record with the number of the network goes first. */
const ownerIn = <Found extends { readonly owner: NetworkOwner }>(records: readonly Found[]): Found | undefined =>
  records.find(({ owner }) => owner.asn !== null) ?? records.find(({ owner }) => owner.organization !== null)

/**
 * The given address, else the first one that connections may go to. Waiting for the address that responds would cost a
 * round trip.
 */
async function addressesOf({
  target,
  gather,
}: WithAddresses): Promise<readonly [first: string, all: readonly string[]]> {
  if (target.kind === 'ip') return [target.ip, [target.ip]]
  if (target.ip !== null) return [target.ip, []]
  const addresses = await gather('addresses')
  const [first] = addresses.dialable
  if (first === undefined) throw without(addresses)
  return [first.address, addresses.answers.map(({ address }) => address)]
}

function without({ status, answers }: Addresses): Error {
  if (status === 'not_found') return new NotApplicable('domain_not_found')
  if (answers.length === 0) return new NotApplicable('no_address')
  const refusal = refusalOf(answers.map(({ refused }) => refused))
  return refusal === DENIED ? new Unavailable(refusal) : new NotApplicable(refusal)
}

/** `geo` returns the current databases; a database that is still loading counts as missing. */
export default function createLocationGatherer({
  geo,
}: {
  readonly geo: () => readonly Database[]
}): Gatherer<Location, { addresses: Addresses }> {
  return async context => {
    const [ip, all] = await addressesOf(context)
    const databases = geo()
    if (databases.length === 0) throw new Unavailable(NOT_CONFIGURED)
    try {
      return { networks: all.map(address => networkOf(address, databases)), ...locate(ip, databases) }
    } catch {
      // The reader throws when a record is damaged.
      throw new Unavailable('damaged_geo_data')
    }
  }
}
