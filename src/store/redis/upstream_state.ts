// Daily allowances and pauses of upstream sources, shared by all instances. Each instance decides from what it last read, at
// most a second ago.
import type { Clock } from '../../clock.ts'
import { createUpstreamState, dayOf, type UpstreamState } from '../../upstreams/state.ts'
import { type Run, script } from './link.ts'
import { fieldsOf, isTexts, isWhole } from './protocol.ts'

export interface SharedUpstreamState extends UpstreamState {
  /** Reports what this instance used and reads what the others used. Rejects when Redis does not reply. */
  exchange(run: Run): Promise<void>
}

/** Milliseconds that the sums of a day are kept: the day, and the difference of clocks. */
const sums_ms = 50 * 60 * 60 * 1000

const pausesKey = ({ key }: Run) => key('upstream-pauses')
const sumsKey = ({ key }: Run, day: string) => key('upstream-asked', day)

/** Keys: pauses. Arguments: source, milliseconds from now. Removes expired pauses. */
const pauseScript = script<number>(
  `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = math.max(now + tonumber(ARGV[2]), tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1])) or 0)
redis.call('ZADD', KEYS[1], string.format('%.0f', ends), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', tonumber(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])))
return 1
`,
  isWhole,
)

/** Keys: pauses. Returns sources and the remaining milliseconds of their pauses. */
const pausedScript = script<string[]>(
  `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = {}
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES', 'LIMIT', 0, 4000)
for i = 1, #found, 2 do
  left[i], left[i + 1] = found[i], string.format('%.0f', tonumber(found[i + 1]) - now)
end
return left
`,
  isTexts,
)

export function createSharedUpstreamState(clock: Clock): SharedUpstreamState {
  const own = createUpstreamState(clock)
  /** Requests of this instance that are not reported yet, and requests of all instances as last read, of one day. */
  let unreported = new Map<string, number>()
  let total = new Map<string, number>()
  let day = dayOf(clock.now())
  /** Pauses that are not reported yet; the latest of each source. */
  let unreportedPauses = new Map<string, number>()

  function startDay(): void {
    const today = dayOf(clock.now())
    if (today === day) return
    day = today
    unreported = new Map()
    total = new Map()
  }

  async function report(run: Run): Promise<void> {
    const reporting = unreported
    const sums = sumsKey(run, day)
    unreported = new Map()
    const reports = [...reporting].map(async ([source, count]) => {
      try {
        const sum = await run(client => client.hIncrBy(sums, source, count))
        total.set(source, Number(sum))
      } catch (fault) {
        // Reporting twice is better than not at all: an allowance must not be exceeded.
        unreported.set(source, (unreported.get(source) ?? 0) + count)
        throw fault
      }
    })
    await Promise.all(reports)
    if (reporting.size > 0) await run(client => client.pExpire(sums, sums_ms))
  }

  async function read(run: Run): Promise<void> {
    const [asked, left] = await Promise.all([
      run(async client => fieldsOf(await client.sendCommand(['HGETALL', sumsKey(run, day)]))),
      pausedScript(run, [pausesKey(run)], []),
    ])
    for (const [source, sum] of Object.entries(asked)) total.set(source, Number(sum))
    for (let i = 0; i + 1 < left.length; i += 2) own.pause(left[i] ?? '', Number(left[i + 1]))
  }

  return {
    isPaused: own.isPaused,
    pause(source, ms) {
      own.pause(source, ms)
      unreportedPauses.set(source, ms)
    },
    take(source, daily) {
      startDay()
      const here = unreported.get(source) ?? 0
      if ((total.get(source) ?? 0) + here >= daily) return false
      unreported.set(source, here + 1)
      return true
    },
    async exchange(run) {
      startDay()
      const pausing = unreportedPauses
      unreportedPauses = new Map()
      for (const [source, ms] of pausing) await pauseScript(run, [pausesKey(run)], [source, `${Math.round(ms)}`])
      await report(run)
      await read(run)
    },
  }
}
