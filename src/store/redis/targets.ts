// Checks of each target over all instances: two sorted sets, of those that run and of those that began within a second.
import { randomUUID } from 'node:crypto'
import type { TargetShare } from '../target_share.ts'
import type { Run } from './link.ts'
import { redisKey } from './names.ts'
import { isWhole } from './reply.ts'
import { script } from './script.ts'

/** Milliseconds after which a check that was never heard of again has ended: longer than any takes, since only a dead instance is silent. */
const lease_ms = 10_000
const SECOND_MS = 1_000

/**
 * Keys: running, begun. Arguments: token, at once, per second. Yields the milliseconds to wait. What ends later than any
 * can, or began in the future, is of before Redis' clock was set back.
 */
const enterScript = script<number>(
  `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function plain(number) return string.format('%.0f', number) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', plain(now))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. plain(now + ${lease_ms}), '+inf')
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', plain(now - ${SECOND_MS}))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '(' .. plain(now), '+inf')
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return ${SECOND_MS} end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then
  return math.max(1, tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]) + ${SECOND_MS} - now)
end
redis.call('ZADD', KEYS[1], plain(now + ${lease_ms}), ARGV[1])
redis.call('ZADD', KEYS[2], plain(now), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ${lease_ms})
redis.call('PEXPIRE', KEYS[2], ${SECOND_MS})
return 0
`,
  isWhole,
)

export function createTargetShare(run: Run): TargetShare {
  return {
    async enter(target, { at_once, per_second }) {
      const token = randomUUID()
      const running = redisKey('target-running', target)
      const keys = [running, redisKey('target-begun', target)]
      // Without Redis each instance keeps to the limits alone.
      const wait_ms = await enterScript(run, keys, [token, `${at_once}`, `${per_second}`]).catch(() => 0)
      return { wait_ms, leave: () => void run(client => client.zRem(running, token)).catch(() => {}) }
    },
  }
}
