// Watches and their deliveries in Redis, for all instances. Unlike other keys, watches do not expire.
import {
  type CheckedWatch,
  type Delivery,
  FARTHEST_MS,
  KEPT_DELIVERIES,
  type Outcome,
  readDelivery,
  readWatch,
  type Watch,
  type WatchStore,
} from '../watches.ts'
import { createLease } from './lease.ts'
import type { Run } from './link.ts'
import { fieldsOf, textsOf } from './protocol.ts'
import {
  addScript,
  checkedScript,
  claimScript,
  enqueueScript,
  removeScript,
  replayScript,
  settleScript,
  stopScript,
} from './watch_scripts.ts'

export interface RedisWatchOptions {
  readonly run: Run
  /** Wall clock, in milliseconds. */
  readonly now: () => number
  /** Called when a row is gone or cannot be read, and is not run any more. */
  readonly unreadable?: () => void
}

export function createRedisWatches({ run, now, unreadable = () => {} }: RedisWatchOptions): WatchStore {
  const watchKey = (id: string) => run.key('watch', id)
  /** IDs by creation. */
  const ofAccount = (account: string) => run.key('watches', account)
  const deliveryKey = (id: string) => run.key('watch-delivery', id)
  /** IDs by creation. */
  const deliveriesOf = (watch: string) => run.key('watch-deliveries', watch)
  /** IDs by the time at which something is due. */
  const WATCHES_DUE = run.key('watch-due')
  const DELIVERIES_DUE = run.key('watch-delivery-due')
  const LEASE = run.key('watch-lease')
  const row = async (key: string) => fieldsOf(await run(client => client.sendCommand(['HGETALL', key])))
  const ids = async (...command: string[]) => textsOf(await run(client => client.sendCommand(command)))
  /** Rows that are gone are left out. */
  async function rows<T>(found: readonly string[], read: (id: string) => Promise<T | null>): Promise<readonly T[]> {
    const all = await Promise.all(found.map(read))
    return all.filter(one => one !== null)
  }

  async function get(id: string): Promise<Watch | null> {
    const { terms, state, next_at } = await row(watchKey(id))
    if (terms === undefined || state === undefined) return null
    return readWatch(terms, state, numberOrNull(next_at))
  }

  async function delivery(id: string): Promise<Delivery | null> {
    const { event, ...fields } = await row(deliveryKey(id))
    const { watch, account, type, state, last } = fields
    if (event === undefined || watch === undefined || account === undefined) return null
    return readDelivery({
      ...{ id, watch, account, event, type: type as Delivery['type'], state: state as Delivery['state'] },
      created: Number(fields['created']),
      attempt: Number(fields['attempt']),
      failed: Number(fields['failed']),
      next_at: numberOrNull(fields['next_at']),
      last: last ? last : null,
    })
  }

  const timeAt = async (key: string, place: number): Promise<number | null> => {
    const [, score] = await ids('ZRANGE', key, `${place}`, `${place}`, 'WITHSCORES')
    return score === undefined ? null : Number(score)
  }
  /** What is planned beyond the farthest time is due too. */
  const earliest = async (key: string): Promise<number | null> => {
    const [first, last] = await Promise.all([timeAt(key, 0), timeAt(key, -1)])
    return last !== null && last > now() + FARTHEST_MS ? Math.min(first ?? last, now()) : first
  }
  async function due(key: string, at: number, limit: number): Promise<readonly string[]> {
    const few = ['LIMIT', '0', `${limit}`]
    const found = await ids('ZRANGEBYSCORE', key, '-inf', `${at}`, ...few)
    if (found.length === limit) return found
    return [...found, ...(await ids('ZRANGEBYSCORE', key, `(${at + FARTHEST_MS}`, '+inf', ...few))].slice(0, limit)
  }
  /** An index may name a row that Redis has evicted or that cannot be read, which would be due for ever. */
  const orForget =
    <T>(index: string, read: (id: string) => Promise<T | null>) =>
    async (id: string): Promise<T | null> => {
      const found = await read(id)
      // One that was removed meanwhile is no longer in the index either.
      if (found === null && (await run(client => client.zRem(index, id))) === 1) unreadable()
      return found
    }
  const deliveryKeys = ({ id, watch }: Pick<Delivery, 'id' | 'watch'>) => [
    deliveryKey(id),
    deliveriesOf(watch),
    DELIVERIES_DUE,
  ]
  const deliveryArguments = (watch: string, delivery: Delivery | null) => [
    watch,
    delivery?.id ?? '',
    `${delivery?.created ?? 0}`,
    `${delivery?.next_at ?? ''}`,
    `${now() - KEPT_DELIVERIES.ms}`,
    run.key('watch-delivery'),
  ]

  return {
    ...createLease(run, now, LEASE),
    async add({ state, next_at, ...terms }, most) {
      const { id, account, created } = terms
      const keys = [watchKey(id), ofAccount(account), WATCHES_DUE]
      const values = [id, `${created}`, `${next_at}`, `${most}`, JSON.stringify(terms), JSON.stringify(state)]
      return (await addScript(run, keys, values)) === 1
    },
    list: async account => rows(await ids('ZRANGE', ofAccount(account), '0', '-1'), get),
    get,
    async remove(account, id) {
      const keys = [watchKey(id), ofAccount(account), WATCHES_DUE, deliveriesOf(id), DELIVERIES_DUE]
      return (await removeScript(run, keys, [id, run.key('watch-delivery')])) === 1
    },
    async nextDue() {
      const times = await Promise.all([earliest(WATCHES_DUE), earliest(DELIVERIES_DUE)])
      const known = times.filter(time => time !== null)
      return known.length === 0 ? null : Math.min(...known)
    },
    dueWatches: async (at, limit) => rows(await due(WATCHES_DUE, at, limit), orForget(WATCHES_DUE, get)),
    dueDeliveries: async (at, limit) => rows(await due(DELIVERIES_DUE, at, limit), orForget(DELIVERIES_DUE, delivery)),
    async checked(id, before, { state, next_at, delivery }: CheckedWatch) {
      const keys = [watchKey(id), WATCHES_DUE, ...deliveryKeys({ id: delivery?.id ?? '', watch: id })]
      const values = [...deliveryArguments(id, delivery), `${before}`, JSON.stringify(state), `${next_at}`]
      return (await checkedScript(run, keys, [...values, ...(delivery === null ? [] : toFields(delivery))])) === 1
    },
    async stop(id, why) {
      await stopScript(run, [watchKey(id), WATCHES_DUE], [id, JSON.stringify(why)])
    },
    async enqueue(delivery) {
      const keys = [watchKey(delivery.watch), WATCHES_DUE, ...deliveryKeys(delivery)]
      await enqueueScript(run, keys, [...deliveryArguments(delivery.watch, delivery), ...toFields(delivery)])
    },
    claim: async (id, attempt, until) =>
      (await claimScript(run, [deliveryKey(id), DELIVERIES_DUE], [id, `${attempt}`, `${until}`])) === 1,
    async settle(id, attempt, { state, failed, next_at, last }: Outcome) {
      const values = [id, `${attempt}`, state, `${failed}`, `${next_at ?? ''}`, JSON.stringify(last)]
      await settleScript(run, [deliveryKey(id), DELIVERIES_DUE], values)
    },
    deliveries: async (watch, limit) =>
      rows(await ids('ZREVRANGE', deliveriesOf(watch), '0', `${limit - 1}`), delivery),
    delivery,
    replay: async (id, at) => (await replayScript(run, [deliveryKey(id), DELIVERIES_DUE], [id, `${at}`])) === 1,
    // The store closes the link.
    async close() {},
  }
}

const numberOrNull = (text: string | undefined): number | null =>
  text === undefined || text === '' ? null : Number(text)

const toFields = ({ last, next_at, ...fields }: Delivery): string[] =>
  Object.entries({ ...fields, next_at: next_at ?? '', last: last === null ? '' : JSON.stringify(last) }).flatMap(
    ([name, value]) => [name, `${value}`],
  )
