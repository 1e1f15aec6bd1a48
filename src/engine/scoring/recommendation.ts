// The recommendation for a target and the reason for it. Pure.
import { type Confidence, gapSentence, gaps, type Sighting } from './confidence.ts'
import { type MissingSource, missingSentence, withholdingFeed } from './missing.ts'
import type { SignalDetail } from './scored.ts'
import { bySeverity, SERIOUS } from './severity.ts'
import { CONDEMNED_FROM, type Verdict } from './verdict.ts'

/** The least restrictive first. */
export const RECOMMENDATIONS = ['allow', 'review', 'block'] as const

export type Recommendation = (typeof RECOMMENDATIONS)[number]

export interface Judgement {
  readonly risk_score: number
  readonly verdict: Verdict
  readonly confidence: Confidence
  readonly details: readonly Detail[]
  /** Expected sources that could not be used. */
  readonly missing?: readonly MissingSource[]
}

type Detail = Pick<SignalDetail, 'id' | 'severity' | 'points' | 'floor' | 'title' | 'detail'>

/**
 * `block` for malicious only; `review` for suspicious, and for safe with low confidence, a signal of severity high or critical, or
 * without a feed of the operator; otherwise `allow`.
 */
export function recommendation(judgement: Omit<Judgement, 'risk_score'>): Recommendation {
  const { verdict, confidence, details, missing = [] } = judgement
  if (verdict === 'malicious') return 'block'
  if (verdict === 'suspicious' || confidence === 'low' || withholdingFeed(missing)) return 'review'
  return details.some(({ severity }) => SERIOUS.has(severity)) ? 'review' : 'allow'
}

/** The deciding reason as one sentence. Text from the target in it was made printable with the signal. */
export function recommendationReason(judgement: Judgement, sightings: readonly Sighting[]): string {
  const { verdict, confidence, details, risk_score, missing = [] } = judgement
  const [gravest] = gravestFirst(details, verdict)
  if (verdict !== 'safe') return gravest ? sentenceOf(gravest) : `The risk score is ${risk_score} of 100.`
  if (gravest && SERIOUS.has(gravest.severity)) return sentenceOf(gravest)
  const withholding = withholdingFeed(missing)
  if (withholding) return missingSentence(withholding)
  const [gap] = gaps(sightings)
  if (confidence === 'low') return gap ? gapSentence(gap) : 'No deciding evidence was seen.'
  const gapText = gap ? gapSentence(gap) : missing[0] && missingSentence(missing[0])
  if (gapText === undefined) return 'No serious risk was found, and all deciding evidence was seen.'
  return `No serious risk was found, but ${lowerFirst(gapText)}`
}

/** For a malicious verdict, signals that decide it come before those that only add to it; signals without points are left out of a bad verdict. */
function gravestFirst(details: readonly Detail[], verdict: Verdict): Detail[] {
  const settles = ({ floor }: Detail) => verdict === 'malicious' && (floor ?? 0) >= CONDEMNED_FROM
  const counts = ({ severity, points, floor }: Detail) => points > 0 || floor !== null || SERIOUS.has(severity)
  return details.filter(counts).sort((a, b) => Number(settles(b)) - Number(settles(a)) || bySeverity(a, b))
}

/** Maximum characters of a reason, so that it can be read at a glance. A longer detail is replaced by the title. */
const REASON_CHARACTERS = 240

function sentenceOf({ detail, title }: Detail): string {
  const reason = detail !== null && detail.length > 0 && detail.length <= REASON_CHARACTERS ? detail : title
  const cut = reason.length > REASON_CHARACTERS ? `${reason.slice(0, REASON_CHARACTERS - 1)}…` : reason
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`
}

const lowerFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)
