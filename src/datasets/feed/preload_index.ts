// The HSTS preload list in memory: hashes of its hosts, and of those that include their subdomains.
import { collectKeys, keyHash as hash, type KeyTable, type TableColumns } from './key_table.ts'
import type { Yield } from './yield_to_event_loop.ts'

export interface PreloadIndex {
  readonly size: number
  /** Octets in memory. */
  readonly bytes: number
  has(host: string): boolean
  /** What a file keeps of it. */
  readonly keys: TableColumns
}

/** The most labels of a name (RFC 1035 section 3.1). */
const LABELS = 127

/** A line of Chromium's list. It has one entry a line, and comments that JSON does not permit. */
const NAME = /^\s{0,20}\{\s{0,4}"name":\s{0,4}"([a-z0-9.-]{1,253})"/
const FORCED = /"mode":\s{0,4}"force-https"/
const SUBDOMAINS = /"include_subdomains":\s{0,4}true/

export function buildPreloadIndex() {
  const keys = collectKeys()
  let size = 0
  const put = (key: string) => {
    hash.of(key)
    keys.add(hash.high, hash.low)
  }
  return {
    /** Lines without a host that browsers force to HTTPS are skipped. */
    add(line: string) {
      const [, name] = NAME.exec(line) ?? []
      if (name === undefined || !FORCED.test(line)) return
      size += 1
      put(name)
      if (SUBDOMAINS.test(line)) put(`.${name}`)
    },
    async build(yieldNow: Yield): Promise<PreloadIndex> {
      return preloadIndexOf(await keys.toTable(yieldNow), size)
    },
  }
}

/** The index of a table with `size` hosts. */
export function preloadIndexOf(table: KeyTable, size: number): PreloadIndex {
  const holds = (key: string): boolean => {
    hash.of(key)
    return table.has(hash.high, hash.low)
  }
  return {
    size,
    bytes: table.bytes,
    keys: table.columns,
    has(host) {
      if (holds(host)) return true
      let at = host.indexOf('.')
      for (let labels = 0; at !== -1 && labels < LABELS; at = host.indexOf('.', at + 1), labels++) {
        if (holds(host.slice(at))) return true
      }
      return false
    },
  }
}
