// Kept results over HTTP: one result, the history of a target, the comparison of two results, and links that share one.
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { diffResults } from '../../results/diff/diff.ts'
import type { Result } from '../../results/diff/known.ts'
import { type ExchangeOptions, exchanged } from '../../results/exchange/formats.ts'
import { type Entry, historyTarget, isResultId, MOST_SHARES } from '../../store/history.ts'
import type { Results } from '../../store/sql/results.ts'
import type { Key } from '../../store/store.ts'
import { parseTarget, unvetted } from '../../targets/target.ts'
import { badge } from './badge.ts'
import type { Callers } from './callers.ts'
import type { ReportOf } from './check.ts'
import { type AskedFormat, isFormat, preferredForm, refuseFormat } from './negotiation.ts'
import { orUnavailable, Problem } from './problem.ts'
import { readQuery } from './query.ts'
import type { Context } from './request_state.ts'
import { sendBytes, sendExchanged, sendJson } from './respond.ts'
import type { Route } from './routes.ts'

/** What is read of kept results. */
export type KeptHistory = Pick<
  Results,
  'read' | 'list' | 'firstSeen' | 'share' | 'shares' | 'unshare' | 'shared' | 'written'
>

export interface HistoryRoutesOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account' | 'guess'>
  /** Null when this installation keeps no results. */
  readonly history: KeptHistory | null
  /** Makes the report of a result; without it every answer is the result. */
  readonly reportOf?: ReportOf | undefined
  readonly clock: Clock
  /** Where clients reach this installation; links are relative to it when null. */
  readonly public_url?: string | null
  /** For results in other formats. */
  readonly exchange: ExchangeOptions
}

/** Entries of one response, and of a response by default. */
const PAGE = { most: 500, usual: 100 }
/** 128 random bits. */
const TOKEN_OCTETS = 16
const TOKEN = /^[A-Za-z0-9_-]{22}$/

export function historyRoutes(options: HistoryRoutesOptions): readonly Route[] {
  const { callers, history, reportOf, clock, public_url = null, exchange } = options
  const readable = readWith(history)

  /** Runs `work` with the caller's key, which must be valid also to learn that there is no history. */
  const withKey = (work: (ctx: Context, key: Key, kept: KeptHistory) => Promise<void>) => async (ctx: Context) => {
    const key = await callers.authenticate(ctx)
    await callers.account(ctx)
    if (history === null) throw new Problem('history-disabled')
    await readable(() => work(ctx, key, history))
  }

  const resultOf = resultReader(history)
  const parsed = async (account: string, id: string) => JSON.parse((await resultOf(account, id)).toString()) as Result

  /** The result behind a link, or null. Wrong guesses are limited like wrong keys. */
  async function shared(ctx: Context, token: string) {
    const found = history !== null && TOKEN.test(token) ? await history.shared(hashOf(token)) : null
    if (found === null) {
      await callers.guess(ctx)
      throw new Problem('result-not-found')
    }
    return found
  }

  /** Sends a kept result in the form that the client asked for. */
  async function sendKept(ctx: Context, account: string, id: string): Promise<void> {
    const form = keptForm(ctx)
    const body = await resultOf(account, id)
    if (form === 'json' || (form === 'report' && !reportOf)) return sendBytes(ctx, body, clock.now())
    const result = JSON.parse(body.toString()) as Result
    if (form === 'report') sendJson(ctx, 200, (await reportOf?.(result)) ?? result, clock.now())
    else sendExchanged(ctx, form, exchanged(form, result, exchange), clock.now())
  }

  const linksOf = (token: string) => ({
    url: `${base(public_url)}/#shared=${token}`,
    badge_url: `${base(public_url)}/badge/${token}.svg`,
  })

  return [
    {
      method: 'GET',
      path: '/api/v1/results/:id',
      handle: withKey(async (ctx, { account }) => sendKept(ctx, account, parameter(ctx, 'id'))),
    },
    {
      method: 'GET',
      path: '/api/v1/history',
      handle: withKey(async (ctx, { account }, store) => {
        const { target, before, after, limit } = readListQuery(ctx)
        const entries = await store.list({
          account,
          target,
          before: before ?? Number.MAX_SAFE_INTEGER,
          after,
          limit: limit + 1,
        })
        const shown = entries.slice(0, limit)
        const first = target === null ? null : (await store.firstSeen(target)).at
        sendJson(
          ctx,
          200,
          {
            target,
            first_seen_at: first === null ? null : timeOf(first),
            results: shown,
            before: entries.length > limit ? placeOf(shown.at(-1)) : null,
          },
          clock.now(),
        )
      }),
    },
    {
      method: 'GET',
      path: '/api/v1/compare',
      handle: withKey(async (ctx, { account }) => {
        const { from, to } = readComparison(ctx)
        const [before, after] = await Promise.all([parsed(account, from), parsed(account, to)])
        const [one, other] = [nameOf(before), nameOf(after)]
        if (one !== other) throw new Problem('invalid-parameter', 'The results are not of the same target.')
        const difference = diffResults(before, after)
        sendJson(ctx, 200, { target: one, from: ofResult(before), to: ofResult(after), ...difference }, clock.now())
      }),
    },
    {
      method: 'POST',
      path: '/api/v1/results/:id/shares',
      handle: withKey(async (ctx, { account }, store) => {
        const id = parameter(ctx, 'id')
        const token = randomBytes(TOKEN_OCTETS).toString('base64url')
        const share = isResultId(id) ? await store.share(account, id, hashOf(token)) : null
        if (share === null) throw new Problem('result-not-found')
        if (share === 'limit')
          throw new Problem(
            'share-limit',
            `The account has ${MOST_SHARES} links, which is the limit. Revoke one first.`,
          )
        const { id: share_id, result_id, created } = share
        sendJson(ctx, 201, { share_id, result_id, created_at: timeOf(created), token, ...linksOf(token) }, clock.now())
      }),
    },
    {
      method: 'GET',
      path: '/api/v1/results/:id/shares',
      handle: withKey(async (ctx, { account }, store) => {
        const shares = await store.shares({ account, result_id: parameter(ctx, 'id') })
        const shown = shares.map(({ id: share_id, created }) => ({ share_id, created_at: timeOf(created) }))
        sendJson(ctx, 200, { shares: shown }, clock.now())
      }),
    },
    {
      method: 'DELETE',
      path: '/api/v1/shares/:id',
      handle: withKey(async (ctx, { account }, store) => {
        const id = parameter(ctx, 'id')
        if ((await store.unshare({ account, id })) === 0) throw new Problem('result-not-found', 'No such link.')
        sendJson(ctx, 200, { share_id: id, revoked: true }, clock.now())
      }),
    },
    {
      method: 'GET',
      path: '/api/v1/shared/:token',
      handle: async ctx =>
        readable(async () => {
          const { account, result_id } = await shared(ctx, parameter(ctx, 'token'))
          await sendKept(ctx, account, result_id)
        }),
    },
    {
      method: 'GET',
      path: '/badge/:file',
      handle: async ctx =>
        readable(async () => {
          const file = parameter(ctx, 'file')
          const { account, result_id } = await shared(ctx, file.endsWith('.svg') ? file.slice(0, -4) : '')
          const target = nameOf(await parsed(account, result_id))
          const [latest] = (await history?.list({ account, target, before: Number.MAX_SAFE_INTEGER, limit: 1 })) ?? []
          if (latest === undefined) throw new Problem('result-not-found')
          badge(ctx, latest)
        }),
    },
  ]
}

