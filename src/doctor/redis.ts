// Judges a Redis that holds the store.
import type { InspectedRedis } from '../store/redis/inspect.ts'
import { rightsOf } from '../store/redis_rights.ts'
import { type Finding, failed, ok, warning } from './finding.ts'
import { examineClock } from './machine.ts'

/** The oldest release with the commands of the store (docs/stores.md). */
const OLDEST = [6, 2] as const

interface Circumstances {
  readonly authenticates: boolean
  readonly prefix: string
  readonly now: number
}

/** `authenticates`: by a password or a certificate. `now` is the wall clock, in milliseconds. */
export function examineRedis(redis: InspectedRedis, { authenticates, prefix, now }: Circumstances): readonly Finding[] {
  const { fault, server, version, layout, script_fault, eviction, appends, snapshots, user } = redis
  if (fault !== null)
    return [
      failed('redis', `not usable: ${fault}`, 'Check `store` (or ASSAY_STORE): host, port, TLS, user and password'),
    ]
  const name = `${server} ${version ?? 'of an unknown version'}`
  const clock = redis.time === null ? null : examineClock(now, { name: server ?? 'Redis', time: redis.time })
  return [
    isOld(version, server)
      ? failed('redis', `${name} is too old`, `Install Redis ${OLDEST.join('.')} or later, or Valkey`)
      : ok('redis', `${name} answers`),
    ...(layout.stored !== null && layout.stored > layout.known
      ? [
          failed(
            'redis',
            `a later release wrote it (layout ${layout.stored}; this one knows ${layout.known})`,
            'Run that release',
          ),
        ]
      : []),
    script_fault === null
      ? ok('redis rights', `${user === null ? 'this user' : `user ${user}`} may run scripts on ${prefix}:*`)
      : failed(
          'redis rights',
          `refuses a script on the keys of this service: ${script_fault}`,
          `Give the user the rights of docs/stores.md: ${rightsOf(prefix).join(' ')}`,
        ),
    ...(user === 'default' && !authenticates
      ? [
          warning(
            'redis rights',
            'everyone who reaches it can read and change keys and counts',
            'Set a password (`requirepass`, or a user of its own), or let nothing else reach its port',
          ),
        ]
      : []),
    evictionFinding(eviction),
    persistence(appends, snapshots),
    ...(redis.is_save_failing
      ? [
          failed(
            'redis persistence',
            'its last write to disk failed',
            'See the log of Redis: its disk may be full or read-only',
          ),
        ]
      : []),
    ...(clock === null ? [] : [{ ...clock, check: 'redis clock' }]),
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
