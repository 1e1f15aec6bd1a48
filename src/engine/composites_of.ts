// Collects the composites in force: the defaults, the plugins' composites, and the composites of the configuration.
import { Type } from 'typebox'
import { didYouMean, type Fault } from '../base/fault.ts'
import { nullable } from '../base/nullable.ts'
import { SNAKE_CASE, weightFault } from './declared_signals.ts'
import { fillDefaults } from './json_schema.ts'
import type { Analyzer } from './plugin.ts'
import { type Composite, DEFAULT_COMPOSITES } from './scoring/composites.ts'
import { SEVERITIES } from './scoring/severity.ts'
import { THREAT_TYPES } from './scoring/threats.ts'

const closed = { additionalProperties: false } as const

/** A composite as the configuration and plugins declare it. */
export const CompositeSchema = Type.Object(
  {
    all: Type.Array(
      Type.Array(
        Type.Union([
          Type.String(),
          Type.Object(
            { signal: Type.String(), strength: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })) },
            closed,
          ),
        ]),
        {
          minItems: 1,
          description: 'Signals; any of them satisfies the entry. `strength`: minimum strength.',
        },
      ),
      { minItems: 1, maxItems: 8, description: 'All entries must be satisfied.' },
    ),
    weight: Type.Number({ minimum: 0, maximum: 100 }),
    group: Type.String(),
    floor: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'The least score that it leaves.' })),
    severity: Type.Optional(Type.Enum(SEVERITIES)),
    threat_types: Type.Optional(Type.Array(Type.Enum([...THREAT_TYPES]), { maxItems: THREAT_TYPES.length })),
    title: Type.String({ minLength: 1, maxLength: 120 }),
    reason: Type.String({ minLength: 1, maxLength: 240 }),
    advice: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 240 }), { description: 'What to do about it.' }),
    ),
    warning: Type.Optional(
      Type.String({ minLength: 1, maxLength: 120, description: 'What a visitor must not do; not shown with `allow`.' }),
    ),
  },
  closed,
)

interface Declaring {
  readonly analyzer: Pick<Analyzer, 'name' | 'composites'>
  readonly origin: string
  readonly enabled: boolean
  readonly signals: Readonly<Record<string, unknown>>
}

interface ConfiguredComposite {
  readonly id: string
  readonly path: string
  /** Null switches the composite off. */
  readonly composite: Composite | null
}

/** By ID; later ones override: a plugin adds composites, and only the configuration replaces or disables them. */
export function compositesOf(
  analyzers: readonly Declaring[],
  ownComposites: Readonly<Record<string, Composite | false>>,
  groups: Readonly<Record<string, number>>,
): { composites: Readonly<Record<string, Composite>>; faults: Fault[] } {
  const signals = new Set(analyzers.flatMap(one => Object.keys(one.signals)))
  const reservedIds = new Set([...signals, ...Object.keys(DEFAULT_COMPOSITES)])
  const faults: Fault[] = []
  const configuredComposites: ConfiguredComposite[] = []
  for (const { analyzer, origin, enabled } of analyzers) {
    for (const [id, composite] of Object.entries(analyzer.composites ?? {})) {
      const path = `plugin ${analyzer.name} (${origin}): composites.${id}`
      const clash = reservedIds.has(id) ? [{ path, message: 'the name is taken' }] : []
      const shape = fillDefaults(CompositeSchema, composite, path).faults
      const nameFaults = SNAKE_CASE.test(id) ? [] : [{ path, message: 'must be snake_case' }]
      faults.push(...clash, ...shape, ...nameFaults)
      reservedIds.add(id)
      // A composite of a disabled plugin behaves like its signals: known, and never found.
      if (enabled && clash.length + shape.length + nameFaults.length === 0)
        configuredComposites.push({ id, path, composite })
    }
  }
  for (const [id, one] of Object.entries(ownComposites)) {
    const path = `scoring.composites.${id}`
    if (signals.has(id)) faults.push({ path, message: 'the name is taken by a signal' })
    else configuredComposites.push({ id, path, composite: one === false ? null : one })
  }
  faults.push(...configuredComposites.flatMap(one => referenceFaults(one, signals, groups)))
  const inForce = new Map<string, Composite>(Object.entries(DEFAULT_COMPOSITES))
  for (const { id, composite } of configuredComposites) {
    if (composite === null) inForce.delete(id)
    else inForce.set(id, composite)
  }
  return { composites: Object.fromEntries(inForce), faults }
}

function referenceFaults(
  { path, composite }: ConfiguredComposite,
  signals: ReadonlySet<string>,
  groups: Readonly<Record<string, number>>,
): Fault[] {
  if (composite === null) return []
  const ids = composite.all.flat().map(one => (typeof one === 'string' ? one : one.signal))
  const unknownSignals = ids.filter(signal => !signals.has(signal))
  const weight = weightFault(composite, groups)
  return [
    ...unknownSignals.map(signal => ({ path, message: `unknown signal "${signal}"${didYouMean(signal, signals)}` })),
    ...(weight === null ? [] : [{ path, message: weight }]),
  ]
}
