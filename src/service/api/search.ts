// Kept results by what was seen of their targets, and how many other targets share what one result says.
import { type TOptional, type TString, Type } from 'typebox'
import { printable } from '../../base/printable.ts'
import {
  type Condition,
  conditionsOf,
  FACET_KINDS,
  FACETS,
  type FacetKind,
  NETWORK,
  QUESTIONS,
  type Question,
  readQuestion,
  searchableFacts,
} from '../../store/facets.ts'
import { EVERYONE, type SearchScope } from '../../store/history.ts'
import type { Claims } from '../../store/sql/claims.ts'
import { MOST_OTHERS, type SearchPlace } from '../../store/sql/facets.ts'
import { closed, id } from '../shapes.ts'
import {
  HistoryEntry,
  type HistoryResults,
  type HistoryRoutesOptions,
  keptResults,
  MISSING,
  nameOf,
  PAGE,
} from './history.ts'
import { readQuery } from './input.ts'
import { Problem } from './problem.ts'
import { sendAnswer } from './respond.ts'
import type { Handlers, Operations } from './routes.ts'
import { createSeats } from './seats.ts'

const SCOPES = ['account', 'installation'] as const satisfies readonly SearchScope[]
const Scope = Type.Enum([...SCOPES], { description: 'Whether these are results of the account or of all accounts.' })

