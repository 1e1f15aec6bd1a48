// Probes upstream services at intervals: all that are due run together, and a round ends at its time limit.

/** Milliseconds between rounds. */
const EVERY_MS = 60_000
/** Milliseconds that a round waits for answers. */
const ANSWER_MS = 2_000

export interface PeriodicProbe {
  /** Runs one round now, unless one is running. Never rejects. */
  prove(): Promise<void>
  /** Resolves after the first round, in two seconds at most; more follow until `stop`. */
  start(): Promise<void>
  stop(): void
}

/** `proofs` starts the probes that are due; they do not reject. `signal` aborts at the end of the round. */
export function createPeriodicProbe(proofs: (signal: AbortSignal) => readonly Promise<void>[]): PeriodicProbe {
  let timer: NodeJS.Timeout | undefined
  let round: AbortController | null = null

  async function prove(): Promise<void> {
    if (round) return
    const current = new AbortController()
    round = current
    const limit = setTimeout(() => current.abort(), ANSWER_MS)
    await Promise.all(proofs(current.signal))
    clearTimeout(limit)
    current.abort()
    if (round === current) round = null
  }

  return {
    prove,
    start() {
      timer ??= setInterval(prove, EVERY_MS).unref()
      return prove()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      round?.abort()
      round = null
    },
  }
}
