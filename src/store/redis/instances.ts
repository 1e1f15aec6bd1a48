// The instances that use this Redis now: how many share what may be answered while it is down.
import { type Run, script } from './link.ts'
import { isWhole } from './protocol.ts'

/** Milliseconds after which a silent instance no longer counts: a few of its signs of life. */
const silent_ms = 5_000

const instancesKey = ({ key }: Run) => key('instances')

/** Keys: instances by the end of their lease. Arguments: own id. Returns how many there are. A longer lease dates from before the clock of Redis was set back. */
const beatScript = script<number>(
  `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now + ${silent_ms}), '+inf')
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ${silent_ms}), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ${silent_ms})
return redis.call('ZCARD', KEYS[1])
`,
  isWhole,
)

export interface Instances {
  /** As Redis last said; at least this one. */
  readonly count: number
  /** A sign of life. */
  beat(run: Run): Promise<void>
  leave(run: Run): Promise<void>
}

export function createInstances(own: string): Instances {
  let count = 1
  return {
    get count() {
      return count
    },
    async beat(run) {
      count = Math.max(1, await beatScript(run, [instancesKey(run)], [own]))
    },
    async leave(run) {
      await run(client => client.zRem(instancesKey(run), own))
    },
  }
}