export const searchSchemas = {
  SearchPage: Type.Object(
    {
      scope: Scope,
      results: Type.Array(HistoryEntry, {
        description: 'The latest result of each target. Latest first; for a network, by address.',
      }),
      before: Type.Union([Type.String(), Type.Null()], {
        description: 'The value of `before` for the next page; null at the end.',
      }),
    },
    closed,
  ),
  RelatedFacts: Type.Object(
    {
      result_id: id('The ID of the result.'),
      target: Type.String({ description: 'Its target, which is not counted.' }),
      scope: Scope,
      facts: Type.Array(
        Type.Object(
          {
            kind: Type.Enum([...FACET_KINDS], { description: 'The parameter of a search.' }),
            value: Type.String({ description: 'The value in the result, and of that parameter.' }),
            words: Type.String({ description: 'The kind in words.' }),
            others: Type.Integer({
              minimum: 0,
              maximum: MOST_OTHERS,
              description: 'Other targets that show the same, among the targets searched.',
            }),
            more: Type.Boolean({
              description: `There may be more: the count ends at ${MOST_OTHERS}, and for a title with several words, not all targets with its longest word are searched.`,
            }),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
} as const

/** Characters of a value: a title may have as many. */
const VALUE_LENGTH = 512

const facetParameters = Object.fromEntries(
  FACET_KINDS.map(kind => {
    const { description, example } = FACETS[kind]
    return [kind, Type.Optional(Type.String({ description, examples: [example] }))]
  }),
) as Record<FacetKind, TOptional<TString>>

const scopeParameter = Type.Optional(
  Type.Enum([...SCOPES], {
    description: 'Results of the account, or of all accounts if the installation allows it, which is then the default.',
  }),
)

export const searchOperations = {
  search: {
    method: 'GET',
    path: '/api/v1/search',
    summary: 'Search kept results by what was seen',
    description:
      'The targets that match all parameters, not necessarily in the same result, each with its latest matching result.',
    query: Type.Object({
      ...facetParameters,
      network: Type.Optional(Type.String({ description: NETWORK.description, examples: [NETWORK.example] })),
      scope: scopeParameter,
      before: Type.Optional(
        Type.String({ description: 'For the next page: the value of `before` of the page before.' }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: PAGE.most,
          default: PAGE.usual,
          description: 'Results per page. A page may have fewer although another follows.',
        }),
      ),
    }),
    answer: { status: 200, description: 'A page of results.', schema: searchSchemas.SearchPage },
    problems: ['invalid-parameter', 'rate-limited', 'history-disabled', 'history-unavailable'],
  },
  related: {
    method: 'GET',
    path: '/api/v1/search/related',
    summary: 'Count the targets that share the facts of a result',
    description: 'For each searchable fact of a kept result, how many other targets show the same.',
    query: Type.Object({
      result: Type.String({ description: '`result_id` of the result.' }),
      scope: scopeParameter,
    }),
    answer: { status: 200, description: 'The facts with their counts.', schema: searchSchemas.RelatedFacts },
    problems: ['invalid-parameter', 'rate-limited', ...MISSING],
  },
} as const satisfies Operations

/**
 * Of one account. A search of a common fact reads up to thousands of rows, and with SQLite nothing else is answered meanwhile. A
 * person who looks around needs one at a time, and a script goes on page by page.
 */
const SEARCHES = { name: 'search', at_once: 2, per_second: 10, retry_after: 1 }

export interface SearchRoutesOptions extends HistoryRoutesOptions {
  readonly claims: Claims
}

export function searchHandlers(options: SearchRoutesOptions): Handlers<typeof searchOperations> {
  const { clock } = options
  const { withKey, parsedResult } = keptResults(options)
  const seats = createSeats(options.claims, SEARCHES)
  return {
    search: withKey(async (ctx, { account }, store) => {
      const { scope: scopeParameter, before, limit = PAGE.usual, ...question } = readQuery(ctx, searchOperations.search)
      const conditions = conditionsIn(question)
      const scope = scopeOf(scopeParameter, store)
      const owner = scope === 'account' ? account : EVERYONE
      const searchQuery = { account: owner, conditions, after: readPlace(before), limit }
      const { results, next } = await seats.run(account, () => store.search(searchQuery))
      const page = { scope, results: [...results], before: next && writePlace(next) }
      sendAnswer(ctx, searchOperations.search.answer, page, clock.now())
    }),
    related: withKey(async (ctx, { account }, store) => {
      const { scope: scopeParameter, result: resultId } = readQuery(ctx, searchOperations.related)
      const scope = scopeOf(scopeParameter, store)
      const result = await parsedResult(account, resultId)
      const target = nameOf(result)
      const facts = searchableFacts(result)
      const conditions = facts.map(({ kind, text }) => conditionsOf(kind, text))
      const owner = scope === 'account' ? account : EVERYONE
      const counts = await seats.run(account, () => store.others(owner, target, conditions))
      const entries = facts.map(({ kind, text }, at) => ({
        kind,
        value: printable(text, VALUE_LENGTH),
        words: FACETS[kind].words,
        others: counts[at]?.count ?? 0,
        more: counts[at]?.more ?? false,
      }))
      const answer = { result_id: resultId, target, scope, facts: entries }
      sendAnswer(ctx, searchOperations.related.answer, answer, clock.now())
    }),
  }
}

function scopeOf(scope: SearchScope | undefined, { searched }: Pick<HistoryResults, 'searched'>): SearchScope {
  if (scope !== 'installation' || searched === 'installation') return scope ?? searched
  throw new Problem('invalid-parameter', 'On this installation, an account can only search its own results.')
}

/** Throws a 400 when there is no condition, or a value is none of its kind. */
function conditionsIn(question: Question): readonly Condition[] {
  const reading = readQuestion(question)
  if (reading.ok) return reading.conditions
  const fault =
    reading.name === null
      ? `Name what to search for: ${QUESTIONS.join(', ')}.`
      : `The parameter ${reading.name} must look like ${reading.example}.`
  throw new Problem('invalid-parameter', fault)
}

const writePlace = ({ value, checked_at, target }: SearchPlace): string =>
  Buffer.from(JSON.stringify([value, checked_at, target])).toString('base64url')

function readPlace(text: string | undefined): SearchPlace | null {
  if (text === undefined) return null
  const [value, checkedAt, target, ...rest] = listIn(Buffer.from(text, 'base64url').toString())
  if (isStored(value) && Number.isSafeInteger(checkedAt) && isStored(target) && rest.length === 0)
    return { value, checked_at: Number(checkedAt), target }
  throw new Problem('invalid-parameter', 'The parameter before must be the value of before in an earlier page.')
}

/** Text as the store has it. PostgreSQL refuses U+0000. */
const isStored = (value: unknown): value is string => typeof value === 'string' && /^[ -~]*$/.test(value)

function listIn(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
