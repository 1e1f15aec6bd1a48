// Asks again, in the background, what an upstream had no room for: the next check of the same subject finds the answer cached.
import type { CheckNetwork, Network } from '../../network/network.ts'

interface Background {
  readonly network: CheckNetwork
  readonly signal: AbortSignal
}

/** Asks for `subject` later. A subject that already waits is not asked for twice. `ask` may reject. */
export type AskLater = (subject: string, ask: (background: Background) => Promise<unknown>) => void

/** Subjects that wait; more are not asked for again. Each takes a few hundred bytes. */
const SUBJECTS = 2_000
/** Background queries that wait for a slot or an answer. */
const AT_ONCE = 8
/** Milliseconds for one: longer than a burst of checks, shorter than its results are cached. */
const PATIENCE_MS = 30_000

export function createAskLater({ open }: Pick<Network, 'open'>, monotonic: () => number): AskLater & { stop(): void } {
  const waiting = new Map<string, Parameters<AskLater>[1]>()
  const running = new Map<string, AbortController>()

  function serve(): void {
    for (const [subject, ask] of waiting) {
      if (running.size >= AT_ONCE) return
      waiting.delete(subject)
      void run(subject, ask)
    }
  }

  async function run(subject: string, ask: Parameters<AskLater>[1]): Promise<void> {
    const over = new AbortController()
    running.set(subject, over)
    const timer = setTimeout(() => over.abort(), PATIENCE_MS).unref()
    const network = open({ signal: over.signal, deadline: monotonic() + PATIENCE_MS })
    await ask({ network, signal: over.signal }).catch(() => {})
    clearTimeout(timer)
    running.delete(subject)
    serve()
  }

  const later: AskLater = (subject, ask) => {
    if (waiting.size >= SUBJECTS || waiting.has(subject) || running.has(subject)) return
    waiting.set(subject, ask)
    serve()
  }
  return Object.assign(later, {
    stop() {
      waiting.clear()
      for (const over of running.values()) over.abort()
    },
  })
}
