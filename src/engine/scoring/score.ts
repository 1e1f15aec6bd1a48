// From signals to points to the score: the only place where a weight becomes points.
import { HYGIENE } from './groups.ts'
import type { Scored, SectionSignals, SignalDetail, WeighedSignal } from './scored.ts'
import { VERDICT_FROM } from './verdict.ts'

/** Points are integers in tenths, so that they add up exactly in any order. */
const TENTHS = 10

/** Joins each raised signal with its definition; signals without one are dropped. */
export function weigh(sections: readonly SectionSignals[]): WeighedSignal[] {
  return sections.flatMap(({ section, definitions, signals }) =>
    signals.flatMap(signal => {
      const definition = definitions[signal.id]
      return definition ? [{ section, definition, signal }] : []
    }),
  )
}

/** The groups that trust reduces. Age and popularity do not outweigh a listing or a deceptive page. */
const TRUST_REDUCES: ReadonlySet<string> = new Set(['identity', HYGIENE])
const TRUST = 'trust'

/**
 * Scores the raised signals. In each group, signals with the most points keep them until the ceiling is reached; the next one
 * gets the rest, and the others get nothing. Trust removes at most what identity and hygiene have added. Hygiene never changes
 * the verdict. `risk_score` is the sum of all points, rounded, raised to the highest floor and limited to 0 to 100. Details
 * are sorted by points, then floor, then ID.
 */
export function score(signals: readonly WeighedSignal[], groups: Readonly<Record<string, number>>): Scored {
  const orderedSignals = [...signals].sort(byRawCost)
  const roomByGroup = new Map(Object.entries(groups).map(([name, ceiling]) => [name, Math.round(ceiling * TENTHS)]))
  const spend = (signal: WeighedSignal): SignalDetail => {
    const { group } = signal.definition
    const ceiling = roomByGroup.get(group) ?? 0
    const tenths = holdToward(rawTenths(signal), ceiling)
    roomByGroup.set(group, ceiling - tenths)
    return detail(signal, tenths / TENTHS)
  }
  const of = (group: string) => orderedSignals.filter(({ definition }) => definition.group === group)
  const others = orderedSignals.filter(({ definition: { group } }) => group !== HYGIENE && group !== TRUST).map(spend)
  const reducible = tenthsOf(others.filter(({ group }) => TRUST_REDUCES.has(group)))
  const trustTenths = Math.max(roomByGroup.get(TRUST) ?? 0, -of(TRUST).reduce((sum, one) => sum - rawTenths(one), 0))
  // The verdict is decided without hygiene, where trust reduces only the points of identity.
  const scoreTenths = tenthsOf(others) + Math.max(trustTenths, -reducible)
  roomByGroup.set(HYGIENE, Math.min(roomByGroup.get(HYGIENE) ?? 0, roomBelowNextVerdict(scoreTenths, others)))
  const hygiene = of(HYGIENE).map(spend)
  roomByGroup.set(TRUST, Math.max(roomByGroup.get(TRUST) ?? 0, -reducible - tenthsOf(hygiene)))
  const details = [...others, ...hygiene, ...of(TRUST).map(spend)]
  return { risk_score: riskScore(details), details: details.sort(byPoints) }
}

const tenthsOf = (details: readonly SignalDetail[]): number =>
  details.reduce((sum, { points }) => sum + Math.round(points * TENTHS), 0)

/** Tenths that can be added to `scoreTenths` without changing the verdict. */
function roomBelowNextVerdict(scoreTenths: number, details: readonly SignalDetail[]): number {
  const floor = details.reduce((highest, one) => Math.max(highest, one.floor ?? 0), 0)
  const points = Math.max(floor, Math.round(scoreTenths / TENTHS))
  const next = VERDICT_FROM.map(([least]) => least).filter(least => least > points)
  return next.length === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, (Math.min(...next) - 1) * TENTHS - scoreTenths)
}

/** The score from the points and floors of the details; clients can repeat this computation. */
export function riskScore(details: readonly Pick<SignalDetail, 'points' | 'floor'>[]): number {
  const tenths = details.reduce((sum, { points }) => sum + Math.round(points * TENTHS), 0)
  const floor = details.reduce((highest, { floor }) => Math.max(highest, floor ?? 0), 0)
  return Math.min(100, Math.max(0, floor, Math.round(tenths / TENTHS)))
}

/** The points of a signal by itself, before ceilings and trust. */
export const pointsAlone = (signal: WeighedSignal): number => rawTenths(signal) / TENTHS

function rawTenths({ definition, signal }: WeighedSignal): number {
  const strength = Math.min(1, Math.max(0, signal.strength ?? 1))
  return Math.round(definition.weight * strength * TENTHS)
}

/** The part of `points` that fits between zero and `ceiling`, which have the same sign. */
function holdToward(points: number, ceiling: number): number {
  return ceiling < 0 ? Math.max(Math.min(points, 0), ceiling) : Math.min(Math.max(points, 0), ceiling)
}

function detail({ section, definition, signal }: WeighedSignal, points: number): SignalDetail {
  return {
    id: signal.id,
    section,
    group: definition.group,
    severity: definition.severity,
    points: points === 0 ? 0 : points,
    floor: definition.floor ?? null,
    threat_types: signal.threat_types ?? definition.threat_types ?? [],
    title: definition.title,
    detail: signal.detail ?? null,
    evidence: signal.evidence ?? {},
  }
}

const byRawCost = (a: WeighedSignal, b: WeighedSignal) =>
  Math.abs(rawTenths(b)) - Math.abs(rawTenths(a)) || compare(a.signal.id, b.signal.id)

const byPoints = (a: SignalDetail, b: SignalDetail) =>
  b.points - a.points || (b.floor ?? 0) - (a.floor ?? 0) || compare(a.id, b.id)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
