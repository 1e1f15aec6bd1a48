// Judges a Redis that holds the store, or shared results alone.
import type { InspectedRedis } from '../store/redis/inspect.ts'
import { rightsOf } from '../store/redis_rights.ts'
import { type Finding, failed, ok, warning } from './finding.ts'
import { examineClock } from './machine.ts'

/** The oldest release with the commands of the store (docs/stores.md). */
const OLDEST = [6, 2] as const

interface Circumstances {
  /** What the configuration calls it. One for `cache.store` may lose what it holds. */
  readonly key: 'store' | 'cache.store'
  readonly authenticates: boolean
  readonly prefix: string
  readonly now: number
}

/** `authenticates`: by a password or a certificate. `now` is the wall clock, in milliseconds. */
export function examineRedis(redis: InspectedRedis, circumstances: Circumstances): readonly Finding[] {
  const { key, now } = circumstances
  const of = key === 'store' ? 'redis' : 'results redis'
  if (redis.fault !== null) {
    const where = key === 'store' ? '`store` (or ASSAY_STORE)' : `\`${key}\``
    return [failed(of, `not usable: ${redis.fault}`, `Check ${where}: host, port, TLS, user and password`)]
  }
  const name = `${redis.server} ${redis.version ?? 'of an unknown version'}`
  const clock = redis.time === null ? null : examineClock(now, { name: redis.server ?? 'Redis', time: redis.time })
  return [
    isOld(redis.version, redis.server)
      ? failed(of, `${name} is too old`, `Install Redis ${OLDEST.join('.')} or later, or Valkey`)
      : ok(of, `${name} answers`),
    ...rights(of, redis, circumstances),
    ...(key === 'store' ? keeping(redis) : []),
    ...(clock === null ? [] : [{ ...clock, check: `${of} clock` }]),
  ]
}

function rights(
  of: string,
  { user, script_fault }: InspectedRedis,
  { authenticates, prefix }: Circumstances,
): Finding[] {
  return [
    script_fault === null
      ? ok(`${of} rights`, `${user === null ? 'this user' : `user ${user}`} may run scripts on ${prefix}:*`)
      : failed(
          `${of} rights`,
          `refuses a script on the keys of this service: ${script_fault.message}`,
          script_fault.is_unpermitted
            ? `Give the user the rights of docs/stores.md: ${rightsOf(prefix).join(' ')}`
            : (script_fault.sentence ?? 'See the log of Redis'),
        ),
    ...(user === 'default' && !authenticates
      ? [
          warning(
            `${of} rights`,
            `everyone who reaches it can read and change ${of === 'redis' ? 'keys and counts' : 'results'}`,
            'Set a password (`requirepass`, or a user of its own), or let nothing else reach its port',
          ),
        ]
      : []),
  ]
}

/** Whether it keeps what only it has. */
function keeping({ layout, eviction, appends, snapshots, is_save_failing }: InspectedRedis): Finding[] {
  return [
    ...(layout.stored !== null && layout.stored > layout.known
      ? [
          failed(
            'redis',
            `a later release wrote it (layout ${layout.stored}; this one knows ${layout.known})`,
            'Run that release',
          ),
        ]
      : []),
    evictionFinding(eviction),
    persistence(appends, snapshots),
    ...(is_save_failing
      ? [
          failed(
            'redis persistence',
            'its last write to disk failed',
            'See the log of Redis: its disk may be full or read-only',
          ),
        ]
      : []),
  ]
}

function isOld(version: string | null, server: string | null): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (version === null || server === 'Valkey') return false
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
}

function evictionFinding(eviction: string | null): Finding {
  if (eviction === null)
    return warning(
      'redis eviction',
      'does not show `maxmemory-policy`',
      'Make sure that it is noeviction, or allow +info',
    )
  if (eviction === 'noeviction') return ok('redis eviction', 'maxmemory-policy is noeviction')
  return warning(
    'redis eviction',
    `maxmemory-policy is ${eviction}: keys and counts may be evicted when it is full`,
    'Set `maxmemory-policy noeviction`',
  )
}

function persistence(appends: boolean | null, snapshots: boolean | null): Finding {
  if (appends) return ok('redis persistence', 'appendonly is on')
  if (appends === null)
    return warning('redis persistence', 'does not show whether it persists', 'Make sure that `appendonly yes` is set')
  const what = snapshots
    ? 'snapshots only: a crash loses the counts since the last one'
    : 'nothing is written to disk: a restart loses keys and counts'
  return warning('redis persistence', what, 'Set `appendonly yes`')
}
