// Slots at each target over all instances. Keys take turns in one order that all instances share, and only Redis decides.
import { randomUUID } from 'node:crypto'
import { type LocalTargetShare, remembered_ms, SECOND_MS, type TargetShare } from '../target_share.ts'
import { type Run, script } from './link.ts'
import { isWhole } from './protocol.ts'

/** Milliseconds after which a silent check counts as ended: longer than any check, because only a dead instance is silent. */
const lease_ms = 10_000
/** Milliseconds between claims while another instance's checks leave no slot, or another key has its turn. */
const poll_ms = 50
/**
 * Milliseconds after its last claim that a key is skipped, because its instance is gone. A key that no longer waits at one
 * instance counts as silent at once but keeps its turn: another instance may still claim it.
 */
const silentMs = 5 * poll_ms
/** Maximum number of keys remembered at a target. */
const keys_max = 256

type Reply = readonly [key: string, wait_ms: number]

const isReply = (reply: unknown): boolean =>
  Array.isArray(reply) && reply.length === 2 && typeof reply[0] === 'string' && isWhole(reply[1])

/**
 * Sorted sets: `running` (token and key of a check, by the end of its lease), `begun` (the same, by its start), `asked` (key,
 * by its last request, in milliseconds), `order` (key, by its last turn or the start of its wait, in microseconds). Arguments:
 * token, at once, per second, `silent_ms`, "reserve" when the last slot is reserved, then each key and the number of checks it
 * waits for. The first keys in the order have their turn, as many as there are free slots. Returns the key that has its
 * turn and 0, or an empty text and the milliseconds to wait. A lease that is too long or a start in the future dates from
 * before the clock of Redis was set back.
 */
const claimScript = script<Reply>(
  `
local running, begun, asked, order = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local now_us = time[1] * 1000000 + time[2]
local function plain(number) return string.format('%.0f', number) end
local function take(key, checks)
  redis.call('ZADD', running, plain(now + ${lease_ms}), ARGV[1] .. ':' .. key)
  redis.call('ZADD', begun, plain(now), ARGV[1] .. ':' .. key)
  redis.call('PEXPIRE', running, ${lease_ms})
  redis.call('PEXPIRE', begun, ${SECOND_MS})
  redis.call('ZADD', order, plain(now_us + #ARGV + 1), key)
  redis.call('ZADD', asked, plain(checks == 1 and now - ARGV[4] - 1 or now), key)
  redis.call('PEXPIRE', asked, ${remembered_ms})
  redis.call('PEXPIRE', order, ${remembered_ms})
  return {key, 0}
end

-- Most targets are asked for by nobody else.
if #ARGV == 7 and tonumber(ARGV[2]) > 0 and redis.call('EXISTS', running, begun, asked, order) == 0 then
  return take(ARGV[6], tonumber(ARGV[7]))
end

redis.call('ZREMRANGEBYSCORE', running, '-inf', plain(now))
redis.call('ZREMRANGEBYSCORE', running, '(' .. plain(now + ${lease_ms}), '+inf')
redis.call('ZREMRANGEBYSCORE', begun, '-inf', plain(now - ${SECOND_MS}))
redis.call('ZREMRANGEBYSCORE', begun, '(' .. plain(now), '+inf')
redis.call('ZREMRANGEBYSCORE', asked, '-inf', plain(now - ${remembered_ms}))
redis.call('ZREMRANGEBYSCORE', asked, '(' .. plain(now), '+inf')
redis.call('ZREMRANGEBYSCORE', order, '(' .. plain(now_us + ${SECOND_MS} * 1000), '+inf')

local waiting = {}
for at = 6, #ARGV, 2 do
  waiting[ARGV[at]] = tonumber(ARGV[at + 1])
  redis.call('ZADD', asked, plain(now), ARGV[at])
  redis.call('ZADD', order, 'NX', plain(now_us + at), ARGV[at])
end
redis.call('ZREMRANGEBYRANK', asked, 0, -${keys_max + 1})
redis.call('PEXPIRE', asked, ${remembered_ms})
redis.call('PEXPIRE', order, ${remembered_ms})

local free = tonumber(ARGV[2]) - redis.call('ZCARD', running)
if free <= 0 then return {'', ${poll_ms}} end
if redis.call('ZCARD', begun) >= tonumber(ARGV[3]) then
  return {'', math.max(1, tonumber(redis.call('ZRANGE', begun, 0, 0, 'WITHSCORES')[2]) + ${SECOND_MS} - now)}
end

-- The last place is not given to a key that has another one, while other keys are remembered.
local holds = {}
if ARGV[5] == 'reserve' and free == 1 and tonumber(ARGV[2]) > 1 and redis.call('ZCARD', asked) > 1 then
  for _, member in ipairs(redis.call('ZRANGE', running, 0, -1)) do holds[string.match(member, ':(.*)$') or ''] = true end
end
for _, key in ipairs(redis.call('ZRANGE', order, 0, -1)) do
  local last = tonumber(redis.call('ZSCORE', asked, key) or nil)
  if not last then
    redis.call('ZREM', order, key)
  elseif now - last <= tonumber(ARGV[4]) and not holds[key] then
    if waiting[key] then return take(key, waiting[key]) end
    free = free - 1
    if free == 0 then return {'', ${poll_ms}} end
  end
end
return {'', ${poll_ms}}
`,
  isReply,
)

/** `local` keeps this instance within the limits even while Redis is down. */
export function createTargetShare(run: Run, local: LocalTargetShare, silent_ms = silentMs): TargetShare {
  return {
    async claim(target, waiting, limits) {
      // An instance without a free slot of its own still claims zero slots, so that its keys keep their turns.
      const at_once = local.fullFor(target, limits) === 0 ? limits.at_once : 0
      const token = randomUUID()
      const running = run.key('target-running', target)
      const keys = [running, ...['begun', 'asked', 'order'].map(part => run.key(`target-${part}`, target))]
      const end = (ended: Iterable<string>) => {
        const members = Array.from(ended, key => `${token}:${key}`)
        run(client => client.zRem(running, members)).catch(() => {})
      }
      const reserve = limits.reserves_last === false ? '' : 'reserve'
      const args = [token, `${at_once}`, `${limits.per_second}`, `${silent_ms}`, reserve]
      for (const [key, checks] of waiting) args.push(key, `${checks}`)
      const reply = await claimScript(run, keys, args).catch(() => null)
      if (reply === null) {
        // Redis may have executed it.
        end(waiting.keys())
        return local.claim(target, waiting, limits)
      }
      const [key, wait_ms] = reply
      if (!waiting.has(key))
        return { key: null, wait_ms: at_once === 0 ? local.fullFor(target, limits) : Math.max(1, wait_ms) }
      const leave = local.enter(target, key)
      return {
        key,
        leave() {
          leave()
          end([key])
        },
      }
    },
    withdraw(target, key) {
      const past = { score: -(silent_ms + 1), value: key }
      run(client => client.zAddIncr(run.key('target-asked', target), past, { condition: 'XX' })).catch(() => {})
    },
  }
}
