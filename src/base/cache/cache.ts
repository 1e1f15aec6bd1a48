// The caches of the service, bounded by the octets of their serialised entries, least recently used first; and tables of state,
// bounded by their number of entries.
import { deserialize, serialize } from 'node:v8'
import { LRUCache } from 'lru-cache'
import { type CacheCap, type CacheName, caps, type TableName, tables } from './caps.ts'

/** A cache by text. Values are plain data unless the cache was created with `weigh`. */
export interface Cache<Value> {
  /** The live value, or undefined. Counts as a use. */
  get(key: string): Value | undefined
  /** Stores a copy for `life_ms`, by default the lifetime of the cache, and returns the copy, which must not be changed. */
  set(key: string, value: Value, lifeMs?: number): Value
  delete(key: string): void
  clear(): void
  /** The live entries. */
  entries(): readonly (readonly [key: string, value: Value])[]
  /** Octets of all entries as they are counted: keys and values as serialised, and `ENTRY` for each. */
  readonly octets: number
}

export interface CacheOptions<Value> {
  /** Maximum bytes; by default the maximum in `caps`. */
  readonly octets?: number
  /** Milliseconds that an entry lives unless `set` says otherwise; unlimited when absent. */
  readonly life_ms?: number
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
  /** Called when an entry is replaced, deleted or evicted. */
  readonly onForget?: (value: Value) => void
  /**
   * Octets of a value. With `weigh`, values are stored as they are instead of copied, for values that are changed in place or
   * hold buffers. They must have memory of their own and be set again whenever they have grown.
   */
  readonly weigh?: (value: Value) => number
}

/** What an entry counts beside its key and value, which bounds the entries of a cache: 4 096 for each MiB. */
export const ENTRY = 256

interface SerialisedCopy<Value> {
  /** Shares no memory with the value: V8 keeps a whole answer alive for a name that was cut from it. */
  readonly copy: Value
  readonly octets: number
}

function serialisedCopy<Value>(value: Value): SerialisedCopy<Value> {
  const octets = serialize(value)
  return { copy: deserialize(octets), octets: octets.length }
}

/** The same text in memory of its own. UTF-16 loses nothing, not even lone surrogates. */
export const ownText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

interface Entry<Value> {
  readonly value: Value
  readonly end: number
}

export function createCache<Value>(name: CacheName, options: CacheOptions<Value> = {}): Cache<Value> {
  const { weigh, onForget, now = () => performance.now(), life_ms: usual = Number.POSITIVE_INFINITY } = options
  const cap: CacheCap = caps[name]
  const measure = weigh ? (value: Value) => ({ copy: value, octets: weigh(value) }) : serialisedCopy<Value>
  const entries = new LRUCache<string, Entry<Value>>({
    // The library rejects a limit of 0; one byte has room for nothing either.
    maxSize: Math.max(1, options.octets ?? cap.octets),
    ...(onForget && { dispose: ({ value }) => onForget(value) }),
  })

  const lives = ({ end }: Entry<Value>) => end === Number.POSITIVE_INFINITY || now() < end

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (lives(entry)) return entry.value
      entries.delete(key)
      return undefined
    },
    set(key, entry, lifeMs = usual) {
      const { copy: value, octets } = measure(entry)
      const size = ENTRY + key.length + octets
      const end = lifeMs === Number.POSITIVE_INFINITY ? lifeMs : now() + lifeMs
      // For an existing key the library keeps its own copy of the text.
      entries.set(entries.has(key) ? key : ownText(key), { value, end }, { size })
      return value
    },
    delete: key => void entries.delete(key),
    clear: () => entries.clear(),
    entries: () =>
      [...entries.entries()].flatMap(([key, entry]) => (lives(entry) ? [[key, entry.value] as const] : [])),
    get octets() {
      return entries.calculatedSize
    },
  }
}

/** Share of a full table that is removed at once, so that the next additions need no search. */
const SHARE = 0.1

export function createTable<Value>(name: TableName, isIdle: (value: Value) => boolean) {
  const { entries: most } = tables[name]
  const values = new Map<string, Value>()
  /** The size at which room is made: larger after a search that found little, because the next one would find no more. */
  let full: number = most

  /** The oldest entries go first. */
  function makeRoom(): void {
    let excess = values.size - most * (1 - SHARE)
    for (const [name, value] of values) {
      if (excess <= 0) break
      if (!isIdle(value)) continue
      values.delete(name)
      excess -= 1
    }
    full = Math.max(most, values.size + most * SHARE)
  }

  return {
    get: (name: string) => values.get(name),
    /**
     * Adds the result of `make`, which gets the name in memory of its own. A full table makes room first; if all its entries are
     * in use it grows, by at most the number of concurrent requests.
     */
    add(name: string, make: (own: string) => Value) {
      if (values.size < most) full = most
      else if (values.size >= full) makeRoom()
      const own = ownText(name)
      const value = make(own)
      values.set(own, value)
      return value
    },
    delete: (name: string) => void values.delete(name),
    values: (): Iterable<Value> => values.values(),
  }
}
