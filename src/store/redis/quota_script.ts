// The quota rule in Lua: the counters of an account in Redis, and the answers that each instance has reserved. A hash for each
// kind of period holds the `start` and `used` of its current bucket; that of the plan's period also holds, for each instance,
// `i:<id>` = "sequence counted held lease_end". One more hash holds the other buckets of each kind, and another the days that have
// left the day counter (usage_days.ts).
import type { DaysOfAccount } from '../key_rows.ts'
import {
  type Allowance,
  type Balance,
  bucketStart,
  bucketsKept,
  type Counts,
  calendarKinds,
  kindsCounted,
  type PeriodKind,
  periodKinds,
  readBalance,
  SET_BACK_MS,
  spanOf,
  startAt,
} from '../quota_rule.ts'
import { DAYS_KEPT, type StoredDay } from '../usage_days.ts'
import { epochKey, restoringKey } from './epoch.ts'
import { RedisDown, type Run, type Script, script } from './link.ts'

/** The kinds that an instance knows of an account. */
export type Balances = { readonly [kind in PeriodKind]?: Balance }

/** What an instance reports and asks for, under a plan. All counts are whole numbers. */
export interface Settlement extends Allowance {
  readonly account: string
  readonly instance: string
  /** Its number among those of the instance. A batch of answers that arrives twice under its number is counted once. */
  readonly sequence: number
  /**
   * The number that Redis remembers, that of the batch unless given. For a report it is between those of its batch, which Redis may have
   * without the report, and of the next.
   */
  readonly remembered?: number
  /** The last remembered number that Redis replied to. A Redis that has it has at least what the marks say, unless some of it was taken back. */
  readonly acknowledged: number
  /** Reserved answers to count in batch `sequence`. */
  readonly count: number
  /** More answers to count in it, as many of them as fit. */
  readonly charge: number
  /** When answers were given while Redis was down: these count beyond the quota too. */
  readonly given_at: number | null
  /** Restores the marks in a Redis that lost its data, when it counts nothing yet. */
  readonly restores?: boolean
  /** Names the data that the instance knows; an emptied Redis has another. */
  readonly epoch: string
  /** All answers that the instance has reserved, without those to count now. */
  readonly held: number
  /** More answers to reserve. */
  readonly want: number
  /** The instance's clock. */
  readonly now: number
  /** The counts of that reply: they restore a Redis that lost its data, or its latest data. */
  readonly marks: Balances
}

export interface Settled {
  /** Of each kind that was counted, without the buckets that do not count now. */
  readonly balances: Balances
  /** Of the plan's period. */
  readonly balance: Balance
  readonly counted: number
  readonly granted: number
}

const day_ms = 24 * 60 * 60 * 1000

/**
 * Milliseconds after which the reservations of a silent instance are free again: longer than any check, because only a dead
 * instance is silent. A longer lease dates from before Redis' clock was set back.
 */
const lease_ms = 20_000
/** Milliseconds that the last batch of an instance is remembered: the longest outage. */
const memory_ms = day_ms
/** Instances that ended and are remembered, for each account: every call reads them all. */
const ended_max = 16

/**
 * Milliseconds that the counters of an account live after its last use: past the end of every period, whatever the clocks say,
 * and as long as the days that they hold are kept.
 */
const life_ms = DAYS_KEPT * day_ms

/** Start of the error reply for a damaged counter. */
const DAMAGED = 'DAMAGED'
/** Start of the error replies of a Redis that has lost its data, before and while the instances restore it. */
const [EMPTIED, RESTORING] = ['EMPTIED', 'RESTORING']

/** Redis has lost its data, and counts nothing until the instances have restored what they know. */
export class Restoring extends RedisDown {
  /** Whether no instance has noticed yet. */
  readonly is_new: boolean
  constructor(is_new: boolean) {
    super('Redis lost its data, which is being restored')
    this.is_new = is_new
  }
}

/** Arguments before those of the kinds of period, and of each kind. */
const [common, each] = [12, 6]

/**
 * Keys: a counter for each kind of period, the plan's first, the other buckets, the archived days, the epoch, and what is there while Redis
 * is restored. Arguments: instance, sequence, count, charge, held, want, quota, clock, "given", "restore" or "", epoch, the sequence of the marks, the one to remember, then for each kind its name, the start of the current bucket, the span, the buckets
 * kept, the bucket of the given answers, and the mark. `carry` is `balanceAt`; marks and balances are `Balance`.
 * A counter is raised to those of calendar periods that lie in its window: earlier releases counted under one kind only,
 * and a window is not counted while the account has another plan. `archive` is what `daysLeaving` and `oldestKept` say; answers of
 * an outage that are counted on a later day go there at once.
 */
