// Cached answers pass Koa and its router by, which take longer than the answer. The handler of the check answers them as it
// answers any other request.
import type { RequestListener } from 'node:http'
import type { Answers } from './answers.ts'
import type { Lifecycle } from './lifecycle.ts'
import { describeError, type Log } from './log.ts'
import { isFollowable } from './request_line.ts'
import type { BareContext } from './request_state.ts'
import { handlerOf } from './routes.ts'

export interface HitsOptions {
  readonly check: { readonly path: string; handle(ctx: BareContext): Promise<void> }
  readonly holds: Answers['holds']
  readonly lifecycle: Lifecycle
  readonly log: Log
}

/** Everything but a plain GET of a check whose answer is in memory goes to `app`. */
export function passHits({ check, holds, lifecycle, log }: HitsOptions, app: RequestListener): RequestListener {
  const start = `${check.path}?`
  const handle = handlerOf(check)
  const failed = (error: unknown) => log.error({ error: describeError(error) })
  return (req, res) => {
    const { method, url = '' } = req
    const isHit = method === 'GET' && url.startsWith(start) && isFollowable(req) && holds(url.slice(start.length))
    if (isHit) lifecycle.run({ req, res, state: lifecycle.begin(req) }, handle).catch(failed)
    else app(req, res)
  }
}
