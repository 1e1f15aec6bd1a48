// The quota rule in Lua: the counters of an account in Redis, and the answers that each instance has reserved. One hash counts
// by month and one by day, each with `start` and `used`. The hash of the plan's period also holds, for each instance, `i:<id>`
// = "sequence counted held lease_end".
import {
  type Balance,
  type Count,
  type Counts,
  type PeriodKind,
  type PerPeriod,
  readBalance,
  SET_BACK_MS,
} from '../quota_rule.ts'
import { type Run, type Script, script } from './link.ts'
import { redisKey } from './protocol.ts'

/** What an instance reports and asks for. All counts are whole numbers. */
export interface Settlement {
  readonly account: string
  readonly instance: string
  /** Number of the newest batch of answers. A batch that arrives twice under its number is counted once. */
  readonly sequence: number
  /** Answers to count in batch `sequence`. */
  readonly count: number
  /** The periods of answers that were already given while Redis was down: these count beyond the quota too. */
  readonly given: PerPeriod<number> | null
  /** All answers that the instance has reserved, without those to count now. */
  readonly held: number
  /** More answers to reserve. */
  readonly want: number
  /** Of the plan, like `quota`. */
  readonly period: PeriodKind
  readonly quota: number
  /** The instance's clock, and the start of the current periods by that clock. */
  readonly now: number
  readonly start: PerPeriod<number>
  /** The highest counts that this instance knows, and their periods: they restore a Redis that lost its data. */
  readonly marks: PerPeriod<Count> | null
}

export interface Settled {
  readonly counts: PerPeriod<Count>
  readonly counted: number
  readonly granted: number
}

/**
 * Milliseconds after which the reservations of a silent instance are free again: longer than any check, because only a dead
 * instance is silent. A longer lease dates from before Redis' clock was set back.
 */
const lease_ms = 20_000
/** Milliseconds that the last batch of an instance is remembered: the longest outage. */
const memory_ms = 24 * 60 * 60 * 1000

/** Milliseconds that a counter lives after its last use: past the end of its period, whatever the clocks say. */
const life_ms = 70 * 24 * 60 * 60 * 1000

/** Start of the error reply for a damaged counter. */
const DAMAGED = 'DAMAGED'

/**
 * Keys: counter of the plan's period, counter of the other, counts of the periods before. Arguments: instance, sequence,
 * count, held, want, quota, clock, "given" or "", then for each period: its name, start, start of the given answers, start
 * and used of the mark. `present` is `balanceAt`. Earlier releases counted an account under one period only; what they
 * counted by day is added to the month.
 */
const text = `
local function whole(text)
  if text and #text <= 15 and string.match(text, '^%d+$') then return tonumber(text) end
end
local function plain(number) return string.format('%.0f', number) end
local key, me = KEYS[1], 'i:' .. ARGV[1]
local sequence, count, held, want = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local quota, clock, given = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == 'given'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local fields = redis.call('HGETALL', key)
local stored_start, stored_used, others, last, last_counted = nil, nil, 0, -1, 0
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'start' then stored_start = whole(value)
  elseif name == 'used' then stored_used = whole(value)
  else
    local s, c, h, e = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
    if not s or string.sub(name, 1, 2) ~= 'i:' then return redis.error_reply('${DAMAGED} instance') end
    if name == me then last, last_counted = tonumber(s), tonumber(c)
    elseif tonumber(e) > now and tonumber(e) <= now + ${lease_ms} then others = others + tonumber(h)
    elseif tonumber(e) + ${memory_ms} < now then redis.call('HDEL', key, name) end
  end
end
if #fields > 0 and (not stored_start or not stored_used) then return redis.error_reply('${DAMAGED} counter') end
local pair = redis.call('HMGET', KEYS[2], 'start', 'used')
local other_start, other_used = whole(pair[1] or nil), whole(pair[2] or nil)
if (pair[1] or pair[2]) and (not other_start or not other_used) then return redis.error_reply('${DAMAGED} counter') end

local function present(at, stored, used)
  local name, start = ARGV[at], tonumber(ARGV[at + 1])
  local mark_start, mark_used = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  if not stored then stored, used = start, 0
  elseif start > stored or stored > clock + ${SET_BACK_MS} then
    local past = redis.call('HGET', KEYS[3], name)
    local past_start, past_used = string.match(past or '', '^(%d+) (%d+)$')
    redis.call('HSET', KEYS[3], name, plain(stored) .. ' ' .. plain(used))
    redis.call('PEXPIRE', KEYS[3], ${life_ms})
    if tonumber(past_start) == start then used = tonumber(past_used)
    elseif start > stored or (past_start and start > tonumber(past_start)) then used = 0 end
    stored = start
  end
  if mark_start == stored and mark_used > used then used = mark_used end
  return stored, used
end
local start, used = present(9, stored_start, stored_used)
local start2, used2 = present(14, other_start, other_used)
if ARGV[9] == 'month' and start2 >= start then used = math.max(used, used2) end
if ARGV[9] == 'day' and start >= start2 then used2 = math.max(used2, used) end

local counted, fresh = 0, 0
if sequence > last then
  counted = count
  if not given then counted = math.min(count, math.max(0, quota - used - others)) end
  fresh, last, last_counted = counted, sequence, counted
elseif sequence == last then
  counted = last_counted
  if given and count > counted then
    fresh, counted, last_counted = count - counted, count, count
  end
end
if not given or tonumber(ARGV[11]) >= start then used = used + fresh end
if not given or tonumber(ARGV[16]) >= start2 then used2 = used2 + fresh end
local granted = math.max(0, math.min(want, quota - used - others - held))
redis.call('HSET', key, 'start', plain(start), 'used', plain(used),
  me, plain(math.max(last, 0)) .. ' ' .. plain(last_counted) .. ' ' .. plain(held + granted) .. ' ' .. plain(now + ${lease_ms}))
redis.call('PEXPIRE', key, ${life_ms})
if start2 ~= other_start or used2 ~= other_used then
  redis.call('HSET', KEYS[2], 'start', plain(start2), 'used', plain(used2))
  redis.call('PEXPIRE', KEYS[2], ${life_ms})
end
return { counted, granted, plain(start), plain(used), plain(start2), plain(used2) }
`