const text = `
local function whole(text)
  if text and #text <= 15 and string.match(text, '^%d+$') then return tonumber(text) end
end
local function plain(number) return string.format('%.0f', number) end
local function pairs_in(text)
  local list = {}
  for start, used in string.gmatch(text, '(%d+) (%d+)') do list[#list + 1] = { tonumber(start), tonumber(used) } end
  return list
end
local function text_of(list, first)
  local words = {}
  for i = first, #list do words[#words + 1] = plain(list[i][1]) .. ' ' .. plain(list[i][2]) end
  return table.concat(words, ' ')
end
local me = 'i:' .. ARGV[1]
local sequence, count, charge = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local held, want, quota, clock = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local given = ARGV[9] == 'given'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local past_key, days_key = KEYS[#KEYS - 3], KEYS[#KEYS - 2]
if redis.call('GET', KEYS[#KEYS - 1]) ~= ARGV[10] then return redis.error_reply('${EMPTIED} data') end
if ARGV[9] ~= 'restore' and redis.call('EXISTS', KEYS[#KEYS]) == 1 then return redis.error_reply('${RESTORING} data') end

local kinds = {}
for n = 1, #KEYS - 4 do
  local at = ${common} + (n - 1) * ${each}
  kinds[n] = { key = KEYS[n], name = ARGV[at + 1], start = tonumber(ARGV[at + 2]), span = tonumber(ARGV[at + 3]),
    kept = tonumber(ARGV[at + 4]), given = tonumber(ARGV[at + 5]), marks = ARGV[at + 6] }
end
local own = kinds[1]

local fields = redis.call('HGETALL', own.key)
local others, last, last_counted, ended = 0, -1, 0, {}
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'start' then own.stored_start = value
  elseif name == 'used' then own.stored_used = value
  else
    local s, c, h, e = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
    if not s or string.sub(name, 1, 2) ~= 'i:' then return redis.error_reply('${DAMAGED} instance') end
    if name == me then last, last_counted = tonumber(s), tonumber(c)
    elseif tonumber(e) > now and tonumber(e) <= now + ${lease_ms} then others = others + tonumber(h)
    elseif tonumber(e) + ${memory_ms} < now then redis.call('HDEL', own.key, name)
    else ended[#ended + 1] = { name, tonumber(e) } end
  end
end
if #ended > ${ended_max} then
  table.sort(ended, function(one, other) return one[2] > other[2] end)
  for i = ${ended_max} + 1, #ended do redis.call('HDEL', own.key, ended[i][1]) end
end
if #fields > 0 and not (own.stored_start and own.stored_used) then return redis.error_reply('${DAMAGED} counter') end
for n = 2, #kinds do
  local stored = redis.call('HMGET', kinds[n].key, 'start', 'used')
  kinds[n].stored_start, kinds[n].stored_used = stored[1], stored[2]
end

local function used_around(kind, start)
  local used = 0
  for _, bucket in ipairs(kind.list) do
    if math.abs(bucket[1] - start) <= kind.span then used = used + bucket[2] end
  end
  return used
end
local function used_in(kind) return used_around(kind, kind.list[1][1]) end

local leaving = {}
local function archive(kind, bucket)
  if kind.name == 'day' and bucket[2] ~= 0 then leaving[#leaving + 1] = bucket end
end

local function move_to(kind, start)
  local list, earliest, at = kind.list, true, nil
  local unknown = math.max(0, used_in(kind) - used_around(kind, start))
  for i, bucket in ipairs(list) do
    if bucket[1] == start then at = i end
    if bucket[1] <= start then earliest = false end
  end
  local bucket = at and table.remove(list, at) or { start, earliest and unknown or 0 }
  table.insert(list, 1, bucket)
  while #list > kind.kept do archive(kind, table.remove(list)) end
end

local function carry(kind)
  if not kind.stored_start and not kind.stored_used then kind.list = { { kind.start, 0 } } return true end
  local start, used = whole(kind.stored_start), whole(kind.stored_used)
  if not start or not used then return false end
  kind.list, kind.before_start, kind.before_used = { { start, used } }, start, used
  local moves = kind.start > start or start > clock + ${SET_BACK_MS}
  if moves or kind.span > 0 or given then
    local past = redis.call('HGET', past_key, kind.name) or ''
    if not string.match(past, '^[%d ]*$') then return false end
    kind.past = past
    for _, bucket in ipairs(pairs_in(past)) do table.insert(kind.list, bucket) end
  end
  if moves and kind.start ~= start then move_to(kind, kind.start) end
  return true
end

local has_marks = last >= tonumber(ARGV[11])
for _, kind in ipairs(kinds) do
  if not carry(kind) then return redis.error_reply('${DAMAGED} counter') end
  for _, mark in ipairs(has_marks and kind.stored_start and {} or pairs_in(kind.marks)) do
    local found = nil
    for _, bucket in ipairs(kind.list) do if bucket[1] == mark[1] then found = bucket end end
    if found then found[2] = math.max(found[2], mark[2])
    elseif math.abs(mark[1] - kind.list[1][1]) <= kind.span then table.insert(kind.list, mark) end
  end
end
for _, kind in ipairs(kinds) do
  for _, inner in ipairs(kinds) do
    if inner.span == 0 and kind.list[1][1] - kind.span <= inner.list[1][1] then
      kind.list[1][2] = kind.list[1][2] + math.max(0, used_in(inner) - used_in(kind))
    end
  end
end

local used = used_in(own)
local counted, fresh = 0, 0
if sequence > last then
  counted = count
  if not given then
    counted = math.min(count, math.max(0, quota - used - others))
    counted = counted + math.max(0, math.min(charge, quota - used - counted - others - held))
  end
  fresh, last_counted = counted, counted
elseif sequence == last then
  counted = last_counted
  if given then fresh, counted, last_counted = count - counted, count, count end
end
last = math.max(last, tonumber(ARGV[12]))
-- Answers are counted in the current bucket while they count there; what was counted but not given leaves the bucket of its time.
local function bucket_for(kind)
  local current = kind.list[1]
  if fresh >= 0 then return (not given or kind.given >= current[1] - kind.span) and current end
  for _, bucket in ipairs(kind.list) do if bucket[1] == kind.given then return bucket end end
end
for _, kind in ipairs(kinds) do
  local bucket = bucket_for(kind)
  if bucket then bucket[2] = math.max(0, bucket[2] + fresh)
  else archive(kind, { kind.given, fresh }) end
end
local granted = math.max(0, math.min(want, quota - used_in(own) - others - held))

local reply = { counted, granted }
for n, kind in ipairs(kinds) do
  local current = kind.list[1]
  while #kind.list > kind.kept do table.remove(kind.list) end
  if n == 1 then
    redis.call('HSET', kind.key, 'start', plain(current[1]), 'used', plain(current[2]),
      me, plain(last) .. ' ' .. plain(last_counted) .. ' ' .. plain(held + granted) .. ' ' .. plain(now + ${lease_ms}))
    redis.call('PEXPIRE', kind.key, ${life_ms})
  elseif current[1] ~= kind.before_start or current[2] ~= kind.before_used then
    redis.call('HSET', kind.key, 'start', plain(current[1]), 'used', plain(current[2]))
    redis.call('PEXPIRE', kind.key, ${life_ms})
  end
  local past = text_of(kind.list, 2)
  if (kind.past or #kind.list > 1) and past ~= kind.past then
    redis.call('HSET', past_key, kind.name, past)
    redis.call('PEXPIRE', past_key, ${life_ms})
  end
  local live = {}
  for _, bucket in ipairs(kind.list) do
    if math.abs(bucket[1] - current[1]) <= kind.span then live[#live + 1] = bucket end
  end
  reply[#reply + 1] = text_of(live, 1)
end
-- Errors are ignored: a damaged archive must refuse no answer that is counted already.
for _, bucket in ipairs(leaving) do
  redis.pcall('HINCRBY', days_key, plain(bucket[1]), plain(bucket[2]))
  local oldest = math.min(bucket[1], clock) - ${DAYS_KEPT * day_ms}
  for _, day in ipairs(redis.pcall('HKEYS', days_key)) do
    if (tonumber(day) or oldest) < oldest then redis.pcall('HDEL', days_key, day) end
  end
  redis.pcall('PEXPIRE', days_key, ${life_ms})
end
return reply
`

