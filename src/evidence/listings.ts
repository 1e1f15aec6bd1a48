// What DNS blocklists (RFC 5782) say of the target's name and addresses; a list that cannot be believed says nothing.
import { type TimeLimit, timeLimit } from '../network/time_limit.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from './decline.ts'
import type { GatherContext } from './gatherer.ts'
import type { BlockList, Category, Strength } from './listings/block_list.ts'
import { type Breaker, createBreaker } from './listings/breaker.ts'
import type { ListHealth } from './listings/canary.ts'
import { queryName, reversedAddress } from './listings/query_name.ts'
import { type Question, questionsFor } from './listings/questions.ts'
import { type ListingCode, type Reading, readListing } from './listings/reading.ts'
import { readable } from './mail/text.ts'

export type { Category, Strength } from './listings/block_list.ts'
export type { ListingCode } from './listings/reading.ts'

/** One question to one list. A list that lists several of a target's addresses is one hit of that list. */
export interface Listing {
  readonly id: string
  readonly name: string
  readonly kind: 'ip' | 'domain'
  /** The address or the name that was asked about. */
  readonly asked: string
  readonly status: 'listed' | 'not_listed' | 'unknown'
  /** Why it is unknown: `timeout`, `list_unhealthy`, `list_paused`, `public_resolver`, ...; else null. */
  readonly reason: string | null
  readonly codes: readonly ListingCode[]
  readonly categories: readonly Category[]
  /** The highest of its codes; null when not listed. `none` is no hit. */
  readonly strength: Strength | null
  /** The list's own words (at most 256 characters), when they were asked for. */
  readonly explanation: string | null
  /** Who may use the list. */
  readonly terms: string
}

export interface Listings {
  readonly lists: readonly Listing[]
}

export interface ListingsOptions {
  readonly lists: readonly BlockList[]
  readonly health: Pick<ListHealth, 'isHealthy' | 'flag'>
  readonly breaker?: Breaker
  /** Asks listing lists for their reasons as well (TXT). */
  readonly explain?: boolean
}

/** Milliseconds for all lists together: nobody waits for the slowest. */
const LISTS_MS = 1_500
const EXPLANATION_CHARACTERS = 256

const strengths: readonly Strength[] = ['none', 'weak', 'moderate', 'strong']

/** Rejects with `Unavailable` (`not_configured`) when no list is to be asked, `NotApplicable` when there is nothing to ask about. */
export function createListingsGatherer(options: ListingsOptions): (context: GatherContext) => Promise<Listings> {
  const { lists } = options
  const parts: Parts = { ...options, breaker: options.breaker ?? createBreaker({ lists }) }
  return async context => {
    if (lists.length === 0) throw new Unavailable(NOT_CONFIGURED)
    const { names, addresses } = questionsFor(lists, context)
    const found = await Promise.all([askAll(parts, context, names), addresses.then(ask => askAll(parts, context, ask))])
    if (found.flat().length === 0) throw new NotApplicable('nothing_to_ask')
    return { lists: found.flat() }
  }
}

type Parts = ListingsOptions & { readonly breaker: Breaker }

async function askAll(parts: Parts, context: GatherContext, questions: readonly Question[]): Promise<Listing[]> {
  const limit = timeLimit(LISTS_MS, context.signal)
  try {
    return await Promise.all(questions.map(question => answer(parts, context, question, limit)))
  } finally {
    limit.end()
  }
}

async function answer(parts: Parts, context: GatherContext, question: Question, limit: TimeLimit): Promise<Listing> {
  const { list, subject } = question
  const name =
    subject === null ? null : queryName(question.kind === 'ip' ? reversedAddress(subject) : subject, list.zone)
  const withheld = withhold(parts, question, name)
  if (withheld !== null || name === null) return row(question, unknown(withheld ?? 'name_too_long'))
  const { signal } = limit
  const answered = readListing(list, await context.network.resolver.query(name, 'A', { signal }))
  const overdue = isCancelled(answered) && limit.late() && !context.signal.aborted
  const reading = overdue ? ({ status: 'unknown', reason: 'timeout', by: 'network' } as const) : answered
  settle(parts, list, reading)
  if (reading.status !== 'listed' || !parts.explain) return row(question, reading)
  const text = await context.network.resolver.query(name, 'TXT', { signal })
  const words = text.status === 'found' ? (text.records[0] ?? '') : ''
  return row(question, reading, words === '' ? null : readable(words, EXPLANATION_CHARACTERS))
}

/** Why the list is not asked, or null: then one question is taken from its allowance. */
function withhold({ health, breaker }: Parts, { list, subject }: Question, name: string | null): string | null {
  if (subject === null) return 'addresses_unknown'
  if (name === null) return 'name_too_long'
  if (!health.isHealthy(list.id)) return 'list_unhealthy'
  return breaker.admit(list.id)
}

function settle({ health, breaker }: Parts, { id }: BlockList, reading: Reading): void {
  if (reading.status !== 'unknown') breaker.settle(id, 'answered')
  else if (reading.by === 'network') breaker.settle(id, 'silent')
  else if (reading.by === 'list') breaker.settle(id, 'refused')
  if (reading.status === 'unknown' && reading.reason === 'foreign_answer') health.flag(id, reading.reason)
}

const unknown = (reason: string): Reading => ({ status: 'unknown', reason, by: 'check' })

const isCancelled = (reading: Reading): boolean => reading.status === 'unknown' && reading.reason === 'cancelled'

function row({ list, kind, asked }: Question, reading: Reading, explanation: string | null = null): Listing {
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
    strength: strengths.findLast(strength => codes.some(code => code.strength === strength)) ?? null,
    explanation,
    terms: list.terms,
  }
}