const isCount = (text: unknown) => typeof text === 'string' && /^\d{1,15}$/.test(text)

type Reply = [counted: number, granted: number, ...counts: string[]]

const settleScript: Script<Reply> = script(text, reply => {
  if (!Array.isArray(reply) || reply.length !== 6) return false
  const [counted, granted, ...counts] = reply
  return counts.every(isCount) && Number.isSafeInteger(counted) && Number.isSafeInteger(granted)
})

const nothing: Count = { start: 0, used: 0 }

const counterKey = (period: PeriodKind, account: string): string => redisKey(`quota-${period}`, account)

/** Rejects with `RedisDown`, although Redis may have settled, or with the error that Redis replied. */
export async function settle(run: Parameters<typeof settleScript>[0], asked: Settlement): Promise<Settled> {
  const { account, instance, sequence, count, given, held, want, period, quota, now, start, marks } = asked
  const other = period === 'month' ? 'day' : 'month'
  const of = (kind: PeriodKind) => {
    const mark = marks?.[kind] ?? nothing
    return [kind, start[kind], given?.[kind] ?? 0, mark.start, mark.used]
  }
  const args = [
    instance,
    sequence,
    count,
    held,
    want,
    quota,
    now,
    given === null ? '' : 'given',
    ...of(period),
    ...of(other),
  ]
  const keys = [counterKey(period, account), counterKey(other, account), redisKey('quota-past', account)]
  const [counted, granted, ...counts] = await settleScript(run, keys, args.map(String))
  const [own = nothing, second = nothing] = [counts.slice(0, 2), counts.slice(2)].map(([start, used]) => ({
    start: Number(start),
    used: Number(used),
  }))
  return { counts: period === 'month' ? { month: own, day: second } : { month: second, day: own }, counted, granted }
}

/** The stored counts; undefined when nothing was ever counted, null when a counter is damaged. */
export async function readCounts(run: Run, account: string): Promise<Counts | null | undefined> {
  const [month, day, past] = await Promise.all([
    run(client => client.hmGet(counterKey('month', account), ['start', 'used'])),
    run(client => client.hmGet(counterKey('day', account), ['start', 'used'])),
    run(client => client.hmGet(redisKey('quota-past', account), ['month', 'day'])),
  ])
  if ([...month, ...day].every(value => value === null)) return undefined
  const [months, days] = [balanceOf('month', month, past[0]), balanceOf('day', day, past[1])]
  return months === null || days === null ? null : { month: months, day: days }
}

function balanceOf(kind: PeriodKind, stored: readonly unknown[], past: string | null | undefined): Balance | null {
  // An earlier release counted under one period only.
  if (stored.every(value => value === null)) return { ...nothing, past: null }
  return readBalance(kind, stored.map(numberOf), past?.split(' ').map(numberOf) ?? [null, null])
}

const numberOf = (text: unknown): number => (isCount(text) ? Number(text) : Number.NaN)
