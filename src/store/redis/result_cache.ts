// Results shared by all instances: each keeps recent ones in memory and finds the others' in Redis. A result from Redis is
// used only if its integrity tag matches its name and bytes and its age is possible: the clock of Redis may be set, so a
// result from the future is ignored, and an entry that would outlive all others is removed.
import { createHash } from 'node:crypto'
import type { ResultClass } from '../../engine/completeness.ts'
import type { StoreEvent } from '../backend.ts'
import {
  type CachedResult,
  class_ranks,
  type KeptResult,
  type LocalResultCache,
  type ResultCache,
} from '../result_cache.ts'
import { RedisDown, RedisRefuses, type Run, script, withBuffers } from './link.ts'
import { integrityTag } from './protocol.ts'

export interface SharedCacheOptions {
  readonly run: Run
  readonly local: LocalResultCache
  /** Bytes of results in Redis. Beyond that, those that expire first are removed. */
  readonly bytes_max: number
  /** Milliseconds that a complete result may stand in while the service cannot check targets. */
  readonly stale_ms: number
  /** Called when the index was not valid, and when Redis refuses to store results: once until it stores one again. */
  readonly event: StoreEvent
}

/** The run of a check over all instances, whose outcome is the result that is put. */
export interface Lead {
  readonly lock: string
  readonly token: string
  /** Where those that wait find the outcome, what to leave there, and for how many milliseconds. */
  readonly outcome: string
  readonly reference: (seal: string) => Buffer
  readonly outcome_ms: number
}

export interface SharedCache extends ResultCache {
  /** Finds the result in Redis as part of another script; see `entryReader`. */
  readonly entryOf: (key: string) => string
  /** The result that `entryReader` returned; null when there is none, or none that may be used. */
  accept(key: string, reply: EntryReply | null): CachedResult | null
  /** The result in Redis with this integrity tag, bypassing this instance's memory; null also while Redis is down. */
  recall(key: string, seal: string): Promise<CachedResult | null>
  /** As `put`, and ends the lead with this result as its outcome in the same write. Whether it did. */
  putOutcome(lead: Lead, ...result: Parameters<ResultCache['put']>): Promise<boolean>
}

/** Largest accepted value in bytes: far above any result, far below anything harmful. */
const value_max = 1024 * 1024
/** An entry in Redis: class, age, remaining life, integrity tag, bytes. */
export type EntryReply = readonly [Buffer, Buffer, Buffer, Buffer, Buffer]
/** Bytes that an entry takes in Redis besides its content, estimated generously. */
const entry_bytes = 600

const nameOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/**
 * `lasts`: whether something born then is still within its span, both in milliseconds. False for anything but finite numbers.
 */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function lasts(born, span)
  local age, most = now - (tonumber(born) or math.huge), tonumber(span) or 0
  return age >= 0 and age < most and most < math.huge
end
`

/**
 * Lua for `read_entry(key, stale)`: false, or an `EntryReply`. With `stale`, it is the last complete result, even after its life,
 * as long as that may stand in.
 */
export const entryReader = `${clock}
local function read_entry(key, stale)
  local e = redis.call('HMGET', key, 'class', 'born', 'life', 'seal', 'whole_born', 'whole_seal')
  local class, born, span, seal, field = e[1], e[2], e[3], e[4], 'bytes'
  if stale then
    span = stale
    if class ~= 'complete' then class, born, seal, field = 'complete', e[5], e[6], 'whole' end
  end
  if not class or not seal or not lasts(born, span) then return false end
  if redis.call('HSTRLEN', key, field) > ${value_max} then return false end
  local bytes = redis.call('HGET', key, field)
  if not bytes then return false end
  local age = now - born
  return { class, string.format('%.0f', age), string.format('%.0f', span - age), seal, bytes }
