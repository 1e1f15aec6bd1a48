// The score step by step: each signal's points and every adjustment, so that the last step ends at the score.

/** @typedef {import('./result.js').Detail} Detail */

/**
 * @typedef {object} Step From one sum to the next. `from` and `to` are points; `signal` is absent where the sum itself is held.
 * @property {Detail | null} signal
 * @property {string} title
 * @property {number} points
 * @property {number} from
 * @property {number} to
 */

/** Points have tenths; whole numbers add up exactly. */
const tenths = (/** @type {number} */ points) => Math.round(points * 10)

/**
 * Every step that changes the sum: the signals in the given order, then the adjustments that lead to `risk_score`.
 * @param {readonly Detail[]} details
 * @param {number} risk_score
 * @returns {Step[]}
 */
export function steps(details, risk_score) {
  let at = 0
  /** @type {(signal: Detail | null, title: string, change: number) => Step} */
  const move = (signal, title, change) => {
    const from = at
    at += change
    return { signal, title, points: change / 10, from: from / 10, to: at / 10 }
  }
  const moving = details.filter(({ points }) => points !== 0)
  const signals = moving.map(detail => move(detail, detail.title, tenths(detail.points)))
  const adjustments = corrections(at / 10, risk_score, details).map(({ title, to }) =>
    move(null, title, tenths(to) - at),
  )
  return [...signals, ...adjustments]
}

/**
 * Why the score differs from the plain sum, in the order of the computation.
 * @param {number} sum
 * @param {number} risk_score
 * @param {readonly Detail[]} details
 */
function corrections(sum, risk_score, details) {
  const rounded = Math.round(sum)
  const floor = Math.max(0, ...details.map(detail => detail.floor ?? 0))
  const by = details.find(detail => detail.floor === floor)
  const raised = Math.max(rounded, floor)
  const limited = Math.min(100, Math.max(0, raised))
  const all = [
    { title: 'Rounded to a whole number', to: rounded },
    { title: by ? `Raised: “${by.title}” means at least ${floor}` : 'A score is never below 0', to: raised },
    { title: 'A score is at most 100', to: limited },
    { title: 'Adjusted by this service', to: risk_score },
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
 * @param {readonly Detail[]} details
 * @param {Readonly<Record<string, number>>} ceilings
 */
export function groupSums(details, ceilings) {
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

/**
 * The verdicts with both ends of their ranges, lowest first.
 * @param {readonly (readonly [least: number, verdict: string])[]} verdicts highest first
 */
export const ranges = verdicts =>
  verdicts.map(([least, verdict], i) => ({ verdict, least, most: (verdicts[i - 1]?.[0] ?? 101) - 1 })).reverse()

/** With a real minus sign. @param {number} points */
export const plain = points => (points < 0 ? `−${-points}` : `${points}`)

/** @param {number} points */
export const signed = points => (points > 0 ? `+${points}` : plain(points))
