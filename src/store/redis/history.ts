// The history in Redis, shared by all instances. Everything expires by itself. When results exceed the size limit, the
// oldest lose their body, and their entries stay.
import {
  type Entry,
  type HistoryLimits,
  type HistoryStore,
  type Meeting,
  MOST_SHARES,
  type Share,
  type Sighting,
  shareId,
} from '../history.ts'
import { type Run, script, withBuffers } from './link.ts'
import { fieldsOf, integrityTag, isTexts, isWhole, Misread } from './protocol.ts'

export interface RedisHistoryOptions extends HistoryLimits {
  readonly run: Run
  /** Wall clock, in milliseconds. */
  readonly now: () => number
}

/** Largest compressed result in bytes: far above any real one. */
const BODY_MAX = 1024 * 1024
/** Bytes that a result takes in Redis besides its body, estimated generously. */
const ENTRY_OCTETS = 1_000
/** Maximum entries of one account over all targets. Older ones are only in the lists of their targets. */
const ACCOUNT_ENTRIES = 100_000

/**
 * Keys: the index, then for each result its key, the account's list and the target's list. Arguments: life in milliseconds, start of
 * the life before now, most bytes, prefix of results, then for each result its id, the time of its check, body, tag and summary.
 */
const writeScript = script<number>(
  `
local life, start, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
local order, sizes, total = KEYS[1], KEYS[2], KEYS[3]
local function write(result, lists, id, at, body, tag, summary)
  local left = tonumber(at) - tonumber(start)
  if left <= 0 then return end
  if redis.call('EXISTS', result) == 0 then
    redis.call('HSET', result, 'body', body, 'tag', tag, 'summary', summary)
    redis.call('PEXPIRE', result, left)
    local size = #body + ${ENTRY_OCTETS}
    redis.call('ZADD', order, at, id)
    redis.call('HSET', sizes, id, size)
    redis.call('INCRBY', total, size)
  end
  for _, list in ipairs(lists) do
    redis.call('ZADD', list, at, id)
    redis.call('ZREMRANGEBYSCORE', list, '-inf', start)
    redis.call('PEXPIRE', list, life)
  end
  redis.call('ZREMRANGEBYRANK', lists[1], 0, -${ACCOUNT_ENTRIES + 1})
end
local key, fault = 4, nil
for at = 5, #ARGV, 5 do
  -- What is wrong with the lists of one account must not keep the results of others away.
  local is_written, why = pcall(write, KEYS[key], { KEYS[key + 1], KEYS[key + 2] }, unpack(ARGV, at, at + 4))
  if not is_written then fault = why end
  key = key + 3
end
local function forget(one)
  redis.call('HDEL', ARGV[4] .. ':' .. one, 'body', 'tag')
  redis.call('DECRBY', total, tonumber(redis.call('HGET', sizes, one)) or 0)
  redis.call('HDEL', sizes, one)
  redis.call('ZREM', order, one)
end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', start, 'LIMIT', 0, 50)) do forget(old) end
for i = 1, 50 do
  if (tonumber(redis.call('GET', total)) or 0) <= most then break end
  local first = redis.call('ZRANGE', order, 0, 0)[1]
  if not first then redis.call('SET', total, 0) break end
  forget(first)
end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], life * 2) end
if fault then error(fault) end
return 1
`,
  isWhole,
)

/** Results that one script writes: fewer than it removes, and so few that it takes less than a millisecond. */
const TOGETHER = 16

/** Beside the targets: since when the record is complete. No target has this name. */
const SINCE = '@since'
/** Targets that one script removes. The others follow with the next meetings. */
const FORGOTTEN = 200

