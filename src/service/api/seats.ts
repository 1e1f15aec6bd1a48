// Limits how many searches, or look-alike searches, each account runs at once over all processes, by claims in the store.
import { randomUUID } from 'node:crypto'
import { type ClaimLimits, type Claims, RENEWAL_MS } from '../../store/sql/claims.ts'
import { rateLimited } from './limits.ts'

export interface SeatLimits {
  /** The prefix of the claims' targets in the store. */
  readonly name: string
  readonly at_once: number
  readonly per_second: number
  /** Seconds after which a seat may be free. */
  readonly retry_after: number
}

export interface Seats {
  /** Runs `work` on a seat. Rejects with a `Problem` (`rate-limited`) when no seat is free, and with a StoreError when the store is unavailable. */
  run<T>(account: string, work: () => Promise<T>): Promise<T>
}

export function createSeats(claims: Pick<Claims, 'claim' | 'advance' | 'renew'>, seats: SeatLimits): Seats {
  const { name, at_once, per_second, retry_after } = seats
  const limits: ClaimLimits = {
    at_once,
    per_second,
    waiting: at_once,
    key_at_once: at_once,
    key_per_second: per_second,
  }
  const takenSeats = new Set<string>()
  let beat: NodeJS.Timeout | undefined

  function leave(id: string, target: string): void {
    takenSeats.delete(id)
    if (takenSeats.size === 0) beat = void clearInterval(beat)
    // A claim that could not be ended expires.
    claims.advance({ target, end: { id, state: 'ended' } }).catch(() => {})
  }

  return {
    async run(account, work) {
      const id = randomUUID()
      const target = `${name}:${account}`
      const request = { id, flight: id, target, key: target, background: false, fresh: true }
      const { state } = await claims.claim({ ...request, limits })
      if (state !== 'running') throw rateLimited(state === null ? 1 : retry_after)
      takenSeats.add(id)
      beat ??= setInterval(() => void claims.renew([...takenSeats], []).catch(() => {}), RENEWAL_MS)
      try {
        return await work()
      } finally {
        leave(id, target)
      }
    },
  }
}
