// SIGINT and SIGTERM for a command that should end what it has begun: the first asks, the second insists.
import { releaseProcess } from './process_guard.ts'

export interface Interruption {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal
  /** The signal that came, if one did. */
  by(): 'SIGINT' | 'SIGTERM' | null
  /** Leaves the signals to others again. */
  forget(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What a shell reports for a process that a signal ended. */
export const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const

export function interruption(): Interruption {
  const abort = new AbortController()
  let by: 'SIGINT' | 'SIGTERM' | null = null
  const take = (signal: NodeJS.Signals) => {
    const name = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT'
    if (by !== null) process.exit(SIGNAL_CODES[name])
    by = name
    releaseProcess()
    abort.abort()
  }
  for (const name of SIGNALS) process.on(name, take)
  return {
    signal: abort.signal,
    by: () => by,
    forget() {
      for (const name of SIGNALS) process.off(name, take)
    },
  }
}
