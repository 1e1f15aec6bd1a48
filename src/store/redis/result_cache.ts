// Results that all instances share: each keeps those it served lately in memory, and finds the others' in Redis.
// What Redis holds is believed when its seal says that it is this name's, whole and unaltered, and when its age is one
// it can have: the clock of Redis may be set, so that what was born in the future has no age, and what would outlive
// every other is forgotten.
import { createHash } from 'node:crypto'
import { RESP_TYPES } from '@redis/client'
import type { CachedResult, LocalResultCache, ResultCache, ResultClass } from '../result_cache.ts'
import type { Run } from './link.ts'
import { redisKey } from './names.ts'
import { script } from './script.ts'
import { sealOf } from './seal.ts'

export interface SharedCacheOptions {
  readonly run: Run
  readonly local: LocalResultCache
  /** Octets of results in Redis; beyond that those go first whose end is nearest. */
  readonly bytes_max: number
  /** Milliseconds that a complete result may stand in while we cannot look ourselves. */
  readonly stale_ms: number
}

export interface SharedCache extends ResultCache {
  /** What is in Redis under the key, past this instance's memory; null also when Redis is out. */
  recall(key: string): Promise<CachedResult | null>
}

/** Octets of one value that are accepted: far beyond any result, far below what would harm. */
const value_max = 1024 * 1024
/** Octets that an entry takes in Redis beside its bytes, generously. */
const entry_bytes = 600

/** By the end of each entry, so that the next to end are found first; the octets of each, and of all. */
const order = redisKey('results-order')
const sizes = redisKey('results-sizes')
const total = redisKey('results-bytes')
const nameOf = (key: string) => createHash('sha256').update(key).digest('base64url')
const prefix = redisKey('result', '')

/** `lasts`: whether what was born then is in its span now. Both in milliseconds; what is no number does not. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function lasts(born, span)
  local age = now - (tonumber(born) or math.huge)
  return age >= 0 and age < (tonumber(span) or 0)
end
`

/** Keys: order, sizes, total. Arguments: prefix, name, class, life, stale, bytes, seal, most octets, longest life of any. */
const putScript = script<number>(`${clock}
local name, class, life, stale = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local most, longest = tonumber(ARGV[8]), tonumber(ARGV[9])
local entry = ARGV[1] .. ':' .. name
local function forget(name)
  local size = tonumber(redis.call('HGET', KEYS[2], name)) or 0
  redis.call('DEL', ARGV[1] .. ':' .. name)
  redis.call('HDEL', KEYS[2], name)
  redis.call('ZREM', KEYS[1], name)
  redis.call('DECRBY', KEYS[3], size)
end
local stored = redis.pcall('HMGET', entry, 'class', 'born', 'life', 'bytes', 'seal', 'whole_born', 'whole', 'whole_seal')
local whole_born, whole, whole_seal = false, false, false
if class == 'incomplete' then
  if stored[1] == 'complete' then
    if lasts(stored[2], stored[3]) then return 0 end
    whole_born, whole, whole_seal = stored[2], stored[4], stored[5]
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
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, longest * 2) end
return 1
`)

/**
 * Keys: entry. Arguments: most octets, and how long a complete result may stand in, to get the last one, also past its
 * life. Yields class, age, life left, seal, bytes.
 */
const getScript = script<[Buffer, Buffer, Buffer, Buffer, Buffer] | null>(`${clock}
local e = redis.call('HMGET', KEYS[1], 'class', 'born', 'life', 'seal', 'whole_born', 'whole_seal')
local class, born, span, seal, field = e[1], e[2], e[3], e[4], 'bytes'
if ARGV[2] then
  span = ARGV[2]
  if class ~= 'complete' then class, born, seal, field = 'complete', e[5], e[6], 'whole' end
end
if not class or not seal or not lasts(born, span) then return false end
if redis.call('HSTRLEN', KEYS[1], field) > tonumber(ARGV[1]) then return false end
local bytes = redis.call('HGET', KEYS[1], field)
if not bytes then return false end
local age = now - born
return { class, string.format('%.0f', age), string.format('%.0f', span - age), seal, bytes }
`)

const classes: readonly string[] = ['complete', 'incomplete', 'not_found'] satisfies ResultClass[]

interface Kept extends CachedResult {
  readonly age_ms: number
  readonly left_ms: number
}

export function createSharedCache({ run, local, bytes_max, stale_ms }: SharedCacheOptions): SharedCache {
  const longest_ms = Math.ceil(Math.max(local.longest_ms, stale_ms))
  const asBuffers: Run = command =>
    run(client => command(client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }) as unknown as typeof client))

  /** What Redis cannot tell, or tells wrongly, was not kept. */
  async function fetch(key: string, ...standing_in: readonly string[]): Promise<Kept | null> {
    const args = [String(value_max), ...standing_in]
    const reply = await getScript(asBuffers, [`${prefix}:${nameOf(key)}`], args).catch(() => null)
    if (reply === null) return null
    const [class_, age, left, seal, bytes] = reply
    const [age_ms, left_ms] = [Number(age), Number(left)]
    if (!classes.includes(String(class_)) || String(seal) !== sealOf([key, String(class_)], bytes)) return null
    if (standing_in.length === 0 && age_ms + left_ms > Math.ceil(local.longest_ms)) return null
    // A copy of its own: what the connection read is a slice of something larger.
    return { bytes: Buffer.from(bytes), class: String(class_) as ResultClass, age_ms, left_ms }
  }

  async function recall(key: string): Promise<CachedResult | null> {
    const found = await fetch(key)
    if (found === null) return null
    local.put(key, found.bytes, found.class, found.left_ms, found.age_ms)
    return found
  }

  return {
    get: key => local.get(key) ?? recall(key),
    getStale: async key => local.getStale(key) ?? fetch(key, `${stale_ms}`),
    async put(key, bytes, class_, life_ms = local.lifetime(class_)) {
      local.put(key, bytes, class_, life_ms)
      if (life_ms < 1) return
      const args = [
        prefix,
        nameOf(key),
        class_,
        Math.round(life_ms).toString(),
        `${stale_ms}`,
        bytes,
        sealOf([key, class_], bytes),
        `${bytes_max}`,
        `${longest_ms}`,
      ]
      await putScript(run, [order, sizes, total], args).catch(() => 0)
    },
    recall,
    lifetime: local.lifetime,
    get size() {
      return local.size
    },
  }
}
