// What is asked of the plugins of others while they compute, which nothing can interrupt: to be short, and to leave the
// process as it is for everybody else. One that does not loses its section and is named; see plugins/README.md.
import type { Plugin } from '../engine/plugin.ts'
import type { SharedObjects } from './shared_objects.ts'

/** Milliseconds of computing at which everybody has waited too long for one section. */
const HELD_MS = 1_000

/** The same plugin, looked after. `objects` are the shared ones as they are to stay. */
export function supervised(plugin: Plugin, objects: SharedObjects): Plugin {
  // What is no plugin is told so by the registry.
  if (typeof plugin !== 'object' || plugin === null || !('analyze' in plugin)) return plugin
  const analyze: typeof plugin.analyze = (evidence, context) => {
    const [began, used] = [performance.now(), process.cpuUsage()]
    try {
      return plugin.analyze(evidence, context)
    } finally {
      refuseChanges(objects)
      refuseHolding(performance.now() - began, process.cpuUsage(used))
    }
  }
  return { ...plugin, analyze }
}

export function refuseChanges(objects: SharedObjects): void {
  const names = objects.restore()
  if (names.length > 0) throw new Error(`changes ${names.join(', ')}, which all code shares`)
}

/** On a machine that does much else time passes without being used. */
export function refuseHolding(passed_ms: number, { user, system }: NodeJS.CpuUsage): void {
  const held = Math.round(Math.min(passed_ms, (user + system) / 1_000))
  if (held > HELD_MS) throw new Error(`held the service for ${held} ms`)
}
