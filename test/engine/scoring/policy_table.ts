// What a scoring policy's name stands for: every shipped signal and group, and a digest of them.
import { createHash } from 'node:crypto'
import { builtInPlugins } from '../../../plugins/index.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import type { Composite } from '../../../src/engine/scoring/composites.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import type { RatedSignal } from '../../../src/engine/scoring/signal.ts'

export interface PolicyTable {
  readonly signals: Readonly<Record<string, RatedSignal>>
  readonly groups: Readonly<Record<string, number>>
  readonly composites?: Readonly<Record<string, Composite>>
}

export function shippedTable(): PolicyTable {
  const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
  const signals = Object.assign({}, ...[...registry.analyzers, ...registry.offered].map(({ signals }) => signals))
  return { signals, groups: { ...DEFAULT_GROUPS }, composites: registry.composites }
}

const withoutWords = ([id, { all, weight, floor }]: [string, Composite]) => [id, all, weight, floor ?? 'none']

/** The same whatever the order of signals and groups, and whatever their titles. */
export function digestOf({ signals, groups, composites = {} }: PolicyTable): string {
  const rows = Object.entries(signals).map(([id, { weight, group, floor = null, severity }]) => [
    id,
    weight,
    group,
    floor,
    severity,
  ])
  const sorted = [rows, Object.entries(groups), Object.entries(composites).map(withoutWords)].map(table =>
    table.map(row => JSON.stringify(row)).sort(),
  )
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}
