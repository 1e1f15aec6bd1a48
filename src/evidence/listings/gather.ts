// Gathers listings of the target's name and addresses on DNS blocklists (RFC 5782). Unhealthy lists are not queried.

import { type TimeLimit, timeLimit } from '../../base/abort.ts'
import { STRENGTHS } from '../../knowledge/datasets/held.ts'
import type { Addresses } from '../addresses/facts.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import { readable } from '../mail_records/dns_records.ts'
import { type BlockList, type Reading, readListing } from './block_list.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import type { Listing, Listings } from './facts.ts'
import type { ListHealth } from './list_health.ts'
import { type ListQuestion, queryName, questionsFor, reversedAddress } from './questions.ts'

export type { Category, Strength } from '../../knowledge/datasets/held.ts'
export type { ListingCode } from './facts.ts'

export interface ListingsOptions {
  readonly lists: readonly BlockList[]
  readonly health: Pick<ListHealth, 'isHealthy' | 'flag'>
  readonly breaker?: Breaker
  /** Also asks for the explanation of a listing (TXT). */
  readonly explain?: boolean
}

/** Time limit for all lists together; where one query may take longer than usual, this share of that. */
const LISTS_MS = 1_500
const LISTS_SHARE = 0.6
const EXPLANATION_CHARACTERS = 256

/** Rejects with `Unavailable` (`not_configured`) without any list, and with `NotApplicable` when there is nothing to ask about. */
export default function createListingsGatherer({
  blocklists: options,
}: {
  readonly blocklists: ListingsOptions
}): Gatherer<Listings, { addresses: Addresses }> {
  const { lists } = options
  const parts: ListAccess = { ...options, breaker: options.breaker ?? createBreaker({ lists }) }
  return async context => {
    if (lists.length === 0) throw new Unavailable(NOT_CONFIGURED)
    const { names, addresses } = questionsFor(lists, context)
    const answers = await Promise.all([
      askAll(parts, context, names),
      addresses.then(ask => askAll(parts, context, ask)),
    ])
    if (answers.flat().length === 0) throw new NotApplicable('nothing_to_ask')
    return { lists: answers.flat() }
  }
}

type ListAccess = ListingsOptions & { readonly breaker: Breaker }

async function askAll(
  parts: ListAccess,
  context: GatherContext,
  questions: readonly ListQuestion[],
): Promise<Listing[]> {
  const ms = Math.max(LISTS_MS, LISTS_SHARE * context.network.limits.dns_phase_ms)
  const limit = timeLimit(ms, context.signal)
  try {
    return await Promise.all(questions.map(question => answer(parts, context, question, limit)))
  } finally {
    limit.end()
  }
}

async function answer(
  parts: ListAccess,
  context: GatherContext,
  question: ListQuestion,
  limit: TimeLimit,
): Promise<Listing> {
  const { list, subject } = question
  const name =
    subject === null ? null : queryName(question.kind === 'ip' ? reversedAddress(subject) : subject, list.zone)
  const withheldReason = withhold(parts, question, name)
  if (withheldReason !== null || name === null) return row(question, unknown(withheldReason ?? 'name_too_long'))
  const { signal } = limit
  const listing = readListing(list, await context.network.resolver.query(name, 'A', { signal }))
  const overdue = isCancelled(listing) && limit.late() && !context.signal.aborted
  const reading = overdue ? ({ status: 'unknown', reason: 'timeout', by: 'network' } as const) : listing
  settle(parts, list, reading)
  if (reading.status !== 'listed' || !parts.explain) return row(question, reading)
  const text = await context.network.resolver.query(name, 'TXT', { signal })
  const [words = ''] = text.status === 'found' ? text.records.toSorted() : []
  return row(question, reading, words === '' ? null : readable(words, EXPLANATION_CHARACTERS))
}

/** Why the list is not queried; null if it may be, which takes one query from its allowance. */
function withhold(
  { health, breaker }: ListAccess,
  { list, subject }: ListQuestion,
  name: string | null,
): string | null {
  if (subject === null) return 'addresses_unknown'
  if (name === null) return 'name_too_long'
  if (!health.isHealthy(list.id)) return 'list_unhealthy'
  return breaker.admit(list.id)
}

function settle({ health, breaker }: ListAccess, { id }: BlockList, reading: Reading): void {
  if (reading.status !== 'unknown' || reading.by === 'code') breaker.settle(id, 'answered')
  else if (reading.by === 'network') breaker.settle(id, 'silent')
  else if (reading.by === 'list') breaker.settle(id, 'refused')
  if (reading.status === 'unknown' && reading.reason === 'foreign_answer') health.flag(id, reading.reason)
}

const unknown = (reason: string): Reading => ({ status: 'unknown', reason, by: 'check' })

const isCancelled = (reading: Reading): boolean => reading.status === 'unknown' && reading.reason === 'cancelled'

function row({ list, kind, asked }: ListQuestion, reading: Reading, explanation: string | null = null): Listing {
  const codes = reading.status === 'listed' ? reading.codes : []
  return {
    id: list.id,
    name: list.name,
    kind,
    asked,
    status: reading.status,
    reason: reading.status === 'unknown' ? reading.reason : null,
    codes,
    categories: [...new Set(codes.map(({ category }) => category))],
    strength: STRENGTHS.find(strength => codes.some(code => code.strength === strength)) ?? null,
    explanation,
    terms: list.terms,
  }
}
