// API keys over all workers: the owner of the store has them, and each worker remembers those in use for a second.
import { createCache } from '../cache/cache.ts'
import { caps } from '../cache/caps.ts'
import { isActive } from '../store/keys.ts'
import type { Key, KeyStore } from '../store/store.ts'
import { type Link, remote } from './link.ts'

const SERVICE = 'keys'

/** Milliseconds between reports of the keys that were used. */
const REPORT_MS = 1_000

/** For the owner. */
export const serveKeys = (keys: KeyStore) => ({ [SERVICE]: keys })

export interface LinkedKeys extends KeyStore {
  /** Reports the uses noted so far. */
  close(): void
}

/** For a worker. `now` is the wall clock, in milliseconds. */
export function createLinkedKeys(link: Link, now: () => number): LinkedKeys {
  const owner = remote<KeyStore>(link, SERVICE)
  // The lifetime limits how long a revocation by another process may go unseen.
  const found = createCache<Key>(SERVICE, { life_ms: caps.keys.life_ms.usual })
  const used = new Set<string>()
  const report = () => {
    for (const id of used) link.tell(SERVICE, 'touch', id)
    used.clear()
  }
  const timer = setInterval(report, REPORT_MS).unref()

  async function look(hash: string): Promise<Key | null> {
    const key = await owner.find(hash)
    return key && found.set(hash, key)
  }

  /** A change that this process itself made is visible at once. */
  const changing =
    <Given extends readonly unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const changed = await change(...given)
      found.clear()
      return changed
    }

  const { create, unknownPlans, usages, usageByDay, list, createFirst, holder } = owner
  return {
    ...{ create, unknownPlans, usages, usageByDay, list, createFirst, holder },
    changePlan: changing(owner.changePlan),
    rotate: changing(owner.rotate),
    revoke: changing(owner.revoke),
    find(hash) {
      const key = found.get(hash)
      if (key === undefined) return look(hash)
      return isActive(key, now()) ? key : null
    },
    touch: id => void used.add(id),
    close() {
      clearInterval(timer)
      report()
    },
  }
}
