// Two scores of the same check side by side, signal by signal. Pure.
import type { SignalDetail } from './scored.ts'

/** A scored result, as far as a comparison needs it. */
export interface Rescoring {
  readonly scoring_policy: string
  readonly risk_score: number
  readonly verdict: string
  readonly recommendation: string
  readonly recommendation_reason: string
  readonly confidence: string
  readonly signal_details: readonly SignalDetail[]
}

/** One signal in both scores; `points` and `floor` are null if it was not raised, and `floor` also if it sets none. */
export interface SignalChange {
  readonly id: string
  readonly section: string
  readonly group: string
  readonly title: string
  readonly before: SignalCost | null
  readonly after: SignalCost | null
  /** Difference in points, later minus earlier. */
  readonly change: number
}

export type SignalCost = Pick<SignalDetail, 'severity' | 'points' | 'floor'>

export interface ScoreChange {
  readonly before: Omit<Rescoring, 'signal_details'>
  readonly after: Omit<Rescoring, 'signal_details'>
  readonly change: number
  /** Every signal raised in either score: largest changes first, then most points, then by ID. */
  readonly signals: readonly SignalChange[]
}

export function differenceOf(before: Rescoring, after: Rescoring): ScoreChange {
  const ids = new Set([...after.signal_details, ...before.signal_details].map(({ id }) => id))
  return {
    before: totalsOf(before),
    after: totalsOf(after),
    change: after.risk_score - before.risk_score,
    signals: [...ids].flatMap(id => changeOf(id, before, after)).sort(byChange),
  }
}

export const isChanged = ({ before, after, change }: SignalChange): boolean =>
  change !== 0 ||
  before === null ||
  after === null ||
  before.floor !== after.floor ||
  before.severity !== after.severity

const totalsOf = (rescoring: Rescoring): Omit<Rescoring, 'signal_details'> => {
  const { scoring_policy, risk_score, verdict, recommendation, recommendation_reason, confidence } = rescoring
  return { scoring_policy, risk_score, verdict, recommendation, recommendation_reason, confidence }
}

function changeOf(id: string, before: Rescoring, after: Rescoring): SignalChange[] {
  const [was, is] = [before, after].map(({ signal_details }) => signal_details.find(detail => detail.id === id))
  const present = is ?? was
  if (present === undefined) return []
  const { section, group, title } = present
  const change = tenths((is?.points ?? 0) - (was?.points ?? 0))
  return [{ id, section, group, title, before: costOf(was), after: costOf(is), change }]
}

const costOf = (detail: SignalDetail | undefined): SignalCost | null =>
  detail === undefined ? null : { severity: detail.severity, points: detail.points, floor: detail.floor }

/** Points are whole tenths; sums of binary fractions are not. */
const tenths = (points: number): number => Math.round(points * 10) / 10

const size = ({ before, after }: SignalChange) => Math.max(Math.abs(before?.points ?? 0), Math.abs(after?.points ?? 0))

const byChange = (a: SignalChange, b: SignalChange): number =>
  Number(isChanged(b)) - Number(isChanged(a)) ||
  Math.abs(b.change) - Math.abs(a.change) ||
  size(b) - size(a) ||
  (a.id < b.id ? -1 : 1)
