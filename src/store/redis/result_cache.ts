// Results that all instances share: each keeps those it served lately in memory, and finds the others' in Redis.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { RESP_TYPES } from 'redis'
import type { CachedResult, ResultCache, ResultClass } from '../result_cache.ts'
import type { Run } from './link.ts'
import { redisKey } from './names.ts'
import { script } from './script.ts'

export interface SharedCacheOptions {
  readonly run: Run
  readonly local: ResultCache
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

/** Keys: order, sizes, total. Arguments: prefix, name, class, life, stale, bytes, crc, most octets. */
const putScript = script<number>(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local name, class, life, stale, most = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[8])
local entry = ARGV[1] .. ':' .. name
local function forget(name)
  local size = tonumber(redis.call('HGET', KEYS[2], name)) or 0
  redis.call('DEL', ARGV[1] .. ':' .. name)
  redis.call('HDEL', KEYS[2], name)
  redis.call('ZREM', KEYS[1], name)
  redis.call('DECRBY', KEYS[3], size)
end
local stored = redis.call('HMGET', entry, 'class', 'end', 'bytes', 'crc', 'whole', 'whole_crc', 'whole_end')
local whole, whole_crc, whole_end = false, false, 0
if class == 'incomplete' then
  if stored[1] == 'complete' then
    if tonumber(stored[2]) > now then return 0 end
    whole, whole_crc, whole_end = stored[3], stored[4], redis.call('PTTL', entry) + now
  elseif stored[5] then whole, whole_crc, whole_end = stored[5], stored[6], tonumber(stored[7]) end
end
forget(name)
redis.call('HSET', entry, 'class', class, 'end', string.format('%.0f', now + life), 'bytes', ARGV[6], 'crc', ARGV[7])
local ends, size = now + life, #ARGV[6] + ${entry_bytes}
if class == 'complete' then ends = now + stale end
if whole and whole_end > now then
  redis.call('HSET', entry, 'whole', whole, 'whole_crc', whole_crc, 'whole_end', string.format('%.0f', whole_end))
  ends, size = math.max(ends, whole_end), size + #whole
end
redis.call('PEXPIREAT', entry, string.format('%.0f', ends))
redis.call('HSET', KEYS[2], name, size)
redis.call('ZADD', KEYS[1], ends, name)
redis.call('INCRBY', KEYS[3], size)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 50)) do forget(gone) end
for i = 1, 50 do
  if (tonumber(redis.call('GET', KEYS[3])) or 0) <= most then break end
  local first = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if not first then redis.call('SET', KEYS[3], 0) break end
  forget(first)
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, stale * 2) end
return 1
`)

/** Keys: entry. Arguments: "stale" for the last complete result past its life, most octets. Yields class, life left, CRC, bytes. */
const getText = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local e = redis.call('HMGET', KEYS[1], 'class', 'end', 'crc')
if not e[1] then return false end
local left = (tonumber(e[2]) or 0) - now
local field, class, crc = 'bytes', e[1], e[3]
if ARGV[1] == 'stale' and class ~= 'complete' then
  field, class, crc = 'whole', 'complete', redis.call('HGET', KEYS[1], 'whole_crc')
elseif ARGV[1] ~= 'stale' and left <= 0 then return false end
if redis.call('HSTRLEN', KEYS[1], field) > tonumber(ARGV[2]) then return false end
local bytes = redis.call('HGET', KEYS[1], field)
if not bytes then return false end
return { class, string.format('%.0f', left), crc, bytes }
`
const getScript = script<[Buffer, Buffer, Buffer, Buffer] | null>(getText)

const classes: readonly string[] = ['complete', 'incomplete', 'not_found'] satisfies ResultClass[]

export function createSharedCache({ run, local, bytes_max, stale_ms }: SharedCacheOptions): SharedCache {
  const asBuffers: Run = command =>
    run(client => command(client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }) as unknown as typeof client))

  /** What Redis cannot tell, or tells wrongly, was not kept. */
  async function fetch(key: string, which: 'living' | 'stale'): Promise<(CachedResult & { left_ms: number }) | null> {
    const reply = await getScript(asBuffers, [`${prefix}:${nameOf(key)}`], [which, String(value_max)]).catch(() => null)
    if (reply === null) return null
    const [class_, left, crc, bytes] = reply
    if (String(crc) !== String(crc32(bytes)) || !classes.includes(String(class_))) return null
    // A copy of its own: what the connection read is a slice of something larger.
    return { bytes: Buffer.from(bytes), class: String(class_) as ResultClass, born: 0, left_ms: Number(left) }
  }

  async function recall(key: string): Promise<CachedResult | null> {
    const found = await fetch(key, 'living')
    if (found === null) return null
    local.put(key, found.bytes, found.class, found.left_ms)
    return found
  }

  return {
    get: key => local.get(key) ?? recall(key),
    getStale: async key => (await local.getStale(key)) ?? fetch(key, 'stale'),
    async put(key, bytes, class_, life_ms = local.lifetime(class_)) {
      await local.put(key, bytes, class_, life_ms)
      const args = [
        prefix,
        nameOf(key),
        class_,
        Math.round(life_ms).toString(),
        `${stale_ms}`,
        bytes,
        `${crc32(bytes)}`,
        `${bytes_max}`,
      ]
      if (life_ms >= 1) await putScript(run, [order, sizes, total], args).catch(() => 0)
    },
    recall,
    lifetime: local.lifetime,
    get size() {
      return local.size
    },
  }
}