end
`

/**
 * Keys: order, sizes, total, and with a lead its lock and outcome. Arguments: prefix, name, class, life, stale, bytes, tag, most
 * bytes, longest life of any, and with a lead its token, the reference, and how long that is kept. Returns 0 when a better result
 * stays or this one is the first for which there is no room, and a lead then goes on; otherwise 1, or 2 when the index was not
 * valid: it then starts anew, without the results that it still named. Results that it did not name expire.
 */
const putScript = script<number>(`${clock}
local ranks = { ${Object.entries(class_ranks)
  .map(([class_, rank]) => `${class_} = ${rank}`)
  .join(', ')} }
local name, class, life, stale = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local most, longest = tonumber(ARGV[8]), tonumber(ARGV[9])
local entry = ARGV[1] .. ':' .. name
local function is(key, kind)
  local found = redis.call('TYPE', key).ok
  return found == kind or found == 'none'
end
local has_order, has_sizes = is(KEYS[1], 'zset'), is(KEYS[2], 'hash')
local has_total = is(KEYS[3], 'string') and string.match(redis.call('GET', KEYS[3]) or '0', '^%-?%d+$')
has_total = has_total and #has_total < 16
local outcome = 1
if not (has_order and has_sizes and has_total) then
  local named = has_sizes and redis.call('HKEYS', KEYS[2]) or has_order and redis.call('ZRANGE', KEYS[1], 0, -1) or {}
  for _, one in ipairs(named) do redis.call('DEL', ARGV[1] .. ':' .. one) end
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  outcome = 2
end
local function forget(name)
  local size = tonumber(redis.call('HGET', KEYS[2], name))
  redis.call('DEL', ARGV[1] .. ':' .. name)
  if not size then return redis.call('ZREM', KEYS[1], name) end
  redis.call('HDEL', KEYS[2], name)
  redis.call('ZREM', KEYS[1], name)
  redis.call('DECRBY', KEYS[3], size)
end
local stored = redis.pcall('HMGET', entry, 'class', 'born', 'life', 'bytes', 'seal', 'whole_born', 'whole', 'whole_seal')
local whole_born, whole, whole_seal = false, false, false
if lasts(stored[2], stored[3]) and (ranks[stored[1]] or 0) > ranks[class] then return 0 end
if ranks[class] < ranks['complete'] then
  if stored[1] == 'complete' then whole_born, whole, whole_seal = stored[2], stored[4], stored[5]
  else whole_born, whole, whole_seal = stored[6], stored[7], stored[8] end
end
forget(name)
local born = string.format('%.0f', now)
redis.call('HSET', entry, 'class', class, 'born', born, 'life', ARGV[4], 'bytes', ARGV[6], 'seal', ARGV[7])
local ends, size = now + life, #ARGV[6] + ${entry_bytes}
if class == 'complete' then ends = now + math.max(life, stale) end
if whole and whole_seal and lasts(whole_born, stale) then
  redis.call('HSET', entry, 'whole_born', whole_born, 'whole', whole, 'whole_seal', whole_seal)
  ends, size = math.max(ends, whole_born + stale), size + #whole
end
redis.call('PEXPIREAT', entry, string.format('%.0f', ends))
redis.call('HSET', KEYS[2], name, size)
redis.call('ZADD', KEYS[1], ends, name)
redis.call('INCRBY', KEYS[3], size)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 50)) do forget(gone) end
local beyond = string.format('(%.0f', now + longest)
for _, ghost in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], beyond, '+inf', 'LIMIT', 0, 50)) do forget(ghost) end
for i = 1, 50 do
  if (tonumber(redis.call('GET', KEYS[3])) or 0) <= most then break end
  local first = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if not first then redis.call('SET', KEYS[3], 0) break end
  forget(first)
end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], longest * 2) end
if redis.call('EXISTS', entry) == 0 then return 0 end
if KEYS[4] then
  redis.call('SET', KEYS[5], ARGV[11], 'PX', ARGV[12])
  if redis.call('GET', KEYS[4]) == ARGV[10] then redis.call('DEL', KEYS[4]) end
