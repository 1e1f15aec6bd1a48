// What an examination of an installation found: one line each.

export type FindingState = 'ok' | 'warning' | 'failed'

export interface DoctorFinding {
  /** What was examined, such as `resolver 1` or `store`. */
  readonly check: string
  readonly state: FindingState
  /** A sentence or a phrase, without secrets. */
  readonly message: string
  /** What to do; null when there is nothing to do. */
  readonly advice: string | null
}

export const ok = (check: string, message: string): DoctorFinding => ({ check, state: 'ok', message, advice: null })

export const warning = (check: string, message: string, advice: string): DoctorFinding => ({
  check,
  state: 'warning',
  message,
  advice,
})

export const failed = (check: string, message: string, advice: string): DoctorFinding => ({
  check,
  state: 'failed',
  message,
  advice,
})

export function worst(findings: readonly DoctorFinding[]): FindingState {
  if (findings.some(({ state }) => state === 'failed')) return 'failed'
  return findings.some(({ state }) => state === 'warning') ? 'warning' : 'ok'
}