/** Keys: the record. Arguments: now, start of the record at the earliest, life in milliseconds, most targets, then targets and times. */
const meetScript = script<number>(
  `
local last, first = KEYS[1], KEYS[2]
redis.call('HSETNX', first, '${SINCE}', ARGV[1])
local function begin(at)
  if at > tonumber(redis.call('HGET', first, '${SINCE}')) then redis.call('HSET', first, '${SINCE}', string.format('%.0f', at)) end
end
for i = 5, #ARGV, 2 do
  local target, at = ARGV[i], tonumber(ARGV[i + 1])
  local known = tonumber(redis.call('HGET', first, target))
  if not known or at < known then redis.call('HSET', first, target, ARGV[i + 1]) end
  local met = tonumber(redis.call('ZSCORE', last, target) or nil)
  if not met or at > met then redis.call('ZADD', last, at, target) end
end
local function forget(target)
  redis.call('HDEL', first, target)
  redis.call('ZREM', last, target)
end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', last, '-inf', '(' .. ARGV[2], 'LIMIT', 0, ${FORGOTTEN})) do forget(old) end
begin(tonumber(ARGV[2]))
local excess = math.min(redis.call('ZCARD', last) - tonumber(ARGV[4]), ${FORGOTTEN})
if excess > 0 then
  local oldest = redis.call('ZRANGE', last, 0, excess - 1, 'WITHSCORES')
  for i = 1, #oldest, 2 do
    forget(oldest[i])
    begin(tonumber(oldest[i + 1]) + 1)
  end
end
for i = 1, 2 do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
return 1
`,
  isWhole,
)

/** Keys: a list. Arguments: before, limit, prefix of results, the result of that time to continue after. Returns for each result its id, whether it is kept, and its summary. */
const listScript = script<string[]>(
  `
local found, ids = {}, nil
local rank = ARGV[4] ~= '' and redis.call('ZREVRANK', KEYS[1], ARGV[4])
if rank then ids = redis.call('ZREVRANGE', KEYS[1], rank + 1, rank + tonumber(ARGV[2]))
else ids = redis.call('ZREVRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '-inf', 'LIMIT', 0, ARGV[2]) end
for _, id in ipairs(ids) do
  local key = ARGV[3] .. ':' .. id
  local summary = redis.call('HGET', key, 'summary')
  if summary then
    found[#found + 1] = id
    found[#found + 1] = tostring(redis.call('HEXISTS', key, 'body'))
    found[#found + 1] = summary
  end
end
return found
`,
  isTexts,
)

/**
 * Keys: account's list, shares, share. Arguments: result, share, created, life, token hash, account, prefix of shares. Returns 1 when
 * it is done, 0 when the account did not see the result, 2 when it has too many links. Expired ones are only then taken off the list.
 */
const shareScript = script<number>(
  `
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
if redis.call('HLEN', KEYS[2]) >= ${MOST_SHARES} then
  local all = redis.call('HGETALL', KEYS[2])
  for at = 1, #all, 2 do
    local hash = string.match(all[at + 1], '(%S*)$')
    if redis.call('EXISTS', ARGV[7] .. ':' .. hash) == 0 then redis.call('HDEL', KEYS[2], all[at]) end
  end
  if redis.call('HLEN', KEYS[2]) >= ${MOST_SHARES} then return 2 end
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1] .. ' ' .. ARGV[3] .. ' ' .. ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('HSET', KEYS[3], 'account', ARGV[6], 'result_id', ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
return 1
`,
  isWhole,
)

