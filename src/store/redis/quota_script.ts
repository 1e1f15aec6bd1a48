// One counter in Redis: what is used, and what each instance has set aside.
// A hash per account and kind of period: `start` and `used`, and per instance `i:<id>` = "sequence counted held lease_end".
import { type Script, script } from './script.ts'

/** What an instance says and asks; all counts are whole numbers. */
export interface Settlement {
  readonly instance: string
  /** Of the newest batch of answers. A batch that comes again under its number counts nothing twice. */
  readonly sequence: number
  /** Answers to count in batch `sequence`. */
  readonly count: number
  /** They were given already (while Redis was out): count them beyond the quota too. */
  readonly given: boolean
  /** Answers the instance has set aside, all told; those to be counted now excluded. */
  readonly held: number
  /** More to set aside. */
  readonly want: number
  /** First millisecond of the period by the instance's clock; the stored one is never left for an earlier. */
  readonly start: number
  readonly quota: number
  /** The most this instance has ever known to be used, and in which period: an emptied Redis is put right by it. */
  readonly mark: { readonly start: number; readonly used: number } | null
}

export interface Settled {
  readonly start: number
  readonly used: number
  readonly counted: number
  readonly granted: number
}

/**
 * Milliseconds after which what an instance had set aside is free again: longer than any check, since only a dead one is
 * silent. What is held for longer is of before Redis' clock was set back.
 */
const lease_ms = 20_000
/** Milliseconds that an instance's last batch is remembered: an outage may last that long. */
const memory_ms = 24 * 60 * 60 * 1000

/** Milliseconds that a counter lives after its last use: past the end of any period it may be of, whatever the clocks say. */
const life_ms = 70 * 24 * 60 * 60 * 1000

/** Begins the reply to a counter that holds no count. */
export const DAMAGED = 'DAMAGED'

const text = `
local function whole(text)
  if text and #text <= 15 and string.match(text, '^%d+$') then return tonumber(text) end
end
local function plain(number) return string.format('%.0f', number) end
local key, me = KEYS[1], 'i:' .. ARGV[1]
local sequence, count, given = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local held, want, start, quota = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local mark_start, mark_used = tonumber(ARGV[9]), tonumber(ARGV[10])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local fields = redis.call('HGETALL', key)
local stored_start, used, others, last, last_counted = nil, nil, 0, -1, 0
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'start' then stored_start = whole(value)
  elseif name == 'used' then used = whole(value)
  else
    local s, c, h, e = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
    if not s or string.sub(name, 1, 2) ~= 'i:' then return redis.error_reply('${DAMAGED} instance') end
    if name == me then last, last_counted = tonumber(s), tonumber(c)
    elseif tonumber(e) > now and tonumber(e) <= now + ${lease_ms} then others = others + tonumber(h)
    elseif tonumber(e) + ${memory_ms} < now then redis.call('HDEL', key, name) end
  end
end
if #fields > 0 and (not stored_start or not used) then return redis.error_reply('${DAMAGED} counter') end

local ended = given and stored_start and start < stored_start
if not stored_start or start > stored_start then stored_start, used = start, 0 end
if mark_start == stored_start and mark_used > used then used = mark_used end

local counted = 0
if ended then counted = count
elseif sequence > last then
  counted = count
  if not given then counted = math.min(count, math.max(0, quota - used - others)) end
  used = used + counted
  last, last_counted = sequence, counted
elseif sequence == last then
  counted = last_counted
  if given and count > counted then
    used = used + count - counted
    counted, last_counted = count, count
  end
end
local granted = math.max(0, math.min(want, quota - used - others - held))
redis.call('HSET', key, 'start', plain(stored_start), 'used', plain(used),
  me, plain(math.max(last, 0)) .. ' ' .. plain(last_counted) .. ' ' .. plain(held + granted) .. ' ' .. plain(now + ${lease_ms}))
redis.call('PEXPIRE', key, ${life_ms})
return { plain(stored_start), plain(used), counted, granted }
`

const isCount = (text: unknown) => typeof text === 'string' && /^\d{1,15}$/.test(text)

const settleScript: Script<[string, string, number, number]> = script(text, reply => {
  if (!Array.isArray(reply) || reply.length !== 4) return false
  const [start, used, counted, granted] = reply
  return isCount(start) && isCount(used) && Number.isSafeInteger(counted) && Number.isSafeInteger(granted)
})

/** Settles in Redis. Rejects with `RedisDown` (then it may have been done), or with what Redis says against it. */
export async function settle(
  run: Parameters<typeof settleScript>[0],
  key: string,
  asked: Settlement,
): Promise<Settled> {
  const { instance, sequence, count, given, held, want, start, quota, mark } = asked
  const numbers = [held, want, start, quota, mark?.start ?? 0, mark?.used ?? 0]
  const reply = await settleScript(
    run,
    [key],
    [instance, `${sequence}`, `${count}`, given ? '1' : '0', ...numbers.map(String)],
  )
  const [settledStart, used, counted, granted] = reply
  return { start: Number(settledStart), used: Number(used), counted, granted }
}
