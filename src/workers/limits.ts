// Limits of keys and addresses over all workers, so that the numbers in the configuration are those of the whole service.
import type { KeyLimits, LocalKeyLimits, RateLimit, Tally } from '../api/limits.ts'
import type { Link } from './link.ts'

const SERVICE = 'limits'

type RateName = 'failures' | 'requests' | 'checks'

/** For the owner: serves every worker that is opened. */
export function createSharedLimits(limits: LocalKeyLimits) {
  return {
    open() {
      /** Running checks of this worker by key. */
      const running = new Map<string, (() => void)[]>()
      const methods = {
        take: (rate: RateName, name: string) => limits[rate].take(name),
        full: (name: string) => limits.running.full(name),
        enter(name: string): boolean {
          const leave = limits.running.enter(name)
          if (leave === null) return false
          running.set(name, [...(running.get(name) ?? []), leave])
          return true
        },
        leave(name: string): void {
          const leaves = running.get(name) ?? []
          leaves.pop()?.()
          if (leaves.length === 0) running.delete(name)
        },
      }
      return {
        methods: { [SERVICE]: methods },
        drop() {
          for (const leaves of running.values()) for (const leave of leaves) leave()
          running.clear()
        },
      }
    },
  }
}

/** For a worker. */
export function createLinkedLimits(link: Link, requests_per_second: number | null): KeyLimits {
  const rate = (name: RateName): RateLimit => ({
    take: key => link.call(SERVICE, 'take', name, key) as Promise<number>,
  })
  const running: Tally = {
    full: name => link.call(SERVICE, 'full', name) as Promise<boolean>,
    async enter(name) {
      const entered = await link.call(SERVICE, 'enter', name)
      return entered === true ? () => link.tell(SERVICE, 'leave', name) : null
    },
  }
  // Cached answers do not wait for a limit that there is not.
  const requests: RateLimit = requests_per_second === null ? { take: () => 0 } : rate('requests')
  return { failures: rate('failures'), requests, checks: rate('checks'), running }
}