export function createRedisHistory(options: RedisHistoryOptions): HistoryStore {
  const { run, now, life_ms, octets, met_ms, targets } = options
  const { key } = run
  const keptKey = (id: string) => key('history-result', id)
  const ofAccount = (account: string) => key('history', account)
  /** Accounts have no spaces in their ids. */
  const ofTarget = (account: string, target: string) => key('history-target', `${account} ${target}`)
  const sharesKey = (account: string) => key('history-shares', account)
  const shareKey = (hash: string) => key('history-share', hash)
  /** Results with a body by the time of their check, the bytes of each, and the total. */
  const INDEX = ['history-order', 'history-sizes', 'history-bytes'].map(part => key(part))
  /** Targets on record by their last check, and the first check of each. The times go with the record: without them there is none. */
  const RECORD = ['history-met', 'history-first-met'].map(part => key(part))
  const asBuffers = withBuffers(run)
  const life = `${Math.ceil(life_ms)}`

  async function put(sightings: readonly Sighting[]): Promise<void> {
    const keys = sightings.flatMap(({ account, id, summary }) => [
      ...[keptKey(id), ofAccount(account), ofTarget(account, summary.target)],
    ])
    const values = sightings.flatMap(({ id, summary, body }) => [
      ...[id, `${Date.parse(summary.checked_at)}`, body, integrityTag([id, 'history'], body), JSON.stringify(summary)],
    ])
    const limits = [life, `${Math.floor(now() - life_ms)}`, `${octets}`, key('history-result')]
    await writeScript(run, [...INDEX, ...keys], [...limits, ...values])
  }

  async function sharesOf(account: string) {
    const all = fieldsOf(await run(client => client.sendCommand(['HGETALL', sharesKey(account)])))
    return Object.entries(all).map(([id, text]) => {
      const [result_id = '', created = '', token_hash = ''] = text.split(' ')
      return { id, result_id, created: Number(created), token_hash }
    })
  }

  return {
    async write(sightings) {
      const batches = Array.from({ length: Math.ceil(sightings.length / TOGETHER) }, (_, at) => at * TOGETHER)
      await Promise.all(batches.map(from => put(sightings.slice(from, from + TOGETHER))))
    },
    async read(account, id) {
      const saw = await run(client => client.zScore(ofAccount(account), id))
      if (saw === null) return null
      const [body, tag] = (await asBuffers(client =>
        client.hmGet(keptKey(id), ['body', 'tag']),
      )) as unknown as (Buffer | null)[]
      if (body == null || tag == null || body.length > BODY_MAX) return null
      return String(tag) === integrityTag([id, 'history'], body) ? Buffer.from(body) : null
    },
    async list({ account, target, before, after, limit }) {
      const list = target === null ? ofAccount(account) : ofTarget(account, target)
      const found = await listScript(run, [list], [...[`${before}`, `${limit}`, key('history-result'), after ?? '']])
      return Array.from({ length: found.length / 3 }, (_, at): Entry => {
        const [result_id = '', kept, summary = ''] = found.slice(at * 3)
        return { result_id, ...JSON.parse(summary), kept: kept === '1' }
      })
    },
    async meet(meetings) {
      const arguments_ = meetings.flatMap(({ target, at }: Meeting) => [target, `${at}`])
      const start = `${Math.ceil(now() - met_ms)}`
      await meetScript(run, RECORD, [`${now()}`, start, `${Math.ceil(met_ms)}`, `${targets}`, ...arguments_])
    },
    async firstSeen(target) {
      const [first, since] = timesOf(await run(client => client.hmGet(RECORD[1] ?? '', [target, SINCE])))
      return { at: first, since: Math.max(since ?? now(), Math.ceil(now() - met_ms)) }
    },
    async share(account, result_id, token_hash) {
      const share = { id: shareId(token_hash), result_id, created: now() }
      const keys = [ofAccount(account), sharesKey(account), shareKey(token_hash)]
      const values = [result_id, share.id, `${share.created}`, life, token_hash, account, key('history-share')]
      const done = await shareScript(run, keys, values)
      return done === 1 ? share : done === 2 ? 'limit' : null
    },
    async shares(account, result_id) {
      const all = await sharesOf(account)
      return all
        .filter(share => share.result_id === result_id)
        .map(({ token_hash: _, ...share }): Share => share)
        .sort((one, other) => one.created - other.created || one.id.localeCompare(other.id))
    },
    async unshare(account, id) {
      const share = (await sharesOf(account)).find(one => one.id === id)
      if (share === undefined) return false
      await run(client => client.del(shareKey(share.token_hash)))
      await run(client => client.hDel(sharesKey(account), id))
      return true
    },
    async shared(hash) {
      const { account, result_id } = fieldsOf(await run(client => client.sendCommand(['HGETALL', shareKey(hash)])))
      return account === undefined || result_id === undefined ? null : { account, result_id }
    },
    // The store closes the link.
    async close() {},
  }
}

/** Two times in milliseconds, each null when absent. Throws `Misread` for anything else. */
function timesOf(reply: unknown): readonly [number | null, number | null] {
  if (!Array.isArray(reply) || reply.length !== 2) throw new Misread('expected two times')
  const [first, second] = reply.map(time => {
    if (time === null) return null
    if (typeof time !== 'string' || !/^\d{1,16}$/.test(time)) throw new Misread('expected a time')
    return Number(time)
  })
  return [first ?? null, second ?? null]
}
