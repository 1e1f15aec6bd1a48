// Watches and their deliveries in Redis, for all instances. Unlike other keys, watches do not expire.
import {
  type CheckedWatch,
  type Delivery,
  KEPT_DELIVERIES,
  type Outcome,
  type Watch,
  type WatchState,
  type WatchStore,
} from '../watches.ts'
import { type Run, script } from './link.ts'
import { fieldsOf, isWhole, redisKey, textsOf } from './protocol.ts'

export interface RedisWatchOptions {
  readonly run: Run
  /** Wall clock, in milliseconds. */
  readonly now: () => number
}

const watchKey = (id: string) => redisKey('watch', id)
/** IDs by creation. */
const ofAccount = (account: string) => redisKey('watches', account)
const deliveryKey = (id: string) => redisKey('watch-delivery', id)
/** IDs by creation. */
const deliveriesOf = (watch: string) => redisKey('watch-deliveries', watch)
/** IDs by the time at which something is due. */
const WATCHES_DUE = redisKey('watch-due')
const DELIVERIES_DUE = redisKey('watch-delivery-due')
const LEASE = redisKey('watch-lease')

/** Keys: watch, account's list, due. Arguments: id, created, next, most, terms, state. */
const addScript = script<number>(
  `
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'terms', ARGV[5], 'state', ARGV[6], 'next_at', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
return 1
`,
  isWhole,
)

/** Keys: watch, account's list, due, deliveries of the watch, due deliveries. Arguments: id, prefix of deliveries. */
const removeScript = script<number>(
  `
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[3], ARGV[1])
for _, id in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  redis.call('DEL', ARGV[2] .. ':' .. id)
  redis.call('ZREM', KEYS[5], id)
end
redis.call('DEL', KEYS[4])
return 1
`,
  isWhole,
)

/**
 * Adds a delivery and forgets the oldest settled ones. Of the caller: KEYS[3] delivery, KEYS[4] deliveries of the watch,
 * KEYS[5] due deliveries; ARGV[1] watch, ARGV[2] id, ARGV[3] created, ARGV[4] next, ARGV[5] start of what is kept,
 * ARGV[6] prefix of deliveries, then the fields from `first`.
 */
const putDelivery = (first: number) => `
redis.call('HSET', KEYS[3], unpack(ARGV, ${first}))
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[2])
redis.call('ZADD', KEYS[5], ARGV[4], ARGV[2])
local excess = redis.call('ZCARD', KEYS[4]) - ${KEPT_DELIVERIES.count}
for at, id in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  local score = tonumber(redis.call('ZSCORE', KEYS[4], id))
  if at > excess and score >= tonumber(ARGV[5]) then break end
  if not redis.call('ZSCORE', KEYS[5], id) then
    redis.call('DEL', ARGV[6] .. ':' .. id)
    redis.call('ZREM', KEYS[4], id)
  end
end
`

/** Keys: watch, due, then as for `putDelivery`. Arguments: as there to the sixth, due before, state, next check, then the fields. */
const checkedScript = script<number>(
  `
if redis.call('HGET', KEYS[1], 'next_at') ~= ARGV[7] then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[8], 'next_at', ARGV[9])
redis.call('ZADD', KEYS[2], ARGV[9], ARGV[1])
if #ARGV > 9 then
${putDelivery(10)}
end
return 1
`,
  isWhole,
)

/** Keys: watch, then as for `putDelivery` (the second is unused). Arguments: as there. */
const enqueueScript = script<number>(
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
${putDelivery(7)}
return 1
`,
  isWhole,
)

/** Keys: watch, due. Arguments: id, reason as JSON. */
const stopScript = script<number>(
  `
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 0 end
local changed = string.gsub(state, '"stopped":null', '"stopped":' .. ARGV[2])
redis.call('HSET', KEYS[1], 'state', changed, 'next_at', '')
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`,
  isWhole,
)

/** Keys: delivery, due. Arguments: id, attempt, until. */
const claimScript = script<number>(
  `
local row = redis.call('HMGET', KEYS[1], 'attempt', 'state')
if row[1] ~= ARGV[2] or row[2] ~= 'pending' then return 0 end
redis.call('HSET', KEYS[1], 'attempt', tonumber(ARGV[2]) + 1, 'next_at', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
`,
  isWhole,
)

/** Keys: delivery, due. Arguments: id, attempt, state, failed, next or nothing, last. */
const settleScript = script<number>(
  `
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[3], 'failed', ARGV[4], 'next_at', ARGV[5], 'last', ARGV[6])
if ARGV[5] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1]) end
return 1
`,
  isWhole,
)

/** Keys: delivery, due. Arguments: id, now. */
const replayScript = script<number>(
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'pending', 'failed', '0', 'next_at', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1
`,
  isWhole,
)

/** Keys: lease. Arguments: holder, milliseconds. Returns 0 when it is held, otherwise the milliseconds that another one has left. */
const leaseScript = script<number>(
  `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return math.max(1, redis.call('PTTL', KEYS[1])) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
`,
  isWhole,
)

/** Keys: lease. Arguments: holder. */
const releaseScript = script<number>(
  `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`,
  isWhole,
)

export function createRedisWatches({ run, now }: RedisWatchOptions): WatchStore {
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
    return { ...JSON.parse(terms), state: JSON.parse(state) as WatchState, next_at: numberOrNull(next_at) }
  }

  async function delivery(id: string): Promise<Delivery | null> {
    const { event, ...fields } = await row(deliveryKey(id))
    const { watch, account, type, state, last } = fields
    if (event === undefined || watch === undefined || account === undefined) return null
    return {
      ...{ id, watch, account, event, type: type as Delivery['type'], state: state as Delivery['state'] },
      created: Number(fields['created']),
      attempt: Number(fields['attempt']),
      failed: Number(fields['failed']),
      next_at: numberOrNull(fields['next_at']),
      last: last ? JSON.parse(last) : null,
    }
  }

  const earliest = async (key: string): Promise<number | null> => {
    const [, score] = await ids('ZRANGE', key, '0', '0', 'WITHSCORES')
    return score === undefined ? null : Number(score)
  }
  const due = (key: string, at: number, limit: number) =>
    ids('ZRANGEBYSCORE', key, '-inf', `${at}`, 'LIMIT', '0', `${limit}`)
  /** An index may name a row that Redis has evicted, which would be due for ever. */
  const orForget =
    <T>(index: string, read: (id: string) => Promise<T | null>) =>
    async (id: string): Promise<T | null> => {
      const found = await read(id)
      if (found === null) await run(client => client.zRem(index, id))
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
    redisKey('watch-delivery'),
  ]

  return {
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
      return (await removeScript(run, keys, [id, redisKey('watch-delivery')])) === 1
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
    async lease(holder, ms) {
      const left = await leaseScript(run, [LEASE], [holder, `${ms}`])
      return left === 0 ? { held: true, until: now() + ms } : { held: false, until: now() + left }
    },
    async release(holder) {
      await releaseScript(run, [LEASE], [holder])
    },
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
