// What registries said, kept by registered domain: registrations change rarely, and registries count the questions.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import type { Registration } from '../registration.ts'

export interface RegistrationCache {
  get(domain: string): Registration | null
  put(registration: Registration): void
}

const DAY_MS = 24 * 60 * 60 * 1000
/** A name that is free now may be taken in a moment, and then is of interest. */
const NOT_REGISTERED_MS = 5 * 60 * 1000
/** Octets, about: some 20 000 registrations. */
const MAX_BYTES = 16 * 1024 * 1024

interface Kept {
  readonly registration: Registration
  readonly end: number
}

export function createRegistrationCache(clock: Clock, max_bytes = MAX_BYTES): RegistrationCache {
  const kept = new LRUCache<string, Kept>({ maxSize: max_bytes, sizeCalculation: weigh })
  return {
    get(domain) {
      const found = kept.get(domain)
      return found !== undefined && clock.monotonic() < found.end ? found.registration : null
    },
    put(registration) {
      const life = registration.registered ? DAY_MS : NOT_REGISTERED_MS
      kept.set(registration.domain, { registration, end: clock.monotonic() + life })
    },
  }
}

/** Two octets a character, and what an entry takes beside them. */
const weigh = ({ registration }: Kept): number => 2 * JSON.stringify(registration).length + 512
