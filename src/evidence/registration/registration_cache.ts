// What registries said, kept by registered domain or by block: registrations change rarely, and registries count the questions.
import { createCache } from '../../cache/cache.ts'
import { caps } from '../../cache/caps.ts'
import type { Clock } from '../../clock.ts'

interface Registered {
  readonly registered: boolean
}

export interface RegistrationCache<Value extends Registered> {
  get(key: string): Value | null
  put(key: string, value: Value): void
}

export function createRegistrationCache<Value extends Registered>(
  name: 'registrations' | 'networks',
  clock: Clock,
  octets?: number,
): RegistrationCache<Value> {
  const { registered, free } = caps[name].life_ms
  const kept = createCache<Value>(name, { now: clock.monotonic, ...(octets !== undefined && { octets }) })
  return {
    get: key => kept.get(key) ?? null,
    put: (key, value) => void kept.set(key, value, value.registered ? registered : free),
  }
}
