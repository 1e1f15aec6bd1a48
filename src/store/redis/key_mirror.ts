// The keys that were used here lately, as Redis last told them: to serve while it is out, and to put back when it was emptied.
import { keepAtMost } from '../../keep_at_most.ts'
import type { Key } from '../store.ts'
import { RedisDown } from './link.ts'

/** Keys remembered: about 500 octets each. */
const keys_max = 50_000
/** Milliseconds that a key serves without Redis after it was last seen there: an outage ends, a forgotten key must too. */
const trusted_ms = 60 * 60 * 1000

export interface KeyMirror {
  /**
   * The key as Redis has it, or as it was known while Redis is out; rejects when it never was. `emptied` is asked when
   * Redis does not know a key that was known: true when that says nothing, and it must be looked for again.
   */
  through(hash: string, look: () => Promise<Key | null>, emptied: () => Promise<boolean>): Promise<Key | null>
  /** It was revoked or rotated, or must not serve any longer. */
  forget(id: string): void
  /** All that is remembered, by hash. */
  entries(): readonly (readonly [hash: string, key: Key])[]
}

export function createKeyMirror(): KeyMirror {
  const hashes = new Map<string, string>()
  const known = keepAtMost<Key>(keys_max, {
    ttl: trusted_ms,
    ttlResolution: 1_000,
    dispose: ({ id }) => hashes.delete(id),
  })

  function remember(hash: string, key: Key): void {
    known.set(hash, key)
    hashes.set(key.id, hash)
  }

  return {
    async through(hash, look, emptied) {
      try {
        let key = await look()
        if (key === null && known.has(hash) && (await emptied())) key = await look()
        if (key === null || key.revoked !== null) known.delete(hash)
        else remember(hash, key)
        return key
      } catch (fault) {
        const key = known.get(hash)
        if (fault instanceof RedisDown && key !== undefined) return key
        throw fault
      }
    },
    forget: id => known.delete(hashes.get(id) ?? ''),
    entries: () => [...known.entries()],
  }
}
