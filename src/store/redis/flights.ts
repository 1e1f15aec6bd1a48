// One run for a key over all instances: whoever takes the lock leads, the others wait for what it tells them.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { RESP_TYPES, type RedisArgument } from '@redis/client'
import type { SingleFlight } from '../../single_flight.ts'
import type { Run } from './link.ts'
import { redisKey } from './names.ts'
import { script } from './script.ts'
import { seal_length, sealOf } from './seal.ts'

/** Milliseconds that a lead lasts unless it is renewed, and between renewals: how long the others wait for a dead leader. */
const lease_ms = 2_000
const renewal_ms = 500
/** Milliseconds between looks of those who wait: one of each instance does. */
const poll_ms = 25
/** Milliseconds that an outcome is kept for those who saw its leader. */
const told_ms = 5_000

/** How failures that all must share are told; null for those that are the leader's own. */
export interface FailureCodec {
  write(fault: unknown): string | null
  read(text: string): Error
}

export interface SharedFlightsOptions {
  readonly run: Run
  readonly local: SingleFlight<Buffer>
  /** What was found meanwhile: asked once more by each new leader. */
  readonly recall: (key: string) => Promise<Buffer | null>
  readonly failures: FailureCodec
}

/** Keys: lock. Arguments: token, lease. Yields the leader's token. A lead longer than any, or without an end, is nobody's: Redis' clock was set back. */
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
const landScript = script<number>(`
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`)

const lockOf = (key: string) => redisKey('flight', key)
const outcomeOf = (token: string) => redisKey('outcome', token)

/** An outcome begins with one of these; its seal, and bytes or the failure's text follow. */
const kinds = { done: '+', failed: '-' } as const

const outcome = (key: string, kind: string, rest: Buffer) =>
  Buffer.concat([Buffer.from(kind + sealOf([key, kind], rest)), rest])

export function createSharedFlights(options: SharedFlightsOptions): SingleFlight<Buffer> {
  const { run, local, recall, failures } = options

  async function fly(
    key: string,
    start: (signal: AbortSignal) => Promise<Buffer>,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const token = randomUUID()
    for (;;) {
      signal.throwIfAborted()
      // Without Redis each instance is on its own.
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
    const land = (outcome: RedisArgument) =>
      landScript(run, [lockOf(key), outcomeOf(token)], [token, outcome, `${told_ms}`]).catch(() => {})
    try {
      const bytes = (await recall(key)) ?? (await start(signal))
      await land(outcome(key, kinds.done, bytes))
      return bytes
    } catch (fault) {
      const text = failures.write(fault)
      await land(text === null ? '' : outcome(key, kinds.failed, Buffer.from(text)))
      throw fault
    } finally {
      clearInterval(renewal)
    }
  }

  /** What this leader tells; null when it tells nothing and leads no more, or when Redis is out. */
  async function follow(key: string, leader: string, signal: AbortSignal): Promise<Buffer | null> {
    for (;;) {
      await pause(poll_ms, undefined, { signal })
      const [present, told] = await run(client =>
        client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).mGet([lockOf(key), outcomeOf(leader)]),
      ).catch(() => [null, null])
      const bytes = told && read(key, told)
      if (bytes) return bytes
      if (present?.toString() !== leader) return null
    }
  }

  /** Null for what no leader of this key told; throws the failure it told. */
  function read(key: string, told: Buffer): Buffer | null {
    const kind = told.toString('latin1', 0, 1)
    const rest = Buffer.from(told.subarray(1 + seal_length))
    if (told.toString('latin1', 1, 1 + seal_length) !== sealOf([key, kind], rest)) return null
    if (kind === kinds.done) return rest
    throw failures.read(rest.toString('utf8'))
  }

  return {
    run: (key, start, signal) => local.run(key, flight => fly(key, start, flight), signal),
    has: local.has,
    get size() {
      return local.size
    },
  }
}
