// Signals of the registration: age, suspension and deletion.
import type { Evidence, SignalFound } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

type Registration = Evidence['registration']

const DAY_MS = 86_400_000

/** Whole days since registration, in UTC; null if unknown. */
export function ageInDays({ registered_at }: Registration, now: Date): number | null {
  if (registered_at === null) return null
  return Math.max(0, Math.floor((now.getTime() - Date.parse(registered_at)) / DAY_MS))
}

export interface AgeOptions {
  readonly new_days: number
  readonly recent_days: number
  readonly trusted_days: number
}

/** `ofTenant`: the target is a tenant of a platform, so the age of the platform says nothing about it. */
export function registrationSignals(
  registration: Registration,
  age: number | null,
  options: AgeOptions,
  ofTenant: boolean,
): SignalFound<SignalId>[] {
  const { domain, status, registered_in_future } = registration
  const held = status.filter(one => one === 'client hold' || one === 'server hold')
  const ending = status.filter(one => one === 'pending delete' || one === 'redemption period')
  return [
    ...(age === null || ofTenant ? [] : ageSignals(domain, age, options)),
    ...(held.length > 0
      ? [{ id: 'domain_on_hold' as const, detail: `${domain} has the registry status ${held.join(', ')}.` }]
      : []),
    ...(ending.length > 0
      ? [{ id: 'domain_pending_delete' as const, detail: `${domain} has the registry status ${ending.join(', ')}.` }]
      : []),
    ...(registered_in_future
      ? [
          {
            id: 'registered_in_future' as const,
            detail: `The registry gives a registration date in the future for ${domain}.`,
          },
        ]
      : []),
  ]
}

function ageSignals(
  domain: string,
  age: number,
  { new_days, recent_days, trusted_days }: AgeOptions,
): SignalFound<SignalId>[] {
  const detail = `${domain} was registered ${age} days ago.`
  const evidence = { age_days: age }
  if (age < new_days) return [{ id: 'newly_registered_domain', detail, evidence }]
  if (age < recent_days) return [{ id: 'newly_registered_domain', strength: 0.5, detail, evidence }]
  return age >= trusted_days ? [{ id: 'long_registered_domain', detail, evidence }] : []
}

/** The dates of the section that are not exact, if there are any. */
export function inexactDates(inexact: Registration['inexact'] = []) {
  const inexact_dates = (['registered_at', 'expires_at'] as const).filter(date => inexact.includes(date))
  return inexact_dates.length > 0 ? { inexact_dates } : {}
}
