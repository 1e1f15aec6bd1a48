// Kept results over HTTP: one result, the history of a target, and the comparison of two results.
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { nullable } from '../../base/nullable.ts'
import type { Selector } from '../../engine/selection.ts'
import { diffResults } from '../../results/diff/diff.ts'
import type { Result } from '../../results/diff/known.ts'
import { type ExchangeOptions, exchangeText } from '../../results/exchange/formats.ts'
import { type Entry, historyTarget, isResultId } from '../../store/history.ts'
import type { Results } from '../../store/sql/results.ts'
import type { Key } from '../../store/store.ts'
import { parseTarget, unvetted } from '../../targets/target.ts'
import { closed, id, judgementFields, type ShapeOf, time } from '../shapes.ts'
import type { Callers } from './callers.ts'
import { CheckResult, type ReportOf, TARGET_PROBLEMS } from './check.ts'
import { pathParameter, readQuery } from './input.ts'
import {
  type AskedFormat,
  describedFormats,
  describedSelection,
  FormatParameter,
  preferredForm,
  selectionParameters,
  selectOf,
} from './negotiation.ts'
import { orUnavailable, Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { sendAnswer, sendBytes, sendExchanged, sendJson } from './respond.ts'
import type { Handlers, Operations } from './routes.ts'

/** What is read of kept results. */
export type HistoryResults = Pick<
  Results,
  | ('read' | 'picture' | 'dropPictures' | 'list' | 'firstSeen' | 'search' | 'others' | 'searched' | 'written')
  | ('share' | 'shares' | 'unshare' | 'shared')
>

export interface HistoryRoutesOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account' | 'guess'>
  /** Null when this installation keeps no results. */
  readonly history: HistoryResults | null
  /** Makes the report of a result; without it every answer is the result. */
  readonly reportOf?: ReportOf | undefined
  /** Knows the fields of results. */
  readonly selector: Selector
  readonly clock: Clock
  /** Where clients reach this installation; links are relative to it when null. */
  readonly public_url?: string | null
  /** For results in other formats. */
  readonly exchange: ExchangeOptions
}

/** Entries of one response, and of a response by default. */
export const PAGE = { most: 500, usual: 100 }

export const HistoryEntry = Type.Object(
  {
    result_id: id('The ID of the result.'),
    target: Type.String({ description: 'The name that was checked, or the address.' }),
    domain: nullable(Type.String()),
    ip: nullable(Type.String({ description: 'The address connected to, or the one that was checked.' })),
    ...judgementFields,
    complete: Type.Boolean({ description: 'Whether everything applicable was seen.' }),
    kept: Type.Boolean({ description: 'False when the result itself was removed to make room.' }),
  },
  closed,
)

const ComparedResult = Type.Object({ result_id: nullable(id('The ID of the result.')), ...judgementFields }, closed)

export const historySchemas = {
  HistoryPage: Type.Object(
    {
      target: nullable(Type.String({ description: 'The requested target; null for all.' })),
      first_seen_at: nullable(time('When this installation first checked it; null if unknown, or for all targets.')),
      results: Type.Array(HistoryEntry, { description: 'Latest first.' }),
      before: nullable(Type.String({ description: 'The value of `before` for the next page; null at the end.' })),
    },
    closed,
  ),
  Comparison: Type.Object(
    {
      target: Type.String(),
      from: ComparedResult,
      to: ComparedResult,
      changes: Type.Array(
        Type.Object({
          path: Type.String({ description: 'The field that changed.' }),
          severity: Type.String({ description: 'weakened, improved, changed or expected.' }),
          message: Type.String({ description: 'The change as a sentence.' }),
          before: Type.Unknown(),
          after: Type.Unknown(),
        }),
      ),
      not_compared: Type.Array(
        Type.Object({
          section: Type.String(),
          unknown: Type.Enum(['before', 'after', 'both']),
          reason: nullable(Type.String()),
        }),
        { description: 'Sections that one of the results did not see.' },
      ),
    },
    closed,
  ),
} as const

/** The parameters of an operation that answers with a kept result. */
export const KeptQuery = Type.Object({ format: FormatParameter, ...selectionParameters })

