// Proofs in rounds: what is due is proven, each for itself and all together, and the round ends when its time is up.

/** Milliseconds between looks who is due. */
const EVERY_MS = 60_000
/** Milliseconds a round waits for answers. */
const ANSWER_MS = 2_000

export interface Rounds {
  /** One round now, unless one is under way. Never rejects. */
  prove(): Promise<void>
  /** Resolves after the first round, in two seconds at most; more follow until `stop`. */
  start(): Promise<void>
  stop(): void
}

/** `proofs` begins those that are due, which do not reject. `signal` aborts when nobody waits for them any more. */
export function createRounds(proofs: (signal: AbortSignal) => readonly Promise<void>[]): Rounds {
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