type Reply = [counted: number, granted: number, ...balances: string[]]

const isReply = ([counted, granted, ...balances]: readonly unknown[]) =>
  Number.isSafeInteger(counted) &&
  Number.isSafeInteger(granted) &&
  balances.length > 0 &&
  balances.every(text => typeof text === 'string' && /^\d{1,15} \d{1,15}(?: \d{1,15} \d{1,15})*$/.test(text))

const settleScript: Script<Reply> = script(text, reply => Array.isArray(reply) && isReply(reply))

const counterKey = ({ key }: Run, kind: PeriodKind, account: string): string => key(`quota-${kind}`, account)
const pastKey = ({ key }: Run, account: string): string => key('quota-past', account)
const daysKey = ({ key }: Run, account: string): string => key('usage-days', account)

/** Rejects with `RedisDown`, although Redis may have settled (not so with `Restoring`), or with the error that Redis replied. */
export async function settle(run: Run, asked: Settlement): Promise<Settled> {
  const { account, instance, sequence, acknowledged, count, charge, given_at, restores, epoch, held, want } = asked
  const { period, quota, now, remembered = sequence } = asked
  const kinds = kindsCounted(period)
  const args: (string | number)[] = [instance, sequence, count, charge, held, want, quota, now]
  args.push(given_at !== null ? 'given' : restores ? 'restore' : '', epoch, acknowledged, remembered)
  for (const kind of kinds) {
    const mark = asked.marks[kind] ?? null
    const given = given_at === null ? 0 : bucketStart(kind, given_at)
    args.push(kind, startAt(kind, mark, now), spanOf(kind), bucketsKept(kind), given, mark?.join(' ') ?? '')
  }
  const counters = kinds.map(kind => counterKey(run, kind, account))
  const keys = [...counters, pastKey(run, account), daysKey(run, account), epochKey(run), restoringKey(run)]
  const reply = settleScript(run, keys, args.map(String)).catch((fault: unknown) => {
    const [code] = fault instanceof Error ? fault.message.split(' ') : []
    throw code === EMPTIED || code === RESTORING ? new Restoring(code === EMPTIED) : fault
  })
  const [counted, granted, ...texts] = await reply
  const lists = texts.map(text => text.split(' ').map(Number))
  const balances = Object.fromEntries(kinds.map((kind, at) => [kind, lists[at] ?? []]))
  return { balances, balance: lists[0] ?? [], counted, granted }
}