const STORE_PROBLEMS = ['history-disabled', 'history-unavailable'] as const
/** Refusals of an operation about a kept result. */
export const MISSING = ['result-not-found', ...STORE_PROBLEMS] as const

export const historyOperations = {
  getResult: {
    method: 'GET',
    path: '/api/v1/results/:id',
    summary: 'Get a kept result',
    description: 'The result as it was returned, for accounts that received it. Does not count against the quota.',
    params: Type.Object({ id: Type.String({ description: '`result_id` of the result.' }) }),
    query: KeptQuery,
    answer: { status: 200, description: 'The result.', schema: CheckResult },
    problems: ['invalid-parameter', ...MISSING],
    extensions: { 'x-formats': describedFormats, 'x-selection': describedSelection },
  },
  listHistory: {
    method: 'GET',
    path: '/api/v1/history',
    summary: 'List the results of the account',
    description: 'One line for each result, latest first, for one name or address or for all.',
    query: Type.Object({
      domain: Type.Optional(Type.String({ description: 'A domain name.' })),
      ip: Type.Optional(Type.String({ description: 'An IP address; not together with domain.' })),
      before: Type.Optional(
        Type.String({
          description:
            'Only results checked before this time, or the next page: the value of `before` of the page before.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: PAGE.most, default: PAGE.usual, description: 'Results per page.' }),
      ),
    }),
    answer: { status: 200, description: 'A page of the history.', schema: historySchemas.HistoryPage },
    problems: ['invalid-parameter', 'conflicting-targets', ...TARGET_PROBLEMS, ...STORE_PROBLEMS],
  },
  compareResults: {
    method: 'GET',
    path: '/api/v1/compare',
    summary: 'Compare two kept results of one target',
    description: 'What changed from one result to the other, as `npx assay diff` shows it.',
    query: Type.Object({
      from: Type.String({ description: '`result_id` of the earlier result.' }),
      to: Type.String({ description: '`result_id` of the later result.' }),
    }),
    answer: { status: 200, description: 'The differences.', schema: historySchemas.Comparison },
    problems: ['invalid-parameter', ...MISSING],
  },
} as const satisfies Operations

export function historyHandlers(options: HistoryRoutesOptions): Handlers<typeof historyOperations> {
  const { clock } = options
  const { withKey, parsedResult, send } = keptResults(options)
  return {
    getResult: withKey(async (ctx, { account }) => send(ctx, account, pathParameter(ctx, 'id'))),
    listHistory: withKey(async (ctx, { account }, store) => {
      const { target, before, after, limit } = readListQuery(ctx)
      const selection = { account, target, before: before ?? Number.MAX_SAFE_INTEGER, after, limit: limit + 1 }
      const entries = await store.list(selection)
      const results = entries.slice(0, limit)
      const first = target === null ? null : (await store.firstSeen(target)).at
      const page = {
        target,
        first_seen_at: first === null ? null : timeOf(first),
        results,
        before: entries.length > limit ? placeOf(results.at(-1)) : null,
      }
      sendAnswer(ctx, historyOperations.listHistory.answer, page, clock.now())
    }),
    compareResults: withKey(async (ctx, { account }) => {
      const { from, to } = readQuery(ctx, historyOperations.compareResults)
      const [before, after] = await Promise.all([parsedResult(account, from), parsedResult(account, to)])
      const [one, other] = [nameOf(before), nameOf(after)]
      if (one !== other) throw new Problem('invalid-parameter', 'The results have different targets.')
      const comparison = { target: one, from: ofResult(before), to: ofResult(after), ...diffResults(before, after) }
      sendAnswer(ctx, historyOperations.compareResults.answer, comparison, clock.now())
    }),
  }
}

/** What the operations about kept results share. */
export function keptResults({ callers, history, reportOf, selector, clock, exchange }: HistoryRoutesOptions) {
  const resultOf = resultReader(history)

  /** Runs after earlier answers are written. Only errors of the store become a 503; a `Problem` passes. */
  const readable = (work: () => Promise<void>): Promise<void> =>
    orUnavailable('history-unavailable', async () => {
      await history?.written()
      await work()
    })

  return {
    readable,
    /** The result of an account as an object. Rejects with a `Problem` when it has no such result. */
    parsedResult: async (account: string, id: string) => JSON.parse((await resultOf(account, id)).toString()) as Result,
    /** Runs `work` with the caller's key, which must be valid also to learn that there is no history. */
    withKey: (work: (ctx: Context, key: Key, store: HistoryResults) => Promise<void>) => async (ctx: Context) => {
      const key = await callers.authenticate(ctx)
      await callers.account(ctx)
      if (history === null) throw new Problem('history-disabled')
      await readable(() => work(ctx, key, history))
    },
    /** Sends a kept result in the form that the client asked for. */
    async send(ctx: Context, account: string, id: string): Promise<void> {
      const { form, sections, select } = keptForm(ctx, selector)
      const body = await resultOf(account, id)
      if (select === null && (form === 'json' || (form === 'report' && !reportOf)))
        return sendBytes(ctx, body, clock.now())
      const result = JSON.parse(body.toString()) as Result
      if (form === 'report') return sendJson(ctx, 200, (await reportOf?.(result, sections)) ?? result, clock.now())
      const selection = select?.(result) ?? result
      if (form === 'json') sendJson(ctx, 200, selection, clock.now())
      else sendExchanged(ctx, form, exchangeText(form, selection, exchange), clock.now())
    },
  }
}

/** Returns the result of an account as JSON. Rejects with a `Problem` when the account has no such result. */
export const resultReader =
  (history: Pick<HistoryResults, 'read' | 'written'> | null) =>
  async (account: string, id: string): Promise<Buffer> => {
    await history?.written()
    const body = history === null || !isResultId(id) ? null : await history.read(account, id)
    if (body === null) throw new Problem('result-not-found')
    return body
  }

export const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
export const nameOf = (result: Result): string => historyTarget(result as Pick<Entry, 'domain' | 'ip'>)

/** The result as a comparison names it. */
const ofResult = ({ result_id, checked_at, risk_score, verdict, recommendation }: Result) =>
  ({ result_id, checked_at, risk_score, verdict, recommendation }) as ShapeOf<typeof ComparedResult>

/** Kept results have no events: a client that asks for them gets JSON, as before. Throws a 400. */
function keptForm(ctx: Context, selector: Selector) {
  const { format, fields, sections } = readQuery(ctx, { query: KeptQuery })
  const wantedForm = preferredForm(ctx.req.headers.accept)
  const form: AskedFormat = format ?? (wantedForm === 'stix' || wantedForm === 'misp' ? wantedForm : 'json')
  const request = { ...(fields !== undefined && { fields }), ...(sections !== undefined && { sections }) }
  return { form, sections, select: selectOf(selector, request, form) }
}

/** Where the next page begins: many results may have been checked in the second of the last one. */
const placeOf = (last: Entry | undefined): string | null => (last ? `${last.checked_at},${last.result_id}` : null)

function readListQuery(ctx: Context) {
  const { domain, ip, before, limit = PAGE.usual } = readQuery(ctx, historyOperations.listHistory)
  const [timeText = '', after = null, ...rest] = before?.split(',') ?? []
  const time = before === undefined ? null : Date.parse(timeText)
  if (Number.isNaN(time) || (after !== null && !isResultId(after)) || rest.length > 0)
    throw new Problem(
      'invalid-parameter',
      'The parameter before must be a time, such as 2026-11-25T12:00:00Z, or the value of before in an earlier page.',
    )
  return { target: readTarget(domain, ip), before: time, after, limit }
}

/** Which targets may be checked can change, and does not matter here. */
function readTarget(domain: string | undefined, ip: string | undefined): string | null {
  if (domain === undefined && ip === undefined) return null
  if (domain !== undefined && ip !== undefined) {
    throw new Problem('conflicting-targets', 'Set domain or ip, not both.')
  }
  const parsed = parseTarget({ domain: domain ?? null, ip: ip ?? null, url: null, visit: true }, unvetted)
  if (!parsed.ok) throw new Problem(parsed.code, parsed.detail)
  return historyTarget(parsed.target)
}
