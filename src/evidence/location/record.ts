// Reads records of geolocation and network databases from different vendors.
import { printableOrNull } from '../../base/printable.ts'

/** The place of an address, as far as the record has it. */
export interface Place {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string | null
  readonly region: string | null
  readonly city: string | null
  /** WGS 84 degrees. */
  readonly latitude: number | null
  readonly longitude: number | null
}

/** The network of an address, as far as the record has it. */
export interface NetworkOwner {
  readonly asn: number | null
  readonly organization: string | null
}

type Path = readonly (string | number)[]

/**
 * The paths of each fact, best first: the nested layout of MaxMind (GeoIP2, GeoLite2) and DB-IP, then the flat layouts
 * of IPinfo and of databases converted from CSV.
 */
const layouts = {
  country: [['country', 'iso_code'], ['country_code'], ['country'], ['registered_country', 'iso_code']],
  region: [['subdivisions', 0, 'names', 'en'], ['region'], ['region_name'], ['state1']],
  city: [['city', 'names', 'en'], ['city'], ['city_name']],
  latitude: [['location', 'latitude'], ['latitude'], ['lat']],
  longitude: [['location', 'longitude'], ['longitude'], ['lng'], ['lon']],
  asn: [['autonomous_system_number'], ['asn'], ['as_number'], ['traits', 'autonomous_system_number']],
  organization: [
    ['autonomous_system_organization'],
    ['as_name'],
    ['as_organization'],
    ['traits', 'autonomous_system_organization'],
    // GeoIP2-ISP has these beside the network's name, and alone where no network is known.
    ['isp'],
    ['organization'],
  ],
} satisfies Record<string, readonly Path[]>

const MAX_TEXT_CHARACTERS = 256

function valueAt(record: unknown, path: Path): unknown {
  let value = record
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}

/** The first value at these paths that `read` accepts. */
function first<T>(record: unknown, paths: readonly Path[], read: (value: unknown) => T | null): T | null {
  for (const path of paths) {
    const value = read(valueAt(record, path))
    if (value !== null) return value
  }
  return null
}

function text(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return printableOrNull(value, MAX_TEXT_CHARACTERS)
}

/** `ZZ` and `XX` mean unknown. */
function countryCode(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[a-z]{2}$/i.test(value)) return null
  const code = value.toUpperCase()
  return code === 'ZZ' || code === 'XX' ? null : code
}

/** Some databases store numbers as text. */
function degrees(limit: number): (value: unknown) => number | null {
  return value => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && Math.abs(number) <= limit ? number : null
  }
}

/** Accepts `15169` and `AS15169`; 0 is reserved (RFC 7607). */
function asNumber(value: unknown): number | null {
  const digits = typeof value === 'string' ? /^(?:AS)?(\d{1,10})$/i.exec(value)?.[1] : value
  const number = typeof digits === 'string' ? Number(digits) : digits
  return typeof number === 'number' && Number.isInteger(number) && number > 0 && number < 2 ** 32 ? number : null
}

export function readPlace(record: unknown): Place {
  return {
    country: first(record, layouts.country, countryCode),
    region: first(record, layouts.region, text),
    city: first(record, layouts.city, text),
    latitude: first(record, layouts.latitude, degrees(90)),
    longitude: first(record, layouts.longitude, degrees(180)),
  }
}

export function readNetworkOwner(record: unknown): NetworkOwner {
  return { asn: first(record, layouts.asn, asNumber), organization: first(record, layouts.organization, text) }
}
