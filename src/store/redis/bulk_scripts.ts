// The queue of bulk runs in Redis: what is stored, and each change of it as a whole or not at all.
import { script } from './link.ts'
import { isWhole } from './protocol.ts'

/**
 * Milliseconds that a job is kept after it was last asked for, taken or answered: long enough to continue an interrupted run. One that
 * is forgotten although a submitter waits is handed in again.
 */
export const KEPT_MS = 3_600_000
/** Bytes of answers that are kept although every submitter has them. Beyond that, the oldest are removed. */
const SPARE_BYTES = 64 * 1024 * 1024
/** Bytes of answers after which a reply ends; the next one continues. Well below the most bytes of a reply. */
const REPLY_BYTES = 1024 * 1024
/** Bytes of one answer, packed: several hundred times a usual one. With `REPLY_BYTES`, below the most bytes of a reply. */
export const ANSWER_BYTES = 2 * 1024 * 1024
/** Bytes of a target: that of the longest URL has less than half. */
const TARGET_BYTES = 8 * 1024
/** How many workers a job may outlive, so that a target that crashes every worker is given up. */
const MAX_STALLED = 3
/** Entries that one call removes or takes back. */
const SWEPT = 100

/**
 * A job is a hash: `target`, `shared` (whether others may have the answer when every submitter has it), `tries` that failed, `stalls`
 * of workers, `for:` and the ID of each submitter that waits, and once it has ended: `ended` (milliseconds), `life` (milliseconds that
 * others may use the answer), `policy` and `answer` (empty when no worker completed it). Sorted sets of IDs: `waiting` by the time from
 * which they may be taken, `running` by the end of the worker's lease, `spare` (every submitter has the answer) by their end;
 * `workers` by the end of their lease. `sizes` has the bytes of each spare answer, `state` the `bytes` of all of them, the time of
 * the last call (`now`), and the `policy` of the worker that called last.
 */
export const PARTS = ['waiting', 'running', 'spare', 'sizes', 'workers', 'state'] as const

/** Keys: as `PARTS`. Arguments: prefix of jobs, then those of the script. */
const common = `
local waiting, running, spare, sizes, workers, state = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function plain(number) return string.format('%.0f', number) end
local function job(id) return ARGV[1] .. ':' .. id end
local function isCount(text) return not text or (#text < 16 and string.find(text, '^%d+$') == 1) end
-- A job that is damaged counts as lost: its submitter hands it in again.
local function read(id)
  local fields = { 'target', 'ended', 'life', 'shared', 'tries', 'stalls', 'policy' }
  local found = redis.pcall('HMGET', job(id), unpack(fields))
  local is_other = found.err and string.find(found.err, 'WRONGTYPE') == 1
  if found.err and not is_other then found = redis.call('HMGET', job(id), unpack(fields)) end
  if is_other or not (isCount(found[2]) and isCount(found[3]) and isCount(found[5]) and isCount(found[6])) then
    redis.call('DEL', job(id))
    return {}
  end
  return {
    target = found[1],
    ended = tonumber(found[2]),
    life = tonumber(found[3]) or 0,
    shared = found[4] == '1',
    tries = tonumber(found[5]) or 0,
    policy = found[7],
  }
end
local function isAwaited(id)
  for _, field in ipairs(redis.call('HKEYS', job(id))) do
    if string.sub(field, 1, 4) == 'for:' then return true end
  end
  return false
end
local function unspare(id)
  redis.call('HINCRBY', state, 'bytes', plain(0 - (tonumber(redis.call('HGET', sizes, id)) or 0)))
  redis.call('HDEL', sizes, id)
  redis.call('ZREM', spare, id)
end
local function dropAnswer(id)
  unspare(id)
  redis.call('HDEL', job(id), 'answer', 'ended', 'life', 'policy', 'tries', 'stalls')
end
local function forget(id)
  unspare(id)
  redis.call('DEL', job(id))
end
local function release(id)
  local found = read(id)
  if not found.ended or isAwaited(id) then return end
  if found.life == 0 or not found.shared then return forget(id) end
  unspare(id)
  local size = redis.call('HSTRLEN', job(id), 'answer')
  redis.call('ZADD', spare, plain(found.ended), id)
  redis.call('HSET', sizes, id, size)
  redis.call('HINCRBY', state, 'bytes', size)
end
local function answer(id, body, life)
  local known = read(id)
  if not known.target or known.ended then return end
  redis.call('ZREM', waiting, id)
  redis.call('ZREM', running, id)
  redis.call('HSET', job(id), 'answer', body, 'ended', plain(now), 'life', plain(life), 'policy', redis.call('HGET', state, 'policy'))
  redis.call('PEXPIRE', job(id), ${KEPT_MS})
  release(id)
end
local function sweep()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', spare, '-inf', plain(now - ${KEPT_MS}), 'LIMIT', 0, ${SWEPT})) do forget(id) end
  for _ = 1, ${SWEPT} do
    if (tonumber(redis.call('HGET', state, 'bytes')) or 0) <= ${SPARE_BYTES} then break end
    local oldest = redis.call('ZRANGE', spare, 0, 0)[1]
    if not oldest then break end
    forget(oldest)
  end
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${KEPT_MS}) end
end
-- The clock of Redis may be set back, and that of a successor may be behind: what is due at a time moves along.
local latest = tonumber(redis.call('HGET', state, 'now')) or 0
if latest > now then
  for _, key in ipairs({ waiting, running, workers }) do
    local found = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for at = 1, #found, 2 do
      redis.call('ZADD', key, string.format('%.3f', found[at + 1] - (latest - now)), found[at])
    end
  end
end
redis.call('HSET', state, 'now', plain(now))
`

