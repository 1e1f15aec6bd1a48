// How many questions a registry gets at once from all checks together: the others wait for their turn.
import { onAbort } from '../../network/abort.ts'

export interface RegistryTurns {
  /** Runs `ask` when there is room; null when the signal aborted first. Fails as `ask` does. */
  take<T>(host: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T | null>
}

interface Registry {
  asking: number
  readonly waiting: Set<() => void>
}

export function createRegistryTurns(at_once: number): RegistryTurns {
  const registries = new Map<string, Registry>()

  /** Resolves to whether it is one's turn. */
  function enter(registry: Registry, signal: AbortSignal): Promise<boolean> {
    if (registry.asking < at_once) {
      registry.asking++
      return Promise.resolve(true)
    }
    return new Promise(resolve => {
      const called = () => {
        stop()
        resolve(true)
      }
      const stop = onAbort(signal, () => {
        registry.waiting.delete(called)
        resolve(false)
      })
      registry.waiting.add(called)
    })
  }

  /** The turn passes to who has waited longest. */
  function exit(host: string, registry: Registry): void {
    const [next] = registry.waiting
    if (next) {
      registry.waiting.delete(next)
      next()
    } else {
      registry.asking--
      if (registry.asking === 0) registries.delete(host)
    }
  }

  return {
    async take(host, signal, ask) {
      if (signal.aborted) return null
      const registry = registries.get(host) ?? { asking: 0, waiting: new Set() }
      registries.set(host, registry)
      if (!(await enter(registry, signal))) return null
      try {
        return await ask()
      } finally {
        exit(host, registry)
      }
    },
  }
}
