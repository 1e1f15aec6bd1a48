// Links that show one kept result to whoever has them, and the badge of each: made, listed, revoked and opened over HTTP.
import { createHash, randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { isResultId, MOST_SHARES, type Share } from '../../store/history.ts'
import { closed, id, time } from '../shapes.ts'
import { badge } from './badge.ts'
import { CheckResult } from './check.ts'
import { type HistoryRoutesOptions, KeptQuery, keptResults, MISSING, nameOf, timeOf } from './history.ts'
import { pathParameter } from './input.ts'
import { describedFormats, describedSelection } from './negotiation.ts'
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { sendAnswer } from './respond.ts'
import type { Handlers, Operations, Route } from './routes.ts'

/** 128 random bits. */
const TOKEN_OCTETS = 16
const TOKEN = /^[A-Za-z0-9_-]{22}$/

const shareId = Type.String({ description: 'ID to revoke the link; it does not open it.' })
const createdAt = time('When the link was created.')

export const shareSchemas = {
  CreatedShare: Type.Object(
    {
      share_id: shareId,
      result_id: id('The ID of the result.'),
      created_at: createdAt,
      token: id('The secret of the link. It is shown once and not stored.'),
      url: Type.String({ description: 'Shows the result to anyone who has it; relative without `server.public_url`.' }),
      badge_url: Type.String({ description: 'A picture (SVG) of the latest verdict on the target.' }),
    },
    closed,
  ),
  Shares: Type.Object(
    { shares: Type.Array(Type.Object({ share_id: shareId, created_at: createdAt }, closed)) },
    closed,
  ),
  Revoked: Type.Object({ share_id: shareId, revoked: Type.Literal(true) }, closed),
} as const

const ofResult = Type.Object({ id: Type.String({ description: '`result_id` of the result.' }) })

export const shareOperations = {
  listShares: {
    method: 'GET',
    path: '/api/v1/results/:id/shares',
    summary: 'List the links to a result',
    description: 'Links that the account created and has not revoked.',
    params: ofResult,
    answer: { status: 200, description: 'The links, without their secrets.', schema: shareSchemas.Shares },
    problems: ['history-disabled', 'history-unavailable'],
  },
  shareResult: {
    method: 'POST',
    path: '/api/v1/results/:id/shares',
    summary: 'Create a link to a result',
    description:
      'Anyone who has the link sees this result without a key, until the link is revoked or the result is too old.',
    params: ofResult,
    answer: { status: 201, description: 'The link.', schema: shareSchemas.CreatedShare },
    problems: ['share-limit', ...MISSING],
  },
  revokeShare: {
    method: 'DELETE',
    path: '/api/v1/shares/:id',
    summary: 'Revoke a link',
    description: 'The link and its badge stop working at once.',
    params: Type.Object({ id: Type.String({ description: '`share_id` of the link.' }) }),
    answer: { status: 200, description: 'The link is revoked.', schema: shareSchemas.Revoked },
    problems: MISSING,
  },
  getSharedResult: {
    method: 'GET',
    path: '/api/v1/shared/:token',
    summary: 'Get the result behind a link',
    description: 'Needs no key.',
    params: Type.Object({ token: Type.String({ description: '`token` of the link.' }) }),
    query: KeptQuery,
    answer: { status: 200, description: 'The result.', schema: CheckResult },
    problems: ['invalid-parameter', 'result-not-found', 'history-unavailable', 'rate-limited'],
    is_public: true,
    extensions: { 'x-formats': describedFormats, 'x-selection': describedSelection },
  },
} as const satisfies Operations

export function shareHandlers(options: HistoryRoutesOptions): Handlers<typeof shareOperations> {
  const { clock, public_url = null } = options
  const { withKey, readable, send } = keptResults(options)
  return {
    listShares: withKey(async (ctx, { account }, store) => {
      const shares = await store.shares({ account, result_id: pathParameter(ctx, 'id') })
      const list = shares.map(({ id: shareId, created }) => ({ share_id: shareId, created_at: timeOf(created) }))
      sendAnswer(ctx, shareOperations.listShares.answer, { shares: list }, clock.now())
    }),
    shareResult: withKey(async (ctx, { account }, store) => {
      const id = pathParameter(ctx, 'id')
      const token = randomBytes(TOKEN_OCTETS).toString('base64url')
      const share = isResultId(id) ? await store.share(account, id, hashOf(token)) : null
      if (share === null) throw new Problem('result-not-found')
      if (share === 'limit')
        throw new Problem('share-limit', `The account has ${MOST_SHARES} links, which is the limit. Revoke one first.`)
      const { id: shareId, result_id, created } = share
      const creation = {
        share_id: shareId,
        result_id,
        created_at: timeOf(created),
        token,
        ...linksOf(token, public_url),
      }
      sendAnswer(ctx, shareOperations.shareResult.answer, creation, clock.now())
    }),
    revokeShare: withKey(async (ctx, { account }, store) => {
      const id = pathParameter(ctx, 'id')
      if ((await store.unshare({ account, id })) === 0) throw new Problem('result-not-found', 'No such link.')
      sendAnswer(ctx, shareOperations.revokeShare.answer, { share_id: id, revoked: true }, clock.now())
    }),
    getSharedResult: ctx =>
      readable(async () => {
        const { account, result_id } = await sharedBy(options, ctx, pathParameter(ctx, 'token'))
        await send(ctx, account, result_id)
      }),
  }
}

/** The picture of a link, which pages of other sites may show. */
export function badgeRoute(options: HistoryRoutesOptions): Route {
  const { readable, parsedResult } = keptResults(options)
  return {
    method: 'GET',
    path: '/badge/:file',
    handle: ctx =>
      readable(async () => {
        const file = pathParameter(ctx, 'file')
        const { account, result_id } = await sharedBy(options, ctx, file.endsWith('.svg') ? file.slice(0, -4) : '')
        const selection = { account, target: nameOf(await parsedResult(account, result_id)), limit: 1 }
        const [latest] = (await options.history?.list({ ...selection, before: Number.MAX_SAFE_INTEGER })) ?? []
        if (latest === undefined) throw new Problem('result-not-found')
        badge(ctx, latest)
      }),
  }
}

/** The result behind a link. Rejects with a `Problem` without one. Wrong guesses are limited like wrong keys. */
export async function sharedBy(
  { history, callers }: HistoryRoutesOptions,
  ctx: Context,
  token: string,
): Promise<Pick<Share, 'result_id'> & { readonly account: string }> {
  const share = history !== null && TOKEN.test(token) ? await history.shared(hashOf(token)) : null
  if (share !== null) return share
  await callers.guess(ctx)
  throw new Problem('result-not-found')
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

function linksOf(token: string, publicUrl: string | null) {
  const base = publicUrl?.replace(/\/+$/, '') ?? ''
  return { url: `${base}/#shared=${token}`, badge_url: `${base}/badge/${token}.svg` }
}
