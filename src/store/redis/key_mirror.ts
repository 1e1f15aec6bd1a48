// The keys that this instance used recently, as Redis last returned them: to serve while Redis is down, and to restore a Redis
// that lost its data.
import { createCache } from '../../cache/cache.ts'
import { caps } from '../../cache/caps.ts'
import { heapOctets, ownCopy } from '../../cache/own_copy.ts'
import type { Key } from '../store.ts'
import { RedisDown } from './link.ts'

/** Bytes of an entry of the index by ID. Its texts are those of the key. */
const INDEX = 56

interface Known {
  readonly hash: string
  readonly key: Key
}

export interface KeyMirror {
  /**
   * Resolves with the key as Redis has it, or as last known while Redis is down; rejects when it was never known. `emptied` is
   * called when Redis does not have a known key: if it resolves with true, Redis had lost its data and the look-up is
   * repeated.
   */
  through(hash: string, look: () => Promise<Key | null>, emptied: () => Promise<boolean>): Promise<Key | null>
  /** The key was revoked or rotated, or must no longer be served. */
  forget(id: string): void
  /** The account has another plan now. */
  forgetAccount(account: string): void
  /** All remembered keys, by hash. */
  entries(): readonly (readonly [hash: string, key: Key])[]
}

export function createKeyMirror(): KeyMirror {
  const hashes = new Map<string, string>()
  // A key is served for so long without Redis after it was last seen there: outages end, and forgotten keys must too.
  const known = createCache<Known>('known_keys', {
    life_ms: caps.known_keys.life_ms.usual,
    weigh: one => heapOctets(one) + INDEX,
    forgotten: ({ key }) => hashes.delete(key.id),
  })

  function remember(one: Known): void {
    const { hash, key } = known.set(one.hash, ownCopy(one))
    hashes.set(key.id, hash)
  }

  return {
    async through(hash, look, emptied) {
      try {
        let key = await look()
        if (key === null && known.get(hash) !== undefined && (await emptied())) key = await look()
        if (key === null || key.revoked !== null) known.delete(hash)
        else remember({ hash, key })
        return key
      } catch (fault) {
        const one = known.get(hash)
        if (fault instanceof RedisDown && one !== undefined) return one.key
        throw fault
      }
    },
    forget: id => known.delete(hashes.get(id) ?? ''),
    forgetAccount(account) {
      for (const [hash, { key }] of known.entries()) if (key.account === account) known.delete(hash)
    },
    entries: () => known.entries().map(([hash, { key }]) => [hash, key]),
  }
}
