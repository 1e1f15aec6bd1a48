// What changes watches and their deliveries in Redis: each script as a whole or not at all.
import { KEPT_DELIVERIES } from '../watches.ts'
import { script } from './link.ts'
import { isWhole } from './protocol.ts'

/** Keys: watch, account's list, due. Arguments: id, created, next, most, terms, state. */
export const addScript = script<number>(
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
export const removeScript = script<number>(
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
export const checkedScript = script<number>(
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
export const enqueueScript = script<number>(
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
${putDelivery(7)}
return 1
`,
  isWhole,
)

/** Keys: watch, due. Arguments: id, reason as JSON. */
export const stopScript = script<number>(
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
export const claimScript = script<number>(
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
export const settleScript = script<number>(
  `
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[3], 'failed', ARGV[4], 'next_at', ARGV[5], 'last', ARGV[6])
if ARGV[5] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1]) end
return 1
`,
  isWhole,
)

/** Keys: delivery, due. Arguments: id, now. */
export const replayScript = script<number>(
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'pending', 'failed', '0', 'next_at', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1
`,
  isWhole,
)
