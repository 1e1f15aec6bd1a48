// What is known of one DNS list (RFC 5782): where it is asked, about what, and what its answers mean.
import type { Category, Meaning, Strength } from './facts.ts'

/** `registrable` asks for the registrable domain only, `host` for the name as it was given. */
export type Asks = 'ipv4' | 'ipv6' | 'host' | 'registrable'

export interface BlockList {
  /** snake_case; how the configuration and results name it. */
  readonly id: string
  readonly name: string
  readonly zone: string
  readonly asks: readonly Asks[]
  /** By address pattern, the first that matches: `127.0.0.2`, or `127.0.*.3` for any octet. */
  readonly codes: Readonly<Record<string, Meaning>>
  /** By bit of the last octet of 127.0.0.0/24, for lists that add their answers up; bit 1 is a refusal. */
  readonly bits: Readonly<Record<number, Meaning>>
  /** By address pattern: answers that say why there is none. Those of 127.255.255.0/24 are every list's. */
  readonly errors: Readonly<Record<string, string>>
  /** Names below the zone that are always and never listed, where they are not those of RFC 5782 section 5. */
  readonly test_points: { readonly listed: readonly string[]; readonly unlisted: readonly string[] } | null
  /** Questions a UTC day that its operators allow to anybody; null when they name no number. */
  readonly daily: number | null
  /** Answers through large public resolvers are refused. */
  readonly refuses_public_resolvers: boolean
  /** Who may use it, in a sentence. */
  readonly terms: string
  /** Why it is not asked unless the operator says so; null when it is. */
  readonly off: string | null
}

type Written = Pick<BlockList, 'id' | 'name' | 'zone' | 'asks' | 'terms'> & Partial<BlockList>

/** An entry of the tables, which leave out what is usual. */
export const blockList = (written: Written): BlockList => ({
  codes: {},
  bits: {},
  errors: {},
  test_points: null,
  daily: null,
  refuses_public_resolvers: false,
  off: null,
  ...written,
})

export const means = (category: Category, strength: Strength, meaning: string): Meaning => ({
  meaning,
  category,
  strength,
})
