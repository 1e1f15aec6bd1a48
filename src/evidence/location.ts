// Where an address is and whose network it is in, from the MMDB datasets.

export interface Location {
  readonly ip: string
  readonly country: string | null
  readonly country_name: string | null
  readonly region: string | null
  readonly city: string | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly asn: number | null
  readonly organization: string | null
}
