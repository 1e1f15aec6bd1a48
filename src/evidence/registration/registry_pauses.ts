// Registries that asked to be left alone, and until when.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'

export interface RegistryPauses {
  isPaused(host: string): boolean
  /** `retry_after` is the field's value (RFC 9110 section 10.2.3): seconds or a date; a minute when there is none to be read. */
  pause(host: string, retry_after: string | null): void
}

/** Nobody makes us wait longer. */
const LONGEST_MS = 60 * 60 * 1000
const USUAL_MS = 60 * 1000
/** More than there are registries. */
const HOSTS = 2_000

export function createRegistryPauses(clock: Clock): RegistryPauses {
  const ends = new LRUCache<string, number>({ max: HOSTS })
  return {
    isPaused: host => clock.monotonic() < (ends.get(host) ?? Number.NEGATIVE_INFINITY),
    pause(host, retry_after) {
      const end = clock.monotonic() + waitOf(retry_after?.trim() ?? '', clock.now())
      ends.set(host, Math.max(end, ends.get(host) ?? end))
    },
  }
}

/** Milliseconds. */
function waitOf(retryAfter: string, now: number): number {
  const asked = /^\d{1,12}$/.test(retryAfter) ? Number(retryAfter) * 1000 : untilDate(retryAfter, now)
  return asked === null ? USUAL_MS : Math.min(asked, LONGEST_MS)
}

/** An HTTP date begins with the weekday; what is past asks for nothing. */
function untilDate(text: string, now: number): number | null {
  const date = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text.slice(0, 40)) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
