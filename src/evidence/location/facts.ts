// The location and the network of an address.

export interface Location {
  readonly ip: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** In English. */
  readonly country_name: string | null
  readonly region: string | null
  readonly city: string | null
  /** WGS 84 degrees. */
  readonly latitude: number | null
  readonly longitude: number | null
  readonly asn: number | null
  readonly organization: string | null
  /** The types of the databases that know the place and the network, such as `GeoLite2-City`. Absent in older recordings. */
  readonly databases?: readonly string[]
  /** The network of each address of the target, at most 16. Absent in older recordings. */
  readonly networks?: readonly { readonly address: string; readonly asn: number | null }[]
}
