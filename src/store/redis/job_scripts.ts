// What changes jobs and their records in Redis: each script as a whole or not at all.
import { script } from './link.ts'
import { isTexts, isWhole } from './protocol.ts'

/** Value of a line whose record is shown, in the hash of lines; a hidden one has its kind, a space and its body there. */
const SHOWN = '.'

/**
 * Keys: job, targets, account's list, due, bytes. Arguments: id, created, next, bytes of the targets, most unfinished, most bytes,
 * targets, prefix of jobs, then the fields. Returns 1, or 0 for too many and -1 for too much.
 */
export const addScript = script<number>(
  `
local open = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  if redis.call('HGET', ARGV[8] .. ':' .. id, 'ended') == '' then open = open + 1 end
end
if open >= tonumber(ARGV[5]) then return 0 end
if (tonumber(redis.call('GET', KEYS[5])) or 0) + tonumber(ARGV[4]) > tonumber(ARGV[6]) then return -1 end
redis.call('HSET', KEYS[1], 'octets', ARGV[4], unpack(ARGV, 9))
redis.call('SET', KEYS[2], ARGV[7])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[1])
redis.call('INCRBY', KEYS[5], ARGV[4])
return 1
`,
  isWhole,
)

/** Keys: job, targets, lines, records, account's list, due, ended, bytes. Arguments: id. */
export const removeScript = script<number>(
  `
redis.call('ZREM', KEYS[6], ARGV[1])
redis.call('ZREM', KEYS[7], ARGV[1])
local had = redis.call('ZREM', KEYS[5], ARGV[1])
local size = tonumber(redis.call('HGET', KEYS[1], 'octets')) or 0
if redis.call('DEL', KEYS[1]) == 1 then redis.call('DECRBY', KEYS[8], size) end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
return had
`,
  isWhole,
)

/** Due jobs that are looked at for those of different accounts. */
const LOOKED_AT = 1_000

/** Keys: due. Arguments: now, limit, prefix of jobs. Returns the first due job of each account; one that is gone counts as one. */
export const dueScript = script<string[]>(
  `
local found, seen = {}, {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ${LOOKED_AT})) do
  local account = redis.call('HGET', ARGV[3] .. ':' .. id, 'account') or id
  if not seen[account] and #found < tonumber(ARGV[2]) then
    seen[account] = true
    found[#found + 1] = id
  end
end
return found
`,
  isTexts,
)

/** Keys: job, due, ended. Arguments: id, status, reason, next or nothing, ended or nothing, stalls. */
export const markScript = script<number>(
  `
if redis.call('HGET', KEYS[1], 'ended') ~= '' then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[2], 'reason', ARGV[3], 'next_at', ARGV[4], 'ended', ARGV[5], 'stalls', ARGV[6])
if ARGV[4] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1]) end
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1]) end
return 1
`,
  isWhole,
)

/** Keys: job, lines, bytes. Arguments: line, kind, body. */
export const hideScript = script<number>(
  `
if redis.call('HGET', KEYS[1], 'ended') ~= '' then return 0 end
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. ARGV[3]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], 'octets', #ARGV[3])
redis.call('INCRBY', KEYS[3], #ARGV[3])
return 1
`,
  isWhole,
)

/** Shows the hidden record of `line`. Of the caller: KEYS[1] job, KEYS[2] lines, KEYS[3] records. */
const show = `
local function show(line)
  local value = redis.call('HGET', KEYS[2], line)
  if not value or value == '${SHOWN}' then return end
  local kind, body = string.match(value, '^(%l+) (.*)$')
  redis.call('RPUSH', KEYS[3], body)
  redis.call('HSET', KEYS[2], line, '${SHOWN}')
  redis.call('HINCRBY', KEYS[1], kind, 1)
end
`

/** Keys: job, lines, records. Arguments: line. */
export const showScript = script<number>(
  `${show}
show(ARGV[1])
return 1
`,
  isWhole,
)

/** Keys: job, lines, records. Returns all lines. */
export const recoverScript = script<string[]>(
  `${show}
local lines = redis.call('HKEYS', KEYS[2])
for _, line in ipairs(lines) do show(line) end
return lines
`,
  reply => Array.isArray(reply) && reply.every(line => /^\d+$/.test(String(line))),
)

/** Keys: job, lines, bytes. Arguments: line. */
export const withdrawScript = script<number>(
  `
local value = redis.call('HGET', KEYS[2], ARGV[1])
if not value or value == '${SHOWN}' then return 0 end
local size = #string.match(value, '^%l+ (.*)$')
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[1], 'octets', -size)
redis.call('DECRBY', KEYS[3], size)
return 1
`,
  isWhole,
)
