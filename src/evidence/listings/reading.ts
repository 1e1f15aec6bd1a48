// What a list's answer means. Three states: listed, not listed, and unknown, which is neither.

import type { Answer, DnsFailure } from '../../network/resolve.ts'
import type { BlockList } from './block_list.ts'
import type { ListingCode, Meaning } from './facts.ts'

/**
 * `public_resolver` (the list refuses shared resolvers), `volume_exceeded`, `wrong_zone`, `wrong_question`, `list_refused`,
 * `list_error` are the list's own words for no answer; `foreign_answer` is an address outside 127.0.0.0/8, so not the list's.
 */
export type Reading =
  | { readonly status: 'listed'; readonly codes: readonly ListingCode[] }
  | { readonly status: 'not_listed' }
  | { readonly status: 'unknown'; readonly reason: string; readonly by: 'list' | 'network' | 'check' }

/** 127.255.255.0/24 is never a listing; the numbers are those Spamhaus introduced and others took over. */
const errorNet: Readonly<Record<string, string>> = {
  '127.255.255.252': 'wrong_zone',
  '127.255.255.254': 'public_resolver',
  '127.255.255.255': 'volume_exceeded',
  '127.255.255.*': 'list_error',
}

const undocumented: Meaning = { meaning: 'a code the list does not document', category: 'unknown', strength: 'none' }

/** Why this check could not ask on, which says nothing of the list. */
const ours: ReadonlySet<DnsFailure> = new Set<DnsFailure>(['too_many_queries', 'cancelled'])

export function readListing(list: BlockList, answer: Answer<string>): Reading {
  if (answer.status === 'unknown') {
    return { status: 'unknown', reason: answer.reason, by: ours.has(answer.reason) ? 'check' : 'network' }
  }
  if (answer.status !== 'found') return { status: 'not_listed' }
  const addresses = [...new Set(answer.records)].sort()
  if (addresses.some(address => !address.startsWith('127.'))) {
    return { status: 'unknown', reason: 'foreign_answer', by: 'list' }
  }
  const errors = addresses.map(address => errorOf(list, address)).filter(error => error !== null)
  if (errors[0] !== undefined) return { status: 'unknown', reason: errors[0], by: 'list' }
  return { status: 'listed', codes: addresses.flatMap(address => codesOf(list, address)) }
}

function errorOf({ errors, bits }: BlockList, address: string): string | null {
  const documented = match(errorNet, address) ?? match(errors, address)
  if (documented !== null) return documented
  // Bit 1 is free in every list that adds up, for refusals
  const adds = Object.keys(bits).length > 0
  return adds && (lastOctet(address) & 1) === 1 ? 'list_refused' : null
}

function codesOf({ codes, bits }: BlockList, address: string): ListingCode[] {
  const sum = address.startsWith('127.0.0.') ? lastOctet(address) : 0
  const added = Object.entries(bits).filter(([bit]) => sum & Number(bit))
  const meanings = added.length > 0 ? added.map(([, meaning]) => meaning) : [match(codes, address) ?? undocumented]
  return meanings.map(meaning => ({ code: address, ...meaning }))
}

const lastOctet = (address: string): number => Number(address.split('.')[3])

/** The value of the first pattern that the address fits, octet by octet. */
function match<T>(table: Readonly<Record<string, T>>, address: string): T | null {
  const octets = address.split('.')
  const fits = (pattern: string) => pattern.split('.').every((octet, at) => octet === '*' || octet === octets[at])
  return Object.entries(table).find(([pattern]) => fits(pattern))?.[1] ?? null
}
