// A cache bounded by how many it holds.
import { LRUCache } from 'lru-cache'

type Options<Value> = Pick<LRUCache.Options<string, object, unknown>, 'ttl' | 'ttlResolution'> & {
  readonly dispose?: (value: Value) => void
}

/**
 * Keeps so many entries, those used last. Each counts as one of a size, which takes room as entries come; told as a number
 * of entries, the library takes the room of all at once.
 */
export const keepAtMost = <Value extends object | number>(entries: number, options: Options<Value> = {}) =>
  new LRUCache<string, Value>({ ...options, maxSize: entries, sizeCalculation: () => 1 })
