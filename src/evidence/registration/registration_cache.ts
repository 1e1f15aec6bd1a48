// What registries said, kept by registered domain or by block: registrations change rarely, and registries count the questions.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'

interface Registered {
  readonly registered: boolean
}

export interface RegistrationCache<Value extends Registered> {
  get(key: string): Value | null
  put(key: string, value: Value): void
}

const DAY_MS = 24 * 60 * 60 * 1000
/** A name that is free now may be taken in a moment, and then is of interest. */
const NOT_REGISTERED_MS = 5 * 60 * 1000
/** Octets, about: some 20 000 registrations. */
const MAX_BYTES = 16 * 1024 * 1024

export function createRegistrationCache<Value extends Registered>(
  clock: Clock,
  max_bytes = MAX_BYTES,
): RegistrationCache<Value> {
  const kept = new LRUCache<string, { readonly value: Value; readonly end: number }>({
    maxSize: max_bytes,
    sizeCalculation: weigh,
  })
  return {
    get(key) {
      const found = kept.get(key)
      return found !== undefined && clock.monotonic() < found.end ? found.value : null
    },
    put(key, value) {
      const life = value.registered ? DAY_MS : NOT_REGISTERED_MS
      kept.set(key, { value, end: clock.monotonic() + life })
    },
  }
}

/** Two octets a character, and what an entry takes beside them. */
const weigh = ({ value }: { readonly value: unknown }): number => 2 * JSON.stringify(value).length + 512