/** Returns the result of an account as JSON. Rejects with a `Problem` when the account has no such result. */
export const resultReader =
  (history: Pick<KeptHistory, 'read' | 'written'> | null) =>
  async (account: string, id: string): Promise<Buffer> => {
    await history?.written()
    const body = history === null || !isResultId(id) ? null : await history.read(account, id)
    if (body === null) throw new Problem('result-not-found')
    return body
  }

/** Runs after earlier answers are written. Only errors of the store become a 503; a `Problem` passes. */
const readWith =
  (history: Pick<KeptHistory, 'written'> | null) =>
  (work: () => Promise<void>): Promise<void> =>
    orUnavailable('history-unavailable', async () => {
      await history?.written()
      await work()
    })

const base = (url: string | null): string => url?.replace(/\/+$/, '') ?? ''
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
const nameOf = (result: Result): string => historyTarget(result as Pick<Entry, 'domain' | 'ip'>)

/** The result as a comparison names it. */
const ofResult = ({ result_id, checked_at, risk_score, verdict, recommendation }: Result) => ({
  ...{ result_id, checked_at, risk_score, verdict, recommendation },
})

const parameter = (ctx: Context, name: string): string => String((ctx['params'] as Record<string, string>)[name])

/** Kept results have no events: a client that asks for them gets JSON, as before. Throws a 400. */
function keptForm(ctx: Context): AskedFormat {
  const { format = null } = readQuery(ctx)
  if (format !== null && !isFormat(format)) throw new Problem('invalid-parameter', refuseFormat(format))
  if (format !== null) return format
  const form = preferredForm(ctx.req.headers.accept)
  return form === 'stix' || form === 'misp' ? form : 'json'
}

/** Where the next page begins: many results may have been checked in the second of the last one. */
const placeOf = (last: Entry | undefined): string | null => (last ? `${last.checked_at},${last.result_id}` : null)

function readListQuery(ctx: Context) {
  const { domain, ip, before, limit } = readQuery(ctx)
  const [time_text = '', after = null, ...rest] = before?.split(',') ?? []
  const time = before === undefined ? null : Date.parse(time_text)
  if (Number.isNaN(time) || (after !== null && !isResultId(after)) || rest.length > 0)
    throw new Problem(
      'invalid-parameter',
      'The parameter before is neither a time, such as 2026-11-25T12:00:00Z, nor the value before of an earlier page.',
    )
  const count = limit === undefined ? PAGE.usual : Number(limit)
  if (!Number.isInteger(count) || count < 1 || count > PAGE.most)
    throw new Problem('invalid-parameter', `The parameter limit is not a number from 1 to ${PAGE.most}.`)
  return { target: readTarget(domain, ip), before: time, after, limit: count }
}

/** Which targets may be checked can change, and does not matter here. */
function readTarget(domain: string | undefined, ip: string | undefined): string | null {
  if (domain === undefined && ip === undefined) return null
  if (domain !== undefined && ip !== undefined) {
    throw new Problem('conflicting-targets', 'A history is of a domain or of an address, not of both.')
  }
  const parsed = parseTarget({ domain: domain ?? null, ip: ip ?? null, url: null, visit: true }, unvetted)
  if (!parsed.ok) throw new Problem(parsed.code, parsed.detail)
  return historyTarget(parsed.target)
}

function readComparison(ctx: Context) {
  const { from, to } = readQuery(ctx)
  if (from === undefined || to === undefined)
    throw new Problem('invalid-parameter', 'Set the parameters from and to to the IDs of two results.')
  return { from, to }
}
