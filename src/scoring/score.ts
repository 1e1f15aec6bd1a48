// Signals to points to one score: the only place where a weight becomes points.
import type { Scored, SignalDetail, WeighedSignal } from './scored.ts'

/** Points are kept in tenths, as integers, so that they add up exactly whatever their order. */
const TENTHS = 10

/**
 * Scores what was found. Within a group the costliest signals keep their points until the ceiling is reached; what
 * follows gets the rest, then nothing. `risk_score` is the sum of all points, rounded, raised to the highest floor,
 * held within 0 to 100. Details come most points first; equal ones by floor, then id.
 */
export function score(found: readonly WeighedSignal[], groups: Readonly<Record<string, number>>): Scored {
  const left = new Map(Object.entries(groups).map(([name, ceiling]) => [name, Math.round(ceiling * TENTHS)]))
  const details = [...found].sort(byRawCost).map(signal => {
    const { group } = signal.definition
    const ceiling = left.get(group) ?? 0
    const tenths = holdToward(rawTenths(signal), ceiling)
    left.set(group, ceiling - tenths)
    return detail(signal, tenths / TENTHS)
  })
  return { risk_score: riskScore(details), details: details.sort(byPoints) }
}

/** What the points and floors of the details come to; a client can repeat it. */
export function riskScore(details: readonly Pick<SignalDetail, 'points' | 'floor'>[]): number {
  const tenths = details.reduce((sum, { points }) => sum + Math.round(points * TENTHS), 0)
  const floor = details.reduce((highest, { floor }) => Math.max(highest, floor ?? 0), 0)
  return Math.min(100, Math.max(0, floor, Math.round(tenths / TENTHS)))
}

function rawTenths({ definition, found }: WeighedSignal): number {
  const strength = Math.min(1, Math.max(0, found.strength ?? 1))
  return Math.round(definition.weight * strength * TENTHS)
}

/** The part of `wanted` that fits between zero and `ceiling`, which have the same sign. */
function holdToward(wanted: number, ceiling: number): number {
  return ceiling < 0 ? Math.max(Math.min(wanted, 0), ceiling) : Math.min(Math.max(wanted, 0), ceiling)
}

function detail({ section, definition, found }: WeighedSignal, points: number): SignalDetail {
  return {
    id: found.id,
    section,
    group: definition.group,
    points: points === 0 ? 0 : points,
    floor: definition.floor ?? null,
    title: definition.title,
    detail: found.detail ?? null,
    evidence: found.evidence ?? {},
  }
}

const byRawCost = (a: WeighedSignal, b: WeighedSignal) =>
  Math.abs(rawTenths(b)) - Math.abs(rawTenths(a)) || compare(a.found.id, b.found.id)

const byPoints = (a: SignalDetail, b: SignalDetail) =>
  b.points - a.points || (b.floor ?? 0) - (a.floor ?? 0) || compare(a.id, b.id)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
