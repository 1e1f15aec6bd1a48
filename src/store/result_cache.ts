// Results as the bytes that are served, limited by size, on a monotonic clock.
import { createHmac, randomBytes } from 'node:crypto'
import { createCache } from '../base/cache/cache.ts'
import { caps } from '../base/cache/caps.ts'
import type { ResultClass } from '../engine/completeness.ts'
import type { Target } from '../targets/target.ts'
import type { MaybeAsync } from './store.ts'

/** `bytes` is the output of `prepareBody` (result_body.ts). */
export interface CachedResult {
  readonly bytes: Buffer
  readonly class: ResultClass
}

export interface ResultCache {
  /** The result to serve now, or null. */
  get(key: string): MaybeAsync<CachedResult | null>
  /** The same as far as the memory of this process has it. */
  peek(key: string): CachedResult | null
  /** The last complete result, even after its lifetime: served with a mark while the service cannot check targets. */
  getStale(key: string): MaybeAsync<CachedResult | null>
  /** Stores a result for `life_ms`, by default the lifetime of its class. It does not replace a live result that saw more. */
  put(key: string, bytes: Buffer, resultClass: ResultClass, lifeMs?: number): MaybeAsync<void>
  /** Lifetime of a result of this class in milliseconds, with new jitter at each call. */
  lifetime(resultClass: ResultClass): number
  /** Bytes held in memory. */
  readonly size: number
}

/** A result that can be stored elsewhere: how long it has lived, and how long it may still be served. */
export interface KeptResult extends CachedResult {
  readonly age_ms: number
  readonly left_ms: number
}

/** A cache in the memory of this process, which answers at once. */
export interface LocalResultCache extends ResultCache {
  /** As `get`, with its times. */
  look(key: string): KeptResult | null
  get(key: string): CachedResult | null
  getStale(key: string): CachedResult | null
  /** `age_ms` is how long the result has already lived elsewhere. */
  put(key: string, bytes: Buffer, resultClass: ResultClass, lifeMs?: number, ageMs?: number): void
  /** The longest lifetime of any result, in milliseconds. */
  readonly longest_ms: number
}

export interface ResultCacheOptions {
  readonly bytes_max: number
  readonly lives_ms: Readonly<Record<ResultClass, number>>
  /** How long a complete result may stand in while the service cannot check targets. */
  readonly stale_ms: number
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
}

const {
  octets,
  life_ms: { stale: staleMs, ...livesMs },
} = caps.results

export const resultCacheDefaults: ResultCacheOptions = {
  bytes_max: octets,
  lives_ms: livesMs,
  stale_ms: staleMs,
  now: () => performance.now(),
  random: Math.random,
}

/** Lifetimes of complete and withheld results vary by a tenth, so that results stored together do not expire together. */
const JITTER = 0.1
const JITTERED_CLASSES: ReadonlySet<ResultClass> = new Set<ResultClass>(['complete', 'withheld'])

/** How much was seen: a result does not replace a live one of a higher rank. */
export const classRanks: Readonly<Record<ResultClass, number>> = {
  complete: 3,
  not_found: 3,
  withheld: 2,
  incomplete: 1,
}

/** `born` and `end` are milliseconds of the cache's clock. */
interface Living extends CachedResult {
  readonly born: number
  readonly end: number
}

/** `latest` was stored last; `complete` is the last complete result, often the same. */
interface Entry {
  readonly latest: Living
  readonly complete: Living | null
}

const processSecret = createUrlSecret()

/** Links carry tokens, so the key of a URL is a keyed hash that reveals nothing without the secret. */
export function createUrlSecret(): Buffer {
  return randomBytes(32)
}

/**
 * Unambiguous whatever the names contain; equal for equal targets under equal policies. Instances that share results
 * need the same `urlSecret`.
 */
export function cacheKey(
  { kind, domain, ip, url, visit, render }: Target,
  policy: string,
  urlSecret = processSecret,
): string {
  const how = [...(visit ? [] : ['unvisited']), ...(render ? ['rendered'] : [])]
  if (url === null) return JSON.stringify([kind, domain, ip, policy, ...how])
  const hash = createHmac('sha256', urlSecret).update(url.href).digest('base64url')
  return JSON.stringify(['url', hash, policy, ...how])
}

export function createResultCache(options: Partial<ResultCacheOptions> = {}): LocalResultCache {
  const { bytes_max, lives_ms, stale_ms, now, random } = { ...resultCacheDefaults, ...options }
  const entries = createCache<Entry>('results', { octets: bytes_max, weigh })

  function lifetime(resultClass: ResultClass): number {
    const life = lives_ms[resultClass]
    return JITTERED_CLASSES.has(resultClass) ? life * (1 - JITTER + 2 * JITTER * random()) : life
  }

  function get(key: string): Living | null {
    const latest = entries.get(key)?.latest
    return latest !== undefined && now() < latest.end ? latest : null
  }

  function look(key: string): KeptResult | null {
    const entry = get(key)
    if (entry === null) return null
    return { bytes: entry.bytes, class: entry.class, age_ms: now() - entry.born, left_ms: entry.end - now() }
  }

  function getStale(key: string): CachedResult | null {
    const complete = entries.get(key)?.complete ?? null
    return complete !== null && now() - complete.born < stale_ms ? complete : null
  }

  function put(key: string, bytes: Buffer, resultClass: ResultClass, lifeMs = lifetime(resultClass), ageMs = 0): void {
    const present = now()
    const latest = { bytes: ownOctets(bytes), class: resultClass, born: present - ageMs, end: present + lifeMs }
    const before = entries.get(key)
    const living = before !== undefined && present < before.latest.end ? before.latest : null
    if (living !== null && classRanks[living.class] > classRanks[resultClass]) return
    const complete =
      resultClass === 'not_found' ? null : resultClass === 'complete' ? latest : (before?.complete ?? null)
    entries.set(key, { latest, complete })
  }

  return {
    get,
    peek: get,
    look,
    getStale,
    put,
    lifetime,
    longest_ms: Math.max(...Object.values(lives_ms)) * (1 + JITTER),
    get size() {
      return entries.octets
    },
  }
}

const weigh = ({ latest, complete }: Entry): number =>
  latest.bytes.length + (complete === null || complete === latest ? 0 : complete.bytes.length)

/** Copies the bytes: small buffers are slices of a pool, and buffers from a database are slices of its messages. */
function ownOctets(octets: Buffer): Buffer {
  if (octets.length === octets.buffer.byteLength) return octets
  const copy = Buffer.allocUnsafeSlow(octets.length)
  octets.copy(copy)
  return copy
}