/** The stored counts; undefined when nothing was ever counted, null when a counter is damaged. */
export async function readCounts(run: Run, account: string): Promise<Counts | null | undefined> {
  const [past, ...stored] = await Promise.all([
    run(client => client.hmGet(pastKey(run, account), [...periodKinds])),
    ...periodKinds.map(kind => run(client => client.hmGet(counterKey(run, kind, account), ['start', 'used']))),
  ])
  const isAbsent = (values: readonly unknown[] | undefined) => values?.every(value => value === null) ?? true
  if (stored.every(isAbsent)) return undefined
  const balances = periodKinds.flatMap((kind, at) => {
    if (!isAbsent(stored[at])) return [[kind, balanceOf(kind, stored[at] ?? [], past[at] ?? '')] as const]
    // An earlier release counted under one calendar period only.
    return calendarKinds.some(one => one === kind) ? [[kind, [0, 0]] as const] : []
  })
  return balances.some(([, balance]) => balance === null) ? null : (Object.fromEntries(balances) as Counts)
}

/** Keys: the day counter, the other buckets, the archived days. One script, so that no day is between them. */
const daysScript = script<(string | null)[]>(
  `
local reply = redis.call('HMGET', KEYS[1], 'start', 'used')
reply[3] = redis.call('HGET', KEYS[2], 'day')
for _, text in ipairs(redis.call('HGETALL', KEYS[3])) do reply[#reply + 1] = text end
return reply
`,
  reply => Array.isArray(reply) && reply.length >= 3 && reply.every(one => one === null || typeof one === 'string'),
)

/** The day balance with the archived days; null when the counter or a day is damaged. */
export async function readDays(run: Run, account: string): Promise<DaysOfAccount | null> {
  const [start, used, past, ...fields] = await daysScript(
    run,
    [counterKey(run, 'day', account), pastKey(run, account), daysKey(run, account)],
    [],
  )
  const isAbsent = start === null && used === null
  const balance = isAbsent ? [] : balanceOf('day', [start, used], past ?? '')
  const archived = fields.flatMap((text, at): StoredDay[] =>
    at % 2 === 0 ? [[wholeOrNaN(text), wholeOrNaN(fields[at + 1])]] : [],
  )
  return balance === null || archived.flat().some(Number.isNaN) ? null : { balance, archived }
}

function balanceOf(kind: PeriodKind, stored: readonly unknown[], past: string): Balance | null {
  return readBalance(kind, [...stored, ...(past === '' ? [] : past.split(' '))].map(wholeOrNaN))
}

const wholeOrNaN = (text: unknown): number =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
