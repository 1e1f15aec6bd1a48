// The score step by step: each signal's points and every adjustment, so that the last step ends at the score.

/** The parts of a signal that the steps need. */
export interface ScoredSignal {
  readonly id: string
  readonly group: string
  readonly title: string
  readonly points: number
  readonly floor: number | null
}

/** From one sum to the next. `from` and `to` are points; `signal` is its ID, or null where the sum itself is held. */
export interface Step {
  readonly signal: string | null
  readonly title: string
  readonly points: number
  readonly from: number
  readonly to: number
}

export interface GroupSum {
  readonly group: string
  readonly points: number
  /** The most points that the group may add, or subtract when negative; null for an unknown group. */
  readonly ceiling: number | null
  readonly count: number
  /** Further signals of the group change nothing. */
  readonly reached: boolean
}

/** Points have tenths; whole numbers add up exactly. */
const tenths = (points: number): number => Math.round(points * 10)

/**
 * Every step that changes the sum: the signals in the given order, then the adjustments that lead to `risk_score`.
 */
export function scoreSteps(details: readonly ScoredSignal[], riskScore: number): Step[] {
  let at = 0
  const move = (signal: string | null, title: string, change: number): Step => {
    const from = at
    at += change
    return { signal, title, points: change / 10, from: from / 10, to: at / 10 }
  }
  const moving = details.filter(({ points }) => points !== 0)
  const signals = moving.map(detail => move(detail.id, detail.title, tenths(detail.points)))
  const adjustments = corrections(at / 10, riskScore, details).map(({ title, to }) =>
    move(null, title, tenths(to) - at),
  )
  return [...signals, ...adjustments]
}

/**
 * Why the score differs from the plain sum, in the order of the computation.
 */
function corrections(
  sum: number,
  riskScore: number,
  details: readonly ScoredSignal[],
): { title: string; to: number }[] {
  const roundedScore = Math.round(sum)
  const floor = Math.max(0, ...details.map(detail => detail.floor ?? 0))
  const by = details.find(detail => detail.floor === floor)
  const raisedScore = Math.max(roundedScore, floor)
  const limitedScore = Math.min(100, Math.max(0, raisedScore))
  const all = [
    { title: 'Rounded to a whole number', to: roundedScore },
    { title: by ? `Raised: “${by.title}” means at least ${floor}` : 'A score is never below 0', to: raisedScore },
    { title: 'Capped at 100', to: limitedScore },
    { title: 'Adjusted by this service', to: riskScore },
  ]
  let at = sum
  return all.filter(({ to }) => {
    const changes = to !== at
    at = to
    return changes
  })
}

/**
 * The points of each group, highest first, and whether its ceiling was reached. A negative ceiling is the most that a group
 * can subtract.
 */
export function groupSums(details: readonly ScoredSignal[], ceilings: Readonly<Record<string, number>>): GroupSum[] {
  const names = [...new Set(details.map(({ group }) => group))]
  return names
    .map(group => {
      const own = details.filter(detail => detail.group === group)
      const points = own.reduce((sum, detail) => sum + tenths(detail.points), 0) / 10
      const ceiling = ceilings[group] ?? null
      return {
        group,
        points,
        ceiling,
        count: own.length,
        reached: ceiling !== null && points !== 0 && points === ceiling,
      }
    })
    .sort((a, b) => b.points - a.points)
}
