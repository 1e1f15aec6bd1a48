// Descriptions of the signals of the active plugins, for `explain_signal`.
import type { Registry } from '../../engine/registry.ts'
import { severityOf } from '../../engine/scoring/severity.ts'
import type { SignalInfo } from './tools.ts'

export function signalsOf({ analyzers, composites }: Registry): ReadonlyMap<string, SignalInfo> {
  const own = analyzers.flatMap(({ analyzer: { name: section }, signals }) =>
    Object.entries(signals).map(([id, { title, group, severity, weight, floor }]) => ({
      id,
      section,
      title,
      group,
      severity,
      weight,
      floor: floor ?? null,
    })),
  )
  const joint = Object.entries(composites).map(([id, composite]) => {
    const { title, group, weight, floor } = composite
    return { id, section: 'composites', title, group, severity: severityOf(composite), weight, floor: floor ?? null }
  })
  return new Map([...own, ...joint].map(signal => [signal.id, signal]))
}
