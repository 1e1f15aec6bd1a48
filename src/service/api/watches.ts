// Watches over HTTP: an account's watches, their test events, and the deliveries of each.
import { text } from 'node:stream/consumers'
import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import type { Watches } from '../../store/sql/watches.ts'
import { isDeliveryId, isWatchId, type Watch } from '../../store/watches.ts'
import type { Vetting } from '../../targets/target.ts'
import { testDelivery } from '../watch/check.ts'
import { type AskedWatch, newWatch, shownDelivery, shownWatch, type TermsOptions } from '../watch/terms.ts'
import type { Callers } from './callers.ts'
import { createRateLimit, rateLimited } from './limits.ts'
import { orUnavailable, Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { sendJson } from './respond.ts'
import type { Route } from './routes.ts'

/** The watches of this installation. */
export interface Watching {
  readonly store: Watches
  /** Something is due. */
  wake(): void
  readonly webhooks: TermsOptions['webhooks']
  /** Watches of one account. */
  readonly most: number
  /** Shortest interval in milliseconds. */
  readonly least_ms: number
}

export interface WatchRoutesOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  /** Null when watches are disabled. */
  readonly watching: Watching | null
  readonly vetting: Vetting
  readonly clock: Clock
}

/** Bytes of a request: two URLs of the greatest length and the rest. */
const BODY_OCTETS = 8 * 1024
/** Tests and replays of one watch in a minute, so that nobody floods a stranger's server through this one. */
const SENDS = { most: 10, within_ms: 60_000 } as const
/** Deliveries of one response. */
const DELIVERIES = 100
/** Characters of an unknown member in a message. */
const NAME_LENGTH = 40

export function watchRoutes({ callers, watching, vetting, clock }: WatchRoutesOptions): readonly Route[] {
  /** Runs `work` with the caller's key, which must be valid also to learn that watches are disabled. */
  const withKey =
    (work: (ctx: Context, owner: { account: string; key: string }, watching: Watching) => Promise<void>) =>
    async (ctx: Context) => {
      const { account, id } = await callers.authenticate(ctx)
      await callers.account(ctx)
      if (watching === null) throw new Problem('watches-disabled')
      await orUnavailable('watches-unavailable', () => work(ctx, { account, key: id }, watching))
    }

  /** The same with the watch of the path, which must be the account's. */
  const withWatch = (work: (ctx: Context, watch: Watch, watching: Watching) => Promise<void>) =>
    withKey(async (ctx, { account }, watching) => {
      const id = parameter(ctx, 'id')
      const watch = isWatchId(id) ? await watching.store.get(id) : null
      if (watch === null || watch.account !== account) throw new Problem('watch-not-found')
      await work(ctx, watch, watching)
    })

  const sends = createRateLimit(SENDS.most, SENDS.within_ms, clock.monotonic)
  const limitSends = ({ id }: Watch) => {
    const wait = sends.take(id)
    if (wait > 0) throw rateLimited(wait)
  }

  return [
    {
      method: 'POST',
      path: '/api/v1/watches',
      body_octets: BODY_OCTETS,
      handle: withKey(async (ctx, owner, { store, wake, webhooks, most, least_ms }) => {
        const asked = readWatch(await text(ctx.req))
        const made = newWatch(asked, owner, { vetting, webhooks, least_ms, now: clock.now() })
        if (!made.ok) throw new Problem('invalid-body', made.fault)
        const { watch } = made
        if (!(await store.add(watch, most)))
          throw new Problem('watch-limit', `The account has ${most} watches, which is the limit. Remove one first.`)
        wake()
        sendJson(ctx, 201, { ...shownWatch(watch), secret: watch.secret }, clock.now())
      }),
    },
    {
      method: 'GET',
      path: '/api/v1/watches',
      handle: withKey(async (ctx, { account }, { store, most }) => {
        const watches = await store.list(account)
        sendJson(ctx, 200, { watches: watches.map(shownWatch), limit: most }, clock.now())
      }),
    },
    {
      method: 'GET',
      path: '/api/v1/watches/:id',
      handle: withWatch(async (ctx, watch) => sendJson(ctx, 200, shownWatch(watch), clock.now())),
    },
    {
      method: 'DELETE',
      path: '/api/v1/watches/:id',
      handle: withWatch(async (ctx, { id, account }, { store }) => {
        await store.remove(account, id)
        sendJson(ctx, 200, { watch_id: id, removed: true }, clock.now())
      }),
    },
    {
      method: 'POST',
      path: '/api/v1/watches/:id/test',
      handle: withWatch(async (ctx, watch, { store, wake }) => {
        limitSends(watch)
        const delivery = testDelivery(watch, clock.now())
        await store.enqueue(delivery)
        wake()
        sendJson(ctx, 202, shownDelivery(delivery), clock.now())
      }),
    },
    {
      method: 'GET',
      path: '/api/v1/watches/:id/deliveries',
      handle: withWatch(async (ctx, { id }, { store }) => {
        const deliveries = await store.deliveries(id, DELIVERIES)
        sendJson(ctx, 200, { deliveries: deliveries.map(shownDelivery) }, clock.now())
      }),
    },
    {
      method: 'POST',
      path: '/api/v1/watches/:id/deliveries/:delivery/replay',
      handle: withWatch(async (ctx, watch, { store, wake }) => {
        const asked = parameter(ctx, 'delivery')
        const before = isDeliveryId(asked) ? await store.delivery(asked) : null
        if (before?.watch !== watch.id) throw new Problem('watch-not-found', 'No such delivery.')
        limitSends(watch)
        await store.replay(asked, clock.now())
        wake()
        const delivery = await store.delivery(asked)
        sendJson(ctx, 202, shownDelivery(delivery ?? before), clock.now())
      }),
    },
  ]
}

const parameter = (ctx: Context, name: string): string => String((ctx['params'] as Record<string, string>)[name])

const MEMBERS = ['target', 'every', 'notify', 'format'] as const
const OPTIONAL: ReadonlySet<string> = new Set(['every', 'format'])

/** `{"target": "example.com", "every": "6h", "notify": "https://…", "format": "json"}`. Throws a 400. */
function readWatch(body: string): AskedWatch {
  const refuse = (fault: string) => new Problem('invalid-body', fault)
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    throw refuse('The request body is not JSON.')
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
    throw refuse('The request body is not an object.')
  const given = parsed as Readonly<Record<string, unknown>>
  const other = Object.keys(given).find(name => !MEMBERS.some(one => one === name))
  if (other !== undefined) throw refuse(`The request body has an unknown member, ${printable(other, NAME_LENGTH)}.`)
  for (const name of MEMBERS) {
    const isMissing = given[name] === undefined && OPTIONAL.has(name)
    if (!isMissing && typeof given[name] !== 'string') throw refuse(`The member ${name} is missing or not a string.`)
  }
  return given as unknown as AskedWatch
}
