// Pictures of the page of a kept result: opened by its account or behind a link, and removed.
import { Type } from 'typebox'
import { isResultId } from '../../store/history.ts'
import { closed, id } from '../shapes.ts'
import { type HistoryResults, type HistoryRoutesOptions, keptResults, MISSING } from './history.ts'
import { pathParameter } from './input.ts'
import { Problem } from './problem.ts'
import { sendAnswer, sendWebp } from './respond.ts'
import { type Handlers, type Operations, PICTURE } from './routes.ts'
import { sharedBy } from './shares.ts'

const kind = Type.Enum(['desktop', 'phone'], { description: 'The width of the window.' })
const ofResult = { id: Type.String({ description: '`result_id` of the result.' }) }
const picture = { status: 200, description: 'The picture.', schema: PICTURE } as const

export const screenshotSchemas = {
  Removed: Type.Object({ result_id: id('The ID of the result.'), removed: Type.Literal(true) }, closed),
} as const

export const screenshotOperations = {
  getScreenshot: {
    method: 'GET',
    path: '/api/v1/results/:id/screenshots/:kind',
    summary: 'Get a picture of the page',
    description: 'The page as a browser drew it during the check. A hostile page decides what it shows.',
    params: Type.Object({ ...ofResult, kind }),
    answer: picture,
    problems: MISSING,
  },
  removeScreenshots: {
    method: 'DELETE',
    path: '/api/v1/results/:id/screenshots',
    summary: 'Remove the pictures of a result',
    description: 'The result stays. The pictures are removed for all accounts.',
    params: Type.Object(ofResult),
    answer: { status: 200, description: 'The pictures are removed.', schema: screenshotSchemas.Removed },
    problems: MISSING,
  },
  getSharedScreenshot: {
    method: 'GET',
    path: '/api/v1/shared/:token/screenshots/:kind',
    summary: 'Get a picture of the page behind a link',
    description: 'Needs no key.',
    params: Type.Object({ token: Type.String({ description: '`token` of the link.' }), kind }),
    answer: picture,
    problems: ['result-not-found', 'history-unavailable', 'rate-limited'],
    is_public: true,
  },
} as const satisfies Operations

export function screenshotHandlers(options: HistoryRoutesOptions): Handlers<typeof screenshotOperations> {
  const { clock, history } = options
  const { withKey, readable } = keptResults(options)
  const pictureOf = pictureReader(history)
  return {
    getScreenshot: withKey(async (ctx, { account }) =>
      sendWebp(ctx, await pictureOf(account, pathParameter(ctx, 'id'), pathParameter(ctx, 'kind')), clock.now()),
    ),
    removeScreenshots: withKey(async (ctx, { account }, store) => {
      const resultId = pathParameter(ctx, 'id')
      if (!isResultId(resultId) || (await store.dropPictures(account, resultId)) === 0)
        throw new Problem('result-not-found', 'The result has no screenshots.')
      sendAnswer(
        ctx,
        screenshotOperations.removeScreenshots.answer,
        { result_id: resultId, removed: true },
        clock.now(),
      )
    }),
    getSharedScreenshot: ctx =>
      readable(async () => {
        const { account, result_id } = await sharedBy(options, ctx, pathParameter(ctx, 'token'))
        sendWebp(ctx, await pictureOf(account, result_id, pathParameter(ctx, 'kind')), clock.now())
      }),
  }
}

/** Returns a picture of the page of a result, as WebP. Rejects with a `Problem` when the account has none. */
export const pictureReader =
  (history: Pick<HistoryResults, 'picture' | 'written'> | null) =>
  async (account: string, id: string, kind: string): Promise<Buffer> => {
    await history?.written()
    const screenshot = history === null || !isResultId(id) ? null : await history.picture(account, id, kind)
    if (screenshot === null) throw new Problem('result-not-found', 'The result has no such screenshot.')
    return screenshot.body
  }
