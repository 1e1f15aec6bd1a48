// One run for a key over all instances: the instance that takes the lock leads, and the others wait for its outcome.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { RESP_TYPES, type RedisArgument } from '@redis/client'
import type { SingleFlight } from '../../single_flight.ts'
import { type Run, script } from './link.ts'
import { integrityTag, tag_length } from './protocol.ts'

/** Milliseconds that a lead lasts unless renewed, and between renewals: how long the others wait for a dead leader. */
const lease_ms = 2_000
const renewal_ms = 500
/** Milliseconds between polls of a waiting instance. */
const poll_ms = 25
/** Milliseconds that an outcome is kept for those that saw its leader. */
const outcome_ms = 5_000

export interface SharedFlightsOptions {
  readonly run: Run
  readonly local: SingleFlight<Buffer>
  /** Finds a result that was stored in the meantime: called once by each new leader. */
  readonly recall: (key: string) => Promise<Buffer | null>
}

/**
 * Keys: lock. Arguments: token, lease. Returns the leader's token. A lease that is too long or endless is void: the clock of
 * Redis was set back.
 */
const leadScript = script<string>(`
local left = redis.call('PTTL', KEYS[1])
if left == -1 or left > tonumber(ARGV[2]) then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])
`)
/** Keys: lock. Arguments: token, lease. */
const renewScript = script<number>(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)
/** Keys: lock, outcome. Arguments: token, outcome or nothing, its life. */
const finishScript = script<number>(`
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`)

/**
 * First byte of an outcome; an integrity tag and the bytes follow. Failures are not shared, because each instance judges its
 * own network.
 */
const DONE = '+'

const outcome = (key: string, bytes: Buffer) =>
  Buffer.concat([Buffer.from(DONE + integrityTag([key, DONE], bytes)), bytes])

export function createSharedFlights(options: SharedFlightsOptions): SingleFlight<Buffer> {
  const { run, local, recall } = options
  const lockOf = (key: string) => run.key('flight', key)
  const outcomeOf = (token: string) => run.key('outcome', token)

  async function fly(
    key: string,
    start: (signal: AbortSignal) => Promise<Buffer>,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const token = randomUUID()
    for (;;) {
      signal.throwIfAborted()
      // Without Redis each instance runs alone.
      const leader = await leadScript(run, [lockOf(key)], [token, `${lease_ms}`]).catch(() => null)
      if (leader === null) return start(signal)
      if (leader === token) return lead(key, token, start, signal)
      const outcome = await follow(key, leader, signal)
      if (outcome !== null) return outcome
    }
  }

  async function lead(
    key: string,
    token: string,
    start: (signal: AbortSignal) => Promise<Buffer>,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const renewal = setInterval(() => {
      renewScript(run, [lockOf(key)], [token, `${lease_ms}`]).catch(() => {})
    }, renewal_ms).unref()
    const finish = (outcome: RedisArgument) =>
      finishScript(run, [lockOf(key), outcomeOf(token)], [token, outcome, `${outcome_ms}`]).catch(() => {})
    try {
      const bytes = (await recall(key)) ?? (await start(signal))
      await finish(outcome(key, bytes))
      return bytes
    } catch (fault) {
      await finish('')
      throw fault
    } finally {
      clearInterval(renewal)
    }
  }

  /** The leader's outcome; null when it ended without one, or when Redis is down. */
  async function follow(key: string, leader: string, signal: AbortSignal): Promise<Buffer | null> {
    for (;;) {
      await pause(poll_ms, undefined, { signal })
      const [present, stored] = await run(client =>
        client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).mGet([lockOf(key), outcomeOf(leader)]),
      ).catch(() => [null, null])
      const bytes = stored && read(key, stored)
      if (bytes) return bytes
      if (present?.toString() !== leader) return null
    }
  }

  /** Null for anything that no leader of this key stored. */
  function read(key: string, stored: Buffer): Buffer | null {
    if (stored.toString('latin1', 0, 1) !== DONE) return null
    const bytes = Buffer.from(stored.subarray(1 + tag_length))
    return stored.toString('latin1', 1, 1 + tag_length) === integrityTag([key, DONE], bytes) ? bytes : null
  }

  return {
    run: (key, start, signal) => local.run(key, flight => fly(key, start, flight), signal),
    has: local.has,
    get size() {
      return local.size
    },
  }
}
