// The type of a check, and how the issues found become a score.
import { printable, type Static, Type } from '../../src/engine/plugin.ts'
import type { SeoFacts } from './facts.ts'

/** One aspect that search engines evaluate. The score loses its impact. */
export interface SeoCheck {
  /** snake_case, public and stable. */
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly impact: number
  /** A sentence for people, with its full stop. */
  readonly message: string
  /** The check asserts that something is missing, which is unknown if only the beginning of the page was read. */
  readonly absence?: true
  /** Whether the issue exists; a string adds details. False also if it cannot be determined. */
  readonly test: (facts: SeoFacts) => boolean | string
}

export const Issue = Type.Object(
  {
    code: Type.String({ description: 'Stable identifier of the issue.' }),
    severity: Type.Enum(['error', 'warning', 'info'], { description: 'How serious it is.' }),
    message: Type.String({ description: 'The issue as a sentence.' }),
    impact: Type.Integer({ description: 'Points that the score loses.' }),
  },
  { additionalProperties: false },
)

const DETAIL_LENGTH = 160

/** The issues found, in the order of the checks. */
export function findIssues(checks: readonly SeoCheck[], facts: SeoFacts): Static<typeof Issue>[] {
  return checks.flatMap(({ code, severity, impact, message, absence, test }) => {
    const passes = absence && facts.document.truncated ? false : test(facts)
    if (passes === false) return []
    return [{ code, severity, message: passes === true ? message : withDetail(message, passes), impact }]
  })
}

const withDetail = (message: string, detail: string): string =>
  `${message.slice(0, -1)} (${printable(detail, DETAIL_LENGTH)}).`

/** 100 minus the impacts of the issues, at least 0. */
export const scoreOf = (issues: readonly { readonly impact: number }[]): number =>
  Math.max(0, 100 - issues.reduce((sum, { impact }) => sum + impact, 0))
