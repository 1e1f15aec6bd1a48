// Computes the score from the shares, and the grade from the score.

export const grades = ['A+', 'A', 'B', 'C', 'D', 'F'] as const
export type Grade = (typeof grades)[number]

/** Points of 100 for each criterion, by what it protects against and how often that happens. */
export const weights = {
  csp: 25,
  hsts: 15,
  x_frame_options: 12,
  x_content_type_options: 10,
  https: 10,
  referrer_policy: 8,
  permissions_policy: 5,
  coop: 5,
  corp: 3,
  cors: 3,
  coep: 2,
  leaks: 2,
}
export type Criterion = keyof typeof weights

/** The minimum score of each grade. */
const thresholds: readonly (readonly [least: number, grade: Grade])[] = [
  [95, 'A+'],
  [85, 'A'],
  [70, 'B'],
  [55, 'C'],
  [40, 'D'],
  [0, 'F'],
]

/** 0 to 100: the earned share of the points of all applicable criteria; null means not applicable. */
export function scoreOf(shares: Readonly<Record<Criterion, number | null>>): number {
  const applicable = Object.entries(weights).flatMap(([name, weight]) => {
    const share = shares[name as Criterion]
    return share === null ? [] : [{ weight, share }]
  })
  const possible = applicable.reduce((sum, { weight }) => sum + weight, 0)
  const points = applicable.reduce((sum, { weight, share }) => sum + weight * share, 0)
  return Math.round((100 * points) / possible)
}

/** The letter for a score from 0 to 100. */
export const gradeOf = (score: number): Grade => thresholds.find(([least]) => score >= least)?.[1] ?? 'F'