type SubmitReply = readonly [workers: number, unknown: readonly Buffer[], answers: readonly Buffer[]]

const isList = (reply: unknown): reply is readonly Buffer[] =>
  Array.isArray(reply) && reply.every(part => Buffer.isBuffer(part))

const isSubmitReply = (reply: unknown): boolean =>
  Array.isArray(reply) && isWhole(reply[0]) && isList(reply[1]) && isList(reply[2]) && reply[2].length % 2 === 0

/**
 * Arguments: submitter and a JSON object: `asks` (ID, target, milliseconds that an answer may be old, `shared`), `waits` (IDs) and
 * `done` (ID, and 1 if nobody else shall get the answer).
 * Returns the number of workers, the IDs of `waits` that are unknown, and IDs with their answers.
 */
export const submitScript = script<SubmitReply>(
  `${common}
local mine, sent = 'for:' .. ARGV[2], cjson.decode(ARGV[3])
for _, one in ipairs(sent.done) do
  local id, is_damaged = one[1], one[2] == 1
  if read(id).target then
    if is_damaged then redis.call('HDEL', job(id), 'life') end
    redis.call('HDEL', job(id), mine)
    release(id)
  end
end
local waits = sent.waits
for at, ask in ipairs(sent.asks) do
  local id, age = ask[1], ask[3]
  local known = read(id)
  -- One that was answered since this submitter asked is its own, however often it asks.
  if known.ended and redis.call('HEXISTS', job(id), mine) == 0 then
    local old = now - known.ended
    local is_same_policy = known.policy == redis.call('HGET', state, 'policy')
    if old < 0 or old > age or old >= known.life or not is_same_policy then
      dropAnswer(id)
      known.target = nil
    end
  end
  if not known.target then
    redis.call('HSET', job(id), 'target', ask[2])
    -- In the order in which they are asked.
    redis.call('ZADD', waiting, string.format('%.3f', now - 1 + (at % 1000) / 1000), id)
  end
  redis.call('HSET', job(id), mine, '', 'shared', ask[4])
  unspare(id)
  redis.call('PEXPIRE', job(id), ${KEPT_MS})
  waits[#waits + 1] = id
end
local unknown, answers, size = {}, {}, 0
for _, id in ipairs(waits) do
  local found = read(id)
  if not found.target then
    unknown[#unknown + 1] = id
  elseif found.ended and size < ${REPLY_BYTES} then
    local is_small = redis.call('HSTRLEN', job(id), 'answer') <= ${ANSWER_BYTES}
    local body = is_small and redis.call('HGET', job(id), 'answer') or 'damaged'
    size = size + #body
    answers[#answers + 1] = id
    answers[#answers + 1] = body
  end
end
sweep()
redis.call('ZREMRANGEBYSCORE', workers, '-inf', plain(now))
return { redis.call('ZCARD', workers), unknown, answers }
`,
  isSubmitReply,
)

type WorkReply = readonly Buffer[]

/**
 * Arguments: worker, a JSON object, then the answer of each job in `answered`. The object: `lease` (milliseconds), `policy`, `free`
 * (jobs to take), `running` (IDs), `answered` (ID, milliseconds that others may use the answer), `retried` (ID, tries that had failed
 * before, milliseconds to wait). Returns the ID, target and failed tries of each job taken.
 */
export const workScript = script<WorkReply>(
  `${common}
local sent = cjson.decode(ARGV[3])
local lease = plain(now + sent.lease)
redis.call('ZADD', workers, lease, ARGV[2])
redis.call('HSET', state, 'policy', sent.policy)
for at, one in ipairs(sent.answered) do answer(one[1], ARGV[at + 3], one[2]) end
for _, one in ipairs(sent.retried) do
  local known = read(one[1])
  -- Others mean that it has been counted.
  local is_next = known.target and not known.ended and known.tries == one[2]
  if is_next and redis.call('ZREM', running, one[1]) == 1 then
    redis.call('HINCRBY', job(one[1]), 'tries', 1)
    redis.call('ZADD', waiting, plain(now + one[3]), one[1])
  end
end
for _, id in ipairs(sent.running) do
  local known = read(id)
  if known.target and not known.ended then
    redis.call('ZREM', waiting, id)
    redis.call('ZADD', running, lease, id)
  end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', running, '-inf', plain(now), 'LIMIT', 0, ${SWEPT})) do
  redis.call('ZREM', running, id)
  if read(id).target then
    if redis.call('HINCRBY', job(id), 'stalls', 1) > ${MAX_STALLED} then answer(id, '', 0)
    else redis.call('ZADD', waiting, plain(now), id) end
  end
end
local taken, size = {}, 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', waiting, '-inf', plain(now), 'LIMIT', 0, sent.free)) do
  if size >= ${REPLY_BYTES} then break end
  redis.call('ZREM', waiting, id)
  local found = read(id)
  if found.target then
    redis.call('ZADD', running, lease, id)
    redis.call('PEXPIRE', job(id), ${KEPT_MS})
    local target = #found.target <= ${TARGET_BYTES} and found.target or 'damaged'
    size = size + #target
    for _, part in ipairs({ id, target, plain(found.tries) }) do taken[#taken + 1] = part end
  end
end
sweep()
return taken
`,
  reply => isList(reply) && reply.length % 3 === 0,
)
