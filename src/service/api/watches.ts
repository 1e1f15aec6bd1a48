// Watches over HTTP: an account's watches, their test events, and the deliveries of each.
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import type { Watches } from '../../store/sql/watches.ts'
import { isDeliveryId, isWatchId, type Watch } from '../../store/watches.ts'
import type { Vetting } from '../../targets/target.ts'
import { closed } from '../shapes.ts'
import { testDelivery } from '../watch/check.ts'
import { WatchEvent } from '../watch/event.ts'
import {
  AskedSilence,
  AskedWatch,
  AskedWatches,
  CreatedWatch,
  newWatch,
  ShownDelivery,
  ShownWatch,
  shownDelivery,
  shownWatch,
  type TermsOptions,
} from '../watch/terms.ts'
import type { Callers } from './callers.ts'
import { pathParameter, readBody } from './input.ts'
import { createRateLimit, rateLimited } from './limits.ts'
import { orUnavailable, Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { sendAnswer } from './respond.ts'
import type { Handlers, Operations } from './routes.ts'

/** The watches of this installation. */
export interface Watching {
  readonly store: Watches
  /** Something is due. */
  wake(): void
  readonly webhooks: TermsOptions['webhooks']
  readonly mail: TermsOptions['mail']
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

/** Bytes of a request: two URLs of the greatest length, or a hundred names and a URL, and the rest. */
const BODY_OCTETS = 8 * 1024
const BODIES_OCTETS = 40 * 1024
/** Longest time that a matter is silenced: whoever wants more wants another watch. */
const LONGEST_SILENCE_MS = 366 * 86_400_000
/** Tests and replays of one watch in a minute, so that nobody floods a stranger's server through this one. */
const SENDS = { most: 10, within_ms: 60_000 } as const
/** Characters of a target in a message. */
const TARGET_LENGTH = 80
/** Deliveries of one response. */
const DELIVERIES = 100

export const watchSchemas = {
  Watch: ShownWatch,
  CreatedWatch,
  CreatedWatches: Type.Object(
    { watches: Type.Array(CreatedWatch, { description: 'In the order of the targets.' }) },
    closed,
  ),
  Watches: Type.Object(
    {
      watches: Type.Array(ShownWatch, { description: 'Oldest first.' }),
      limit: Type.Integer({ description: 'Watches that an account may have.' }),
    },
    closed,
  ),
  RemovedWatch: Type.Object({ watch_id: Type.String(), removed: Type.Literal(true) }, closed),
  WatchEvent,
  Delivery: ShownDelivery,
  Deliveries: Type.Object({ deliveries: Type.Array(ShownDelivery, { description: 'Latest first.' }) }, closed),
} as const

const id = Type.String({ description: '`watch_id` of the watch.' })
const params = Type.Object({ id })
const DELIVERY_BEGUN = { status: 202, description: 'The delivery, which has begun.', schema: ShownDelivery } as const
const STORE_PROBLEMS = ['watches-disabled', 'watches-unavailable'] as const
const MISSING = ['watch-not-found', ...STORE_PROBLEMS] as const

export const watchOperations = {
  listWatches: {
    method: 'GET',
    path: '/api/v1/watches',
    summary: 'List the watches of the account',
    description: 'Oldest first.',
    answer: { status: 200, description: 'The watches.', schema: watchSchemas.Watches },
    problems: STORE_PROBLEMS,
  },
  createWatch: {
    method: 'POST',
    path: '/api/v1/watches',
    body_octets: BODY_OCTETS,
    summary: 'Watch a target',
    description:
      'Checks the target regularly, and sends a webhook or an e-mail when something important changes. Each check counts against the quota. Webhooks are signed by the Standard Webhooks scheme.',
    body: AskedWatch,
    answer: {
      status: 201,
      description: 'The watch, with the secret that signs its webhooks.',
      schema: CreatedWatch,
    },
    problems: ['invalid-body', 'watch-limit', ...STORE_PROBLEMS],
  },
  createWatches: {
    method: 'POST',
    path: '/api/v1/watches/many',
    body_octets: BODIES_OCTETS,
    summary: 'Watch several targets',
    description: 'Creates the same watch for up to 100 targets; if one is invalid, it creates none.',
    body: AskedWatches,
    answer: { status: 201, description: 'The watches, each with its secret.', schema: watchSchemas.CreatedWatches },
    problems: ['invalid-body', 'watch-limit', ...STORE_PROBLEMS],
  },
  silenceWatch: {
    method: 'POST',
    path: '/api/v1/watches/:id/silences',
    body_octets: BODY_OCTETS,
    summary: 'Silence a kind of change until a date',
    description: 'Changes in the meantime are not reported later, either.',
    params,
    body: AskedSilence,
    answer: { status: 200, description: 'The watch.', schema: ShownWatch },
    problems: ['invalid-body', ...MISSING],
  },
  getWatch: {
    method: 'GET',
    path: '/api/v1/watches/:id',
    summary: 'Get a watch',
    description: 'With its last result.',
    params,
    answer: { status: 200, description: 'The watch.', schema: ShownWatch },
    problems: MISSING,
  },
  removeWatch: {
    method: 'DELETE',
    path: '/api/v1/watches/:id',
    summary: 'Remove a watch',
    description: 'Events that are not delivered yet are dropped.',
    params,
    answer: { status: 200, description: 'The watch is removed.', schema: watchSchemas.RemovedWatch },
    problems: MISSING,
  },
  testWatch: {
    method: 'POST',
    path: '/api/v1/watches/:id/test',
    summary: 'Send a test event',
    description: 'Sent once, at once. The list of deliveries has its outcome.',
    params,
    answer: DELIVERY_BEGUN,
    problems: MISSING,
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/watches/:id/deliveries',
    summary: 'List the deliveries of a watch',
    description: 'The last 100 events of the last 30 days, and those still to be delivered.',
    params,
    answer: { status: 200, description: 'The deliveries.', schema: watchSchemas.Deliveries },
    problems: MISSING,
  },
  replayDelivery: {
    method: 'POST',
    path: '/api/v1/watches/:id/deliveries/:delivery/replay',
    summary: 'Deliver an event again',
    description: 'With the same `webhook-id` and a higher `webhook-attempt`; tried again like a new one.',
    params: Type.Object({ id, delivery: Type.String({ description: '`delivery_id` of the delivery.' }) }),
    answer: DELIVERY_BEGUN,
    problems: MISSING,
  },
} as const satisfies Operations

export function watchHandlers({
  callers,
  watching,
  vetting,
  clock,
}: WatchRoutesOptions): Handlers<typeof watchOperations> {
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
  const withWatch = (work: WatchWork) =>
    withKey(async (ctx, { account }, watching) => {
      const id = pathParameter(ctx, 'id')
      const watch = isWatchId(id) ? await watching.store.get(id) : null
      if (watch === null || watch.account !== account) throw new Problem('watch-not-found')
      await work(ctx, watch, watching)
    })

  return {
    listWatches: withKey(async (ctx, { account }, { store, most }) => {
      const watches = await store.list(account)
      const list = { watches: watches.map(shownWatch), limit: most }
      sendAnswer(ctx, watchOperations.listWatches.answer, list, clock.now())
    }),
    createWatch: withKey(async (ctx, owner, { store, wake, webhooks, mail, most, least_ms }) => {
      const terms = await readBody(ctx, watchOperations.createWatch)
      const creation = newWatch(terms, owner, { vetting, webhooks, mail, least_ms, now: clock.now() })
      if (!creation.ok) throw new Problem('invalid-body', creation.fault)
      const { watch } = creation
      if (!(await store.add(watch, most)))
        throw new Problem('watch-limit', `The account has ${most} watches, which is the limit. Remove one first.`)
      wake()
      const answer = { ...shownWatch(watch), secret: watch.secret }
      sendAnswer(ctx, watchOperations.createWatch.answer, answer, clock.now())
    }),
    createWatches: withKey(async (ctx, owner, { store, wake, webhooks, mail, most, least_ms }) => {
      const { targets, ...terms } = await readBody(ctx, watchOperations.createWatches)
      const options = { vetting, webhooks, mail, least_ms, now: clock.now() }
      const watches = newWatches(targets, terms, owner, options)
      const before = await store.list(owner.account)
      for (const [at, watch] of watches.entries()) {
        if (before.length + watches.length <= most && (await store.add(watch, most))) continue
        // Another request took the room meanwhile.
        for (const { id, account } of watches.slice(0, at)) await store.remove(account, id)
        const room = Math.max(0, most - before.length)
        throw new Problem('watch-limit', `The account may have ${most} watches and can add ${room} more.`)
      }
      wake()
      const answer = { watches: watches.map(watch => ({ ...shownWatch(watch), secret: watch.secret })) }
      sendAnswer(ctx, watchOperations.createWatches.answer, answer, clock.now())
    }),
    silenceWatch: withWatch(async (ctx, { id }, { store }) => {
      const { matter, until } = await readBody(ctx, watchOperations.silenceWatch)
      const at = until === null ? null : Date.parse(until)
      const now = clock.now()
      if (at !== null && !(at > now && at - now <= LONGEST_SILENCE_MS))
        throw new Problem('invalid-body', 'The member until must be within the next year.')
      await store.silence(id, matter, at)
      const watch = await store.get(id)
      if (watch === null) throw new Problem('watch-not-found')
      sendAnswer(ctx, watchOperations.silenceWatch.answer, shownWatch(watch), now)
    }),
    getWatch: withWatch(async (ctx, watch) =>
      sendAnswer(ctx, watchOperations.getWatch.answer, shownWatch(watch), clock.now()),
    ),
    removeWatch: withWatch(async (ctx, { id, account }, { store }) => {
      await store.remove(account, id)
      sendAnswer(ctx, watchOperations.removeWatch.answer, { watch_id: id, removed: true }, clock.now())
    }),
    ...deliveryHandlers(withWatch, clock),
  }
}

function newWatches(
  targets: readonly string[],
  terms: Omit<Parameters<typeof newWatch>[0], 'target'>,
  ...context: [owner: Parameters<typeof newWatch>[1], options: Parameters<typeof newWatch>[2]]
): Watch[] {
  return [...new Set(targets)].map(target => {
    const creation = newWatch({ target, ...terms }, ...context)
    if (!creation.ok) throw new Problem('invalid-body', `${printable(target, TARGET_LENGTH)}: ${creation.fault}`)
    return creation.watch
  })
}

type WatchWork = (ctx: Context, watch: Watch, watching: Watching) => Promise<void>

/** `withWatch` runs the work with the watch of the path. */
function deliveryHandlers(
  withWatch: (work: WatchWork) => (ctx: Context) => Promise<void>,
  clock: Clock,
): Pick<Handlers<typeof watchOperations>, 'testWatch' | 'listDeliveries' | 'replayDelivery'> {
  const sends = createRateLimit(SENDS.most, SENDS.within_ms, clock.monotonic)
  const limitSends = ({ id }: Watch) => {
    const wait = sends.take(id)
    if (wait > 0) throw rateLimited(wait)
  }

  return {
    testWatch: withWatch(async (ctx, watch, { store, wake }) => {
      limitSends(watch)
      const delivery = testDelivery(watch, clock.now())
      await store.enqueue(delivery)
      wake()
      sendAnswer(ctx, DELIVERY_BEGUN, shownDelivery(delivery), clock.now())
    }),
    listDeliveries: withWatch(async (ctx, { id }, { store }) => {
      const deliveries = await store.deliveries(id, DELIVERIES)
      const list = { deliveries: deliveries.map(shownDelivery) }
      sendAnswer(ctx, watchOperations.listDeliveries.answer, list, clock.now())
    }),
    replayDelivery: withWatch(async (ctx, watch, { store, wake }) => {
      const deliveryId = pathParameter(ctx, 'delivery')
      const before = isDeliveryId(deliveryId) ? await store.delivery(deliveryId) : null
      if (before?.watch !== watch.id) throw new Problem('watch-not-found', 'No such delivery.')
      limitSends(watch)
      await store.replay(deliveryId, clock.now())
      wake()
      const delivery = await store.delivery(deliveryId)
      sendAnswer(ctx, DELIVERY_BEGUN, shownDelivery(delivery ?? before), clock.now())
    }),
  }
}
