// Where an address is and whose network it is in.

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
