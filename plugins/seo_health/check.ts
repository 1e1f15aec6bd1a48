// The shape of a check, and how the checks' answers become a score.
import { type Static, Type } from '../../src/engine/plugin.ts'
import type { Facts } from './facts.ts'

/** One thing that search engines look at. Its impact is what the score loses. */
export interface Check {
  /** snake_case, public and stable. */
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly impact: number
  /** A sentence for people, with its full stop. */
  readonly message: string
  /** It asserts that something is not there, which is not known when only the beginning of the page was read. */
  readonly absence?: true
  /** Whether it is so; a string when there is more to say. False also when it cannot be known. */
  readonly test: (facts: Facts) => boolean | string
}

export const Issue = Type.Object(
  {
    code: Type.String(),
    severity: Type.Enum(['error', 'warning', 'info']),
    message: Type.String(),
    impact: Type.Integer({ description: 'What the score loses by it.' }),
  },
  { additionalProperties: false },
)

const DETAIL_LENGTH = 160
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]+/gu

/** The issues found, in the order of the checks. */
export function findIssues(checks: readonly Check[], facts: Facts): Static<typeof Issue>[] {
  return checks.flatMap(({ code, severity, impact, message, absence, test }) => {
    const found = absence && facts.document.truncated ? false : test(facts)
    if (found === false) return []
    return [{ code, severity, message: found === true ? message : withDetail(message, found), impact }]
  })
}

const withDetail = (message: string, detail: string): string =>
  `${message.slice(0, -1)} (${detail.slice(0, DETAIL_LENGTH).replace(UNPRINTABLE, ' ')}).`

/** A hundred, less what the issues cost, and never below zero. */
export const scoreOf = (issues: readonly { readonly impact: number }[]): number =>
  Math.max(0, 100 - issues.reduce((sum, { impact }) => sum + impact, 0))
