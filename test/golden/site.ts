// A site of the lab that has a recording and a golden result.
import type { LabHost } from '../../src/testing/lab_internet.ts'

export interface GoldenSite {
  /** Names its files. */
  readonly kind: string
  readonly asked: { readonly domain: string } | { readonly ip: string }
  /** None for a name that does not exist. */
  readonly hosts: readonly LabHost[]
  /** Days since its registration; null for what nobody registered. */
  readonly age_days: number | null
}

/** Stands for every cookie's value: it may be in no recording and no result. */
export const COOKIE_VALUE = 'd0nt0keep0this0value'

/** Stands in every page's markup where nobody reads it: what holds it has kept a page's body. */
export const MARKUP = 'd0nt0keep0this0page'
