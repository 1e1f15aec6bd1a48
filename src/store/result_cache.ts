// Results kept as the bytes they are served as, bounded by bytes, on a monotonic clock.
import { LRUCache } from 'lru-cache'
import type { Target } from '../target/target.ts'
import type { MaybeAsync } from './store.ts'

/** How far a result can be relied on, which decides how long it lives. */
export type ResultClass = 'complete' | 'incomplete' | 'not_found'

/** `bytes` is what `prepareBody` made. */
export interface CachedResult {
  readonly bytes: Buffer
  readonly class: ResultClass
}

export interface ResultCache {
  /** The result to serve now, or null. */
  get(key: string): MaybeAsync<CachedResult | null>
  /** The last complete result, also after its life: to be served, marked, while we cannot look ourselves. */
  getStale(key: string): MaybeAsync<CachedResult | null>
  /** Keeps a result, for `life_ms` or as long as its class lives. An incomplete one does not replace a complete one that still lives. */
  put(key: string, bytes: Buffer, class_: ResultClass, life_ms?: number): MaybeAsync<void>
  /** Milliseconds that a result of this class is to live, drawn anew at each call. */
  lifetime(class_: ResultClass): number
  /** Octets held in memory. */
  readonly size: number
}

/** A cache in this process's memory, which answers at once. */
export interface LocalResultCache extends ResultCache {
  get(key: string): CachedResult | null
  getStale(key: string): CachedResult | null
  /** `age_ms` is what it lived already, elsewhere. */
  put(key: string, bytes: Buffer, class_: ResultClass, life_ms?: number, age_ms?: number): void
  /** The longest that any result lives, in milliseconds. */
  readonly longest_ms: number
}

export interface ResultCacheOptions {
  readonly bytes_max: number
  readonly lives_ms: Readonly<Record<ResultClass, number>>
  /** How long a complete result may stand in while we cannot look ourselves. */
  readonly stale_ms: number
  /** A clock that is never set: milliseconds. */
  readonly now: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
}

const minute_ms = 60_000

export const result_cache_defaults: ResultCacheOptions = {
  bytes_max: 64 * 1024 * 1024,
  lives_ms: { complete: 60 * minute_ms, incomplete: minute_ms, not_found: 5 * minute_ms },
  stale_ms: 24 * 60 * minute_ms,
  now: () => performance.now(),
  random: Math.random,
}

/** Complete results live up to a tenth longer or shorter, so that those born together do not end together. */
const jitter = 0.1

/** Octets that an entry takes beside its bytes and its key, generously. */
const entry_bytes = 512

/** `born` and `end` are in milliseconds of the cache's clock. */
interface Living extends CachedResult {
  readonly born: number
  readonly end: number
}

/** `latest` is what was put last; `complete` is the last complete result, often the same. */
interface Entry {
  readonly latest: Living
  readonly complete: Living | null
}

/** Unambiguous whatever the names hold; equal for equal targets under equal policies. */
export function cacheKey(target: Target, policy: string): string {
  return JSON.stringify([target.kind, target.domain, target.ip, policy])
}

export function createResultCache(options: Partial<ResultCacheOptions> = {}): LocalResultCache {
  const { bytes_max, lives_ms, stale_ms, now, random } = { ...result_cache_defaults, ...options }
  // The library takes no bound of 0; an octet has room for nothing either.
  const entries = new LRUCache<string, Entry>({ maxSize: Math.max(1, bytes_max), sizeCalculation: weigh })

  function lifetime(class_: ResultClass): number {
    const life = lives_ms[class_]
    return class_ === 'complete' ? life * (1 - jitter + 2 * jitter * random()) : life
  }

  function get(key: string): CachedResult | null {
    const latest = entries.get(key)?.latest
    return latest !== undefined && now() < latest.end ? latest : null
  }

  function getStale(key: string): CachedResult | null {
    const complete = entries.get(key)?.complete ?? null
    return complete !== null && now() - complete.born < stale_ms ? complete : null
  }

  function put(key: string, bytes: Buffer, class_: ResultClass, life_ms = lifetime(class_), age_ms = 0): void {
    const present = now()
    const latest = { bytes, class: class_, born: present - age_ms, end: present + life_ms }
    if (class_ !== 'incomplete') {
      entries.set(key, { latest, complete: class_ === 'complete' ? latest : null })
      return
    }
    const complete = entries.peek(key)?.complete ?? null
    if (complete === null || present >= complete.end) entries.set(key, { latest, complete })
  }

  return {
    get,
    getStale,
    put,
    lifetime,
    longest_ms: Math.max(...Object.values(lives_ms)) * (1 + jitter),
    get size() {
      return entries.calculatedSize
    },
  }
}

function weigh({ latest, complete }: Entry, key: string): number {
  const kept = complete === null || complete === latest ? 0 : complete.bytes.length
  return latest.bytes.length + kept + 2 * key.length + entry_bytes
}
