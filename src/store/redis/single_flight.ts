// One run for a key over all instances: the instance that takes the lock leads, and the others wait for its outcome. The outcome of
// a check is the result in the cache, which is written once.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SingleFlight } from '../../single_flight.ts'
import type { ResultFlights } from '../backend.ts'
import { type Run, script, withBuffers } from './link.ts'
import { tag_length, tagged, untagged } from './protocol.ts'
import { type EntryReply, entryReader, type Lead, type SharedCache } from './result_cache.ts'

/** Milliseconds that a lead lasts unless renewed, and between renewals: how long the others wait for a dead leader. */
const lease_ms = 2_000
const renewal_ms = 500
/** Leads that one script renews. */
const together = 200
/** Milliseconds between polls of a waiting instance. */
const poll_ms = 25
/** Milliseconds that an outcome is kept for those that saw its leader. */
const outcome_ms = 5_000

export interface SharedFlightsOptions {
  readonly run: Run
  readonly local: SingleFlight<Buffer>
  readonly cache: Pick<SharedCache, 'entryOf' | 'accept' | 'recall' | 'putOutcome'>
}

/**
 * Keys: lock, and the result if one is to be looked for. Arguments: token, lease. Returns a result that was stored in the meantime, of
 * which nothing is known yet; otherwise the leader's token.
 * A lease that is too long or endless is void: the clock of Redis was set back.
 */
const leadScript = script<EntryReply | readonly [leader: Buffer]>(
  `${entryReader}
if KEYS[2] then
  local is_entry, found = pcall(read_entry, KEYS[2])
  if is_entry and found then return found end
end
local left = redis.call('PTTL', KEYS[1])
if left == -1 or left > tonumber(ARGV[2]) then redis.call('DEL', KEYS[1]) end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return { ARGV[1] } end
return { redis.call('GET', KEYS[1]) }
`,
  reply => Array.isArray(reply) && (reply.length === 1 || reply.length === 5) && reply.every(Buffer.isBuffer),
)
/** Keys: locks. Arguments: lease, then the tokens. */
const renewScript = script<number>(`
for i, lock in ipairs(KEYS) do
  if redis.call('GET', lock) == ARGV[i + 1] then redis.call('PEXPIRE', lock, ARGV[1]) end
end
return 1
`)
/** Keys: lock, outcome. Arguments: token, outcome or nothing, its life. */
const finishScript = script<number>(`
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`)

/**
 * First byte of an outcome; an integrity tag follows, and then the bytes, or for one that is in the cache, the tag and the name of
 * that. Failures are not shared, because each instance judges its own network.
 */
const DONE = '+'
const CACHED = '='

const outcome = (key: string, kind: string, bytes: Buffer) =>
  Buffer.concat([Buffer.from(kind), tagged([key, kind], bytes)])

/** Null for anything that no leader of this key stored. */
const contentOf = (key: string, kind: string, stored: Buffer): Buffer | null =>
  stored.toString('latin1', 0, 1) === kind ? untagged([key, kind], stored.subarray(1)) : null

export function createSharedFlights({ run, local, cache }: SharedFlightsOptions): ResultFlights {
  const lockOf = (key: string) => run.key('flight', key)
  const outcomeOf = (token: string) => run.key('outcome', token)
  const asBuffers = withBuffers(run)
  const renewals = createRenewals(run)

  type Start = Parameters<ResultFlights['run']>[1]

  async function fly(key: string, start: Start, signal: AbortSignal): Promise<Buffer> {
    const token = randomUUID()
    let keys = [lockOf(key), cache.entryOf(key)]
    for (;;) {
      signal.throwIfAborted()
      // Without Redis each instance runs alone.
      const reply = await leadScript(asBuffers, keys, [token, `${lease_ms}`]).catch(() => null)
      if (reply === null) return start(signal)
      if (reply.length === 5) {
        const found = cache.accept(key, reply)
        if (found !== null) return found.bytes
        keys = [lockOf(key)]
        continue
      }
      const [leader] = reply
      if (leader.toString() === token) return lead(key, token, start, signal)
      const outcome = await follow(key, leader.toString(), signal)
      if (outcome !== null) return outcome
    }
  }

  async function lead(key: string, token: string, start: Start, signal: AbortSignal): Promise<Buffer> {
    const lock = lockOf(key)
    const own: Omit<Lead, 'reference'> = { lock, token, outcome: outcomeOf(token), outcome_ms }
    const ended = renewals.begin(lock, token)
    let isStored = false
    const tell = async (bytes: Buffer | null) => {
      const args = [token, bytes === null ? '' : outcome(key, DONE, bytes), `${outcome_ms}`]
      if (!isStored) await finishScript(run, [lock, own.outcome], args).catch(() => {})
    }
    try {
      const bytes = await start(signal, async (name, ...result) => {
        const reference = (seal: string) => outcome(key, CACHED, Buffer.from(seal + name))
        isStored = await cache.putOutcome({ ...own, reference }, name, ...result)
      })
      await tell(bytes)
      return bytes
    } catch (fault) {
      await tell(null)
      throw fault
    } finally {
      ended()
    }
  }

  /** The leader's outcome; null when it ended without one, or when Redis is down. */
  async function follow(key: string, leader: string, signal: AbortSignal): Promise<Buffer | null> {
    for (;;) {
      await pause(poll_ms, undefined, { signal })
      const [present, stored] = await asBuffers(client => client.mGet([lockOf(key), outcomeOf(leader)])).catch(() => [
        null,
        null,
      ])
      const bytes = stored && (await read(key, stored as unknown as Buffer))
      if (bytes) return bytes
      if (present?.toString() !== leader) return null
    }
  }

  async function read(key: string, stored: Buffer): Promise<Buffer | null> {
    const reference = contentOf(key, CACHED, stored)?.toString() ?? null
    if (reference === null) return contentOf(key, DONE, stored)
    return (await cache.recall(reference.slice(tag_length), reference.slice(0, tag_length)))?.bytes ?? null
  }

  return {
    run: (key, start, signal) => local.run(key, flight => fly(key, start, flight), signal),
    has: local.has,
    get size() {
      return local.size
    },
  }
}

/** Renews all leads of this instance together. */
function createRenewals(run: Run) {
  const tokens = new Map<string, string>()
  /** Leads that are as old as one interval at least. */
  let due: readonly string[] = []
  let timer: NodeJS.Timeout | undefined

  function renew(): void {
    const locks = due.filter(lock => tokens.has(lock))
    due = [...tokens.keys()]
    for (let from = 0; from < locks.length; from += together) {
      const some = locks.slice(from, from + together)
      renewScript(run, some, [`${lease_ms}`, ...some.map(lock => tokens.get(lock) ?? '')]).catch(() => {})
    }
  }

  return {
    /** Until the returned function is called. */
    begin(lock: string, token: string): () => void {
      tokens.set(lock, token)
      timer ??= setInterval(renew, renewal_ms).unref()
      return () => {
        // An aborted lead may end after its successor in this instance has begun.
        if (tokens.get(lock) === token) tokens.delete(lock)
        if (tokens.size > 0) return
        clearInterval(timer)
        timer = undefined
        due = []
      }
    },
  }
}
