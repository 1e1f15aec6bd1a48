// A DNS list (RFC 5782): its zone, the kind of query and the meaning of its answers.

import type { Answer, DnsFailure } from '../../network/resolver.ts'
import type { ListingCode, Meaning } from './facts.ts'

/** `registrable` asks about the owner's name only (`example.com`, `tenant.weebly.com`), `host` about the name as given. */
export type Asks = 'ipv4' | 'ipv6' | 'host' | 'registrable'

export interface BlockList {
  /** snake_case; the name in configuration and results. */
  readonly id: string
  readonly name: string
  readonly zone: string
  readonly asks: readonly Asks[]
  /** By address pattern, first match: `127.0.0.2`, or `127.0.*.3` for any third octet; 127.0.0.1 only without `*`. */
  readonly codes: Readonly<Record<string, Meaning>>
  /** By bit of the last octet of 127.0.0.0/24, for lists that combine answers as a bit mask; bit 1 is a refusal. */
  readonly bits: Readonly<Record<number, Meaning>>
  /** Error answers by address pattern. Those in 127.255.255.0/24 apply to every list. */
  readonly errors: Readonly<Record<string, string>>
  /** Names that are always listed and never listed, if they differ from RFC 5782 section 5. */
  readonly test_points: { readonly listed: readonly string[]; readonly unlisted: readonly string[] } | null
  /** Queries per UTC day that the operator allows; null without a stated limit. */
  readonly daily: number | null
  /** The list refuses queries from large public resolvers. */
  readonly refuses_public_resolvers: boolean
  /** Who may use the list. */
  readonly terms: string
  /** Why the list is disabled by default; null when it is enabled. */
  readonly off: string | null
}

type Entry = Pick<BlockList, 'id' | 'name' | 'zone' | 'asks' | 'terms'> & Partial<BlockList>

/** Fills in the defaults of a table entry. */
export const blockList = (entry: Entry): BlockList => ({
  codes: {},
  bits: {},
  errors: {},
  test_points: null,
  daily: null,
  refuses_public_resolvers: false,
  off: null,
  ...entry,
})

/**
 * The meaning of an answer. A list itself reports `public_resolver` (it refuses shared resolvers), `volume_exceeded`,
 * `wrong_zone`, `wrong_question`, `list_refused` and `list_error`. `foreign_answer` is an address outside 127.0.0.0/8,
 * which cannot come from the list. `undocumented_code`: the list answered, but with no code that it defines.
 */
export type Reading =
  | { readonly status: 'listed'; readonly codes: readonly ListingCode[] }
  | { readonly status: 'not_listed' }
  | { readonly status: 'unknown'; readonly reason: string; readonly by: 'list' | 'network' | 'check' | 'code' }

/** 127.255.255.0/24 is never a listing; Spamhaus introduced these codes and others adopted them. */
const errorNet: Readonly<Record<string, string>> = {
  '127.255.255.252': 'wrong_zone',
  '127.255.255.254': 'public_resolver',
  '127.255.255.255': 'volume_exceeded',
  '127.255.255.*': 'list_error',
}

/** Failures of this check, which say nothing about the list. */
const OWN_FAILURES: ReadonlySet<DnsFailure> = new Set<DnsFailure>(['too_many_queries', 'cancelled'])

export function readListing(list: BlockList, answer: Answer<string>): Reading {
  if (answer.status === 'unknown') {
    return { status: 'unknown', reason: answer.reason, by: OWN_FAILURES.has(answer.reason) ? 'check' : 'network' }
  }
  if (answer.status !== 'found') return { status: 'not_listed' }
  const addresses = [...new Set(answer.records)].sort()
  if (addresses.some(address => !address.startsWith('127.'))) {
    return { status: 'unknown', reason: 'foreign_answer', by: 'list' }
  }
  const errors = addresses.map(address => errorOf(list, address)).filter(error => error !== null)
  if (errors[0] !== undefined) return { status: 'unknown', reason: errors[0], by: 'list' }
  const codes = addresses.flatMap(address => codesOf(list, address))
  // What a code means that the list does not define is a guess, and a filtering resolver may have made it up.
  return codes.length > 0 ? { status: 'listed', codes } : { status: 'unknown', reason: 'undocumented_code', by: 'code' }
}

function errorOf({ errors, bits }: BlockList, address: string): string | null {
  const documentedError = match(errorNet, address) ?? match(errors, address)
  if (documentedError !== null) return documentedError
  // Every bit-mask list reserves bit 1 for refusals.
  const isBitMask = Object.keys(bits).length > 0
  return isBitMask && (lastOctet(address) & 1) === 1 ? 'list_refused' : null
}

function codesOf({ codes, bits }: BlockList, address: string): ListingCode[] {
  const sum = address.startsWith('127.0.0.') ? lastOctet(address) : 0
  const setBits = Object.entries(bits).filter(([bit]) => sum & Number(bit))
  const meanings = setBits.length > 0 ? setBits.map(([, meaning]) => meaning) : [match(codes, address)]
  return meanings.flatMap(meaning => (meaning === null ? [] : [{ code: address, ...meaning }]))
}

const lastOctet = (address: string): number => Number(address.split('.')[3])

/** Filtering resolvers answer with it for the names that they block, so that no pattern with `*` matches it. */
const LOOPBACK = '127.0.0.1'

/** The value of the first pattern that matches the address, octet by octet. */
function match<T>(table: Readonly<Record<string, T>>, address: string): T | null {
  if (address === LOOPBACK) return table[LOOPBACK] ?? null
  const octets = address.split('.')
  const fits = (pattern: string) => pattern.split('.').every((octet, at) => octet === '*' || octet === octets[at])
  return Object.entries(table).find(([pattern]) => fits(pattern))?.[1] ?? null
}