end
return outcome
`)

/** Reply of `putScript` when it started the index anew. */
const INDEX_RESET = 2

/** Keys: entry. Arguments: how long the last complete result may stand in, when that is looked for. */
const getScript = script<EntryReply | null>(`${entryReader}
return read_entry(KEYS[1], ARGV[1])
`)

/** During an upgrade another release may have stored a class that this release does not know. */
const isClass = (text: string): text is ResultClass => Object.hasOwn(class_ranks, text)

export function createSharedCache({ run, local, bytes_max, stale_ms, event }: SharedCacheOptions): SharedCache {
  /** The index: entries by expiry, so that the next to expire come first; the bytes of each entry; and the total. */
  const index = ['results-order', 'results-sizes', 'results-bytes'].map(part => run.key(part))
  const prefix = run.key('result')
  const entryOf = (key: string) => `${prefix}:${nameOf(key)}`
  const longest_ms = Math.ceil(Math.max(local.longest_ms, stale_ms))
  const asBuffers = withBuffers(run)

  let damaged = false

  /** An entry of another shape counts as no result. Without Redis there is none either, which is already logged. */
  function notRead(fault?: unknown): null {
    if (fault instanceof RedisDown || damaged) return null
    damaged = true
    event('warn', { store: 'result-damaged' })
    return null
  }

  /** A reply that is missing or wrong counts as no result. */
  async function fetch(key: string, ...standing_in: readonly string[]): Promise<EntryReply | null> {
    return getScript(asBuffers, [entryOf(key)], standing_in).catch(notRead)
  }

  function resultIn(key: string, reply: EntryReply | null): KeptResult | null {
    if (reply === null) return null
    const [class_, age, left, seal, bytes] = reply
    const [age_ms, left_ms] = [Number(age), Number(left)]
    if (!Number.isFinite(age_ms + left_ms)) return null
    const kind = String(class_)
    if (!isClass(kind)) return null
    if (String(seal) !== integrityTag([key, kind], bytes)) return notRead()
    damaged = false
    // A copy, because the bytes are a slice of the connection's buffer.
    return { bytes: Buffer.from(bytes), class: kind, age_ms, left_ms }
  }

  let refused = false

  /** Whether it is stored. */
  function kept(outcome: number): boolean {
    refused = false
    if (outcome === INDEX_RESET) event('warn', { store: 'results-index-reset' })
    return outcome > 0
  }

  /** While Redis is down nothing is stored, which is already logged. */
  function notKept(fault: unknown): boolean {
    if ((fault instanceof RedisDown && !(fault instanceof RedisRefuses)) || refused) return false
    refused = true
    event('error', { store: 'results-not-shared', detail: String(fault).slice(0, 200) })
    return false
  }

  function accept(key: string, reply: EntryReply | null): CachedResult | null {
    const found = resultIn(key, reply)
    if (found === null || found.age_ms + found.left_ms > Math.ceil(local.longest_ms)) return null
    local.put(key, found.bytes, found.class, found.left_ms, found.age_ms)
    return found
  }

  async function put(lead: Lead | null, ...result: Parameters<ResultCache['put']>): Promise<boolean> {
    const [key, bytes, class_, life_ms = local.lifetime(class_)] = result
    local.put(key, bytes, class_, life_ms)
    if (life_ms < 1) return false
    const seal = integrityTag([key, class_], bytes)
    const life = Math.round(life_ms).toString()
    const args = [prefix, nameOf(key), class_, life, `${stale_ms}`, bytes, seal, `${bytes_max}`, `${longest_ms}`]
    if (lead === null) return putScript(run, index, args).then(kept, notKept)
    args.push(lead.token, lead.reference(seal), `${lead.outcome_ms}`)
    return putScript(run, [...index, lead.lock, lead.outcome], args).then(kept, notKept)
  }

  return {
    get: key => local.get(key) ?? fetch(key).then(reply => accept(key, reply)),
    peek: local.get,
    getStale: async key => local.getStale(key) ?? resultIn(key, await fetch(key, `${stale_ms}`)),
    async put(...result) {
      await put(null, ...result)
    },
    putOutcome: put,
    entryOf,
    accept,
    async recall(key, seal) {
      const reply = await fetch(key)
      return reply !== null && String(reply[3]) === seal ? accept(key, reply) : null
    },
    lifetime: local.lifetime,
    get size() {
      return local.size
    },
  }
}
