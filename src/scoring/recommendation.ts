// What to do about a target, and the one reason for it. Pure.
import { type Confidence, gapSentence, gaps, type Sighting } from './confidence.ts'
import type { SignalDetail } from './scored.ts'
import { bySeverity, SERIOUS } from './severity.ts'
import { CONDEMNED_FROM, type Verdict } from './verdict.ts'

/** The least restrictive first. */
export const RECOMMENDATIONS = ['allow', 'review', 'block'] as const

export type Recommendation = (typeof RECOMMENDATIONS)[number]

export interface Judged {
  readonly risk_score: number
  readonly verdict: Verdict
  readonly confidence: Confidence
  readonly details: readonly Detail[]
}

type Detail = Pick<SignalDetail, 'id' | 'severity' | 'points' | 'floor' | 'title' | 'detail'>

/**
 * `block` for malicious, which alone is blocked; `review` for suspicious, and for safe beside a signal of severity high
 * or critical or with low confidence; else `allow`.
 */
export function recommendation({ verdict, confidence, details }: Omit<Judged, 'risk_score'>): Recommendation {
  if (verdict === 'malicious') return 'block'
  if (verdict === 'suspicious' || confidence === 'low') return 'review'
  return details.some(({ severity }) => SERIOUS.has(severity)) ? 'review' : 'allow'
}

/** The deciding reason as one sentence for people; a stranger's words in it are as printable as the signal's own. */
export function recommendationReason(judged: Judged, seen: readonly Sighting[]): string {
  const { verdict, confidence, details, risk_score } = judged
  const [gravest] = gravestFirst(details, verdict)
  if (verdict !== 'safe') return gravest ? sentenceOf(gravest) : `The risk score is ${risk_score} of 100.`
  if (gravest && SERIOUS.has(gravest.severity)) return sentenceOf(gravest)
  const [gap] = gaps(seen)
  if (confidence === 'low') return gap ? gapSentence(gap) : 'No evidence that decides was looked at.'
  if (!gap) return 'No serious risk was found, and all deciding evidence was seen.'
  return `No serious risk was found, but ${lowerFirst(gapSentence(gap))}`
}

/** What settles a malicious verdict comes before what only adds to it; what adds nothing has no part in a bad one. */
function gravestFirst(details: readonly Detail[], verdict: Verdict): Detail[] {
  const settles = ({ floor }: Detail) => verdict === 'malicious' && (floor ?? 0) >= CONDEMNED_FROM
  const counts = ({ severity, points, floor }: Detail) => points > 0 || floor !== null || SERIOUS.has(severity)
  return details.filter(counts).sort((a, b) => Number(settles(b)) - Number(settles(a)) || bySeverity(a, b))
}

/** Characters of a reason: what a person reads at a glance. Longer details say the title instead. */
const REASON_CHARACTERS = 240

function sentenceOf({ detail, title }: Detail): string {
  const said = detail !== null && detail.length > 0 && detail.length <= REASON_CHARACTERS ? detail : title
  const cut = said.length > REASON_CHARACTERS ? `${said.slice(0, REASON_CHARACTERS - 1)}…` : said
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`
}

const lowerFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)
