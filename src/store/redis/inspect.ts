// What an operator should know about a Redis before a service depends on it. Changes nothing but one key that it removes.
import type { RedisPlace } from '../redis_place.ts'
import { codeOf, sentenceOf } from './error_replies.ts'
import { layout_version, readVersion } from './layout.ts'
import { createLink, type Run, script } from './link.ts'
import { isWhole, textOrNone } from './protocol.ts'

export interface InspectedRedis {
  /** Why it cannot be used; null when it was reached. */
  readonly fault: string | null
  readonly server: string | null
  /** As in `7.0.15`. */
  readonly version: string | null
  /** Null when Redis does not show its configuration to this user. */
  readonly eviction: string | null
  readonly appends: boolean | null
  readonly snapshots: boolean | null
  /** The last attempt to write to its disk failed. */
  readonly is_save_failing: boolean
  readonly user: string | null
  /** Its error when it refuses to run a script on the keys of this service. */
  readonly script_fault: ScriptFault | null
  readonly layout: { readonly stored: number | null; readonly known: number }
  /** Its clock, in milliseconds since the Unix epoch. */
  readonly time: number | null
}

interface ScriptFault {
  readonly message: string
  /** The user has no right to it. */
  readonly is_unpermitted: boolean
  /** What its code means; null when nothing is known of it. */
  readonly sentence: string | null
}

/** Milliseconds for one command. */
const COMMAND_MS = 2_000

const probe = script<number>(
  `redis.call('SET', KEYS[1], '1', 'PX', 1000)
return redis.call('DEL', KEYS[1])`,
  isWhole,
)

/** Writes and removes a key as the service does, which needs the rights to commands, keys and scripts. */
export const proveWritable = (run: Run): Promise<number> => probe(run, [run.key('probe')], [])

const unknown: InspectedRedis = {
  ...{ fault: null, server: null, version: null, eviction: null, appends: null, snapshots: null },
  ...{ is_save_failing: false, user: null, script_fault: null, time: null },
  layout: { stored: null, known: layout_version },
}

/** Never rejects. */
export async function inspectRedis(place: RedisPlace): Promise<InspectedRedis> {
  let fault = 'not reached'
  const link = createLink({
    ...place,
    command_ms: COMMAND_MS,
    changed(up, why, detail) {
      if (!up) fault = detail === null ? why : `${why}: ${detail}`
    },
  })
  await link.start()
  try {
    return link.up ? await inspected(link.run) : { ...unknown, fault }
  } catch (error) {
    return { ...unknown, fault: error instanceof Error ? error.message : String(error) }
  } finally {
    link.close()
  }
}

async function inspected(run: Run): Promise<InspectedRedis> {
  const unless = async <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null)
  const setting = async (name: string) =>
    (await unless(run(client => client.configGet(name), { is_optional: true })))?.[name] ?? null
  const server = (await unless(run(async client => textOrNone(await client.info('server'))))) ?? ''
  const persistence = (await unless(run(async client => textOrNone(await client.info('persistence'))))) ?? ''
  const valkey = fieldOf(server, 'valkey_version')
  const save = await setting('save')
  const appends = fieldOf(persistence, 'aof_enabled')
  const time = await unless(run(client => client.time()))
  return {
    fault: null,
    server: valkey === null ? 'Redis' : 'Valkey',
    version: valkey ?? fieldOf(server, 'redis_version'),
    eviction: await evictionPolicy(run),
    appends: appends === null ? null : appends === '1',
    snapshots: save === null ? null : save !== '',
    is_save_failing: ['rdb_last_bgsave_status', 'aof_last_write_status'].some(
      name => fieldOf(persistence, name) === 'err',
    ),
    user: await unless(run(async client => textOrNone(await client.aclWhoAmI()))),
    script_fault: await proveWritable(run).then(() => null, scriptFault),
    layout: { stored: await unless(readVersion(run)), known: layout_version },
    time: time === null ? null : timeOf(time),
  }
}

/** From what Redis replied, if it did. */
function scriptFault(error: unknown): ScriptFault {
  const reply = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = codeOf(reply)
  return {
    message: reply instanceof Error ? reply.message.slice(0, FAULT_MAX) : 'unknown',
    is_unpermitted: code === 'NOPERM',
    sentence: code === null ? null : sentenceOf(code),
  }
}

/** Characters of an error of Redis. */
const FAULT_MAX = 160

/** What Redis deletes when it is full; null when it does not show that to this user. */
export async function evictionPolicy(run: Run): Promise<string | null> {
  const memory = run(async client => textOrNone(await client.info('memory')), { is_optional: true })
  return fieldOf((await memory.catch(() => null)) ?? '', 'maxmemory_policy')
}

const fieldOf = (info: string, name: string): string | null =>
  new RegExp(`^${name}:([^\\r\\n]{0,40})`, 'm').exec(info)?.[1] ?? null

/** `TIME` replies with seconds and microseconds. */
function timeOf(reply: unknown): number | null {
  const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : []
  const time = Number(seconds) * 1_000 + Number(micros) / 1_000
  return Number.isFinite(time) ? Math.round(time) : null
}
