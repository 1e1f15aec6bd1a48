// Allowances and pauses of upstream sources, shared by all instances: each answers from what it last heard, a second old at most.
import type { Clock } from '../../clock.ts'
import { createLocalBoard, dayOf, type UpstreamBoard } from '../../evidence/upstream_board.ts'
import type { Run } from './link.ts'
import { redisKey } from './names.ts'
import { fieldsOf, isTexts, isWhole } from './reply.ts'
import { script } from './script.ts'

export interface SharedBoard extends UpstreamBoard {
  /** Tells what was asked here and hears what was asked elsewhere; rejects when Redis does not answer. */
  exchange(run: Run): Promise<void>
}

/** Milliseconds that a day's sums are kept: the day, and clocks that differ. */
const sums_ms = 50 * 60 * 60 * 1000

const pauses = redisKey('upstream-pauses')
const sumsOf = (day: string) => redisKey('upstream-asked', day)

/** Keys: pauses. Arguments: source, milliseconds from now. Those that are over go. */
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

/** Keys: pauses. Yields sources and the milliseconds each is still to be left alone. */
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

export function createSharedBoard(clock: Clock): SharedBoard {
  const own = createLocalBoard(clock)
  /** Asked here and not told yet, and asked by all as last heard; of one day. */
  let untold = new Map<string, number>()
  let heard = new Map<string, number>()
  let day = dayOf(clock.now())
  let unsaid: [source: string, ms: number][] = []

  function turn(): void {
    const today = dayOf(clock.now())
    if (today === day) return
    day = today
    untold = new Map()
    heard = new Map()
  }

  async function tell(run: Run): Promise<void> {
    const telling = untold
    const sums = sumsOf(day)
    untold = new Map()
    for (const [source, count] of telling) {
      try {
        const sum = await run(client => client.hIncrBy(sums, source, count))
        heard.set(source, Number(sum))
      } catch (fault) {
        // Told twice rather than not at all: an allowance is a courtesy to be kept.
        untold.set(source, (untold.get(source) ?? 0) + count)
        throw fault
      }
    }
    if (telling.size > 0) await run(client => client.pExpire(sums, sums_ms))
  }

  async function hear(run: Run): Promise<void> {
    const asked = await run(async client => fieldsOf(await client.sendCommand(['HGETALL', sumsOf(day)])))
    for (const [source, sum] of Object.entries(asked)) heard.set(source, Number(sum))
    const left = await pausedScript(run, [pauses], [])
    for (let i = 0; i + 1 < left.length; i += 2) own.pause(left[i] ?? '', Number(left[i + 1]))
  }

  return {
    isPaused: own.isPaused,
    pause(source, ms) {
      own.pause(source, ms)
      unsaid.push([source, ms])
    },
    take(source, daily) {
      turn()
      const here = untold.get(source) ?? 0
      if ((heard.get(source) ?? 0) + here >= daily) return false
      untold.set(source, here + 1)
      return true
    },
    async exchange(run) {
      turn()
      const saying = unsaid
      unsaid = []
      for (const [source, ms] of saying) await pauseScript(run, [pauses], [source, `${Math.round(ms)}`])
      await tell(run)
      await hear(run)
    },
  }
}
