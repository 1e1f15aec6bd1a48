// The lease of a sole runner as a key that expires.
import type { Leased } from '../../sole_runner.ts'
import { type Run, script } from './link.ts'
import { isWhole } from './protocol.ts'

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

export const createLease = (run: Run, now: () => number, key: string): Pick<Leased, 'lease' | 'release'> => ({
  async lease(holder, ms) {
    const left = await leaseScript(run, [key], [holder, `${ms}`])
    return left === 0 ? { held: true, until: now() + ms } : { held: false, until: now() + left }
  },
  async release(holder) {
    await releaseScript(run, [key], [holder])
  },
})
