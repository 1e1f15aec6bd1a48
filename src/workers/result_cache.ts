// Results over all workers: each keeps recent ones in its memory and finds the others' at the owner.
import type { ResultClass } from '../engine/completeness.ts'
import type { CachedResult, KeptResult, LocalResultCache, ResultCache } from '../store/result_cache.ts'
import { bufferOf } from './flights.ts'
import type { Link } from './link.ts'

const SERVICE = 'cache'

/** For the owner. */
export const serveCache = (cache: LocalResultCache) => ({
  [SERVICE]: { look: cache.look, getStale: cache.getStale, put: cache.put },
})

/** For a worker. `local` is its own memory. */
export function createLinkedCache(link: Link, local: LocalResultCache): ResultCache {
  async function look(key: string): Promise<CachedResult | null> {
    const found = (await link.call(SERVICE, 'look', key)) as KeptResult | null
    if (found === null) return null
    local.put(key, bufferOf(found.bytes), found.class, found.left_ms, found.age_ms)
    return { bytes: bufferOf(found.bytes), class: found.class }
  }

  async function stale(key: string): Promise<CachedResult | null> {
    const found = (await link.call(SERVICE, 'getStale', key)) as CachedResult | null
    return found && { bytes: bufferOf(found.bytes), class: found.class }
  }

  return {
    get: key => local.get(key) ?? look(key),
    peek: local.get,
    getStale: key => local.getStale(key) ?? stale(key),
    put(key: string, bytes: Buffer, class_: ResultClass, life_ms = local.lifetime(class_)) {
      local.put(key, bytes, class_, life_ms)
      link.tell(SERVICE, 'put', key, bytes, class_, life_ms)
    },
    lifetime: local.lifetime,
    get size() {
      return local.size
    },
  }
}
