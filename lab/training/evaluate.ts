// Evaluates how well the model separates held-back names: overall, by class and source, and in known hard cases.
import { type NameParts, type SuffixClass, suffixClasses, suffixClassOf } from '../../src/evidence/name_score/facts.ts'
import { isBenign } from './corpus.ts'
import { kinds } from './lists.ts'
import { areaUnderCurve, shareAbove, thresholdAt } from './metrics.ts'
import { oddsOf, type ScoredName } from './scored.ts'

/** False positive rates at which the share of detected malicious names is reported. */
export const rates = [0.001, 0.01, 0.05] as const

export interface PositiveRow {
  readonly slice: string
  readonly names: number
  /** Measured against all negatives of the same shape. */
  readonly auc: number
  /** Share detected at each of `rates`, with thresholds from all negatives. */
  readonly shares: readonly number[]
}

export interface NegativeRow {
  readonly slice: string
  readonly names: number
  /** Share flagged at the threshold of each of `rates`. */
  readonly flagged: readonly number[]
}

/** Measured with thresholds from the benign names of this class only. */
export interface ClassRow {
  readonly suffixClass: SuffixClass
  readonly benign: number
  readonly malicious: number
  /** At each of `rates`. */
  readonly shares: readonly number[]
}

export interface Evaluation {
  readonly positives: readonly PositiveRow[]
  readonly negatives: readonly NegativeRow[]
  readonly classes: readonly ClassRow[]
  /** Precision at the threshold of each of `rates` if one name in a hundred is malicious. */
  readonly precision: readonly number[]
}

/** Share of malicious names that the precision assumes. */
export const baseRate = 0.01

/** Some of the most impersonated names, to see how their letters affect honest names. */
const brandWord = /paypal|apple|amazon|google|microsoft|netflix|facebook|bank|visa|chase|dhl|steam|coin/

type Slice = readonly [name: string, isIn: (name: ScoredName) => boolean]

const partsOf = (test: (parts: NameParts) => boolean) => (name: ScoredName) => test(name.parts)

const shapes: readonly Slice[] = [
  ['apex only', partsOf(({ subdomain }) => subdomain === '')],
  ['with subdomain', partsOf(({ subdomain }) => subdomain !== '')],
  ['cheap suffixes', partsOf(parts => suffixClassOf(parts) === 'cheap')],
  ['hosting tenants', partsOf(({ tenant }) => tenant)],
  ['brand words', partsOf(({ label }) => brandWord.test(label))],
]

/** Smaller slices are not meaningful. */
const leastNames = 25

/** `tenants`: generated benign tenants. */
export function evaluate(scoredNames: readonly ScoredName[], tenants: readonly ScoredName[]): Evaluation {
  const benign = scoredNames.filter(isBenign)
  const malicious = scoredNames.filter(name => !isBenign(name))
  const thresholds = rates.map(rate => thresholdAt(oddsOf(benign), rate))
  const rowOf = (slice: string, names: readonly ScoredName[], against = benign): PositiveRow => {
    const odds = oddsOf(names)
    const shares = thresholds.map(threshold => shareAbove(odds, threshold))
    return { slice, names: names.length, auc: areaUnderCurve(odds, oddsOf(against)), shares }
  }
  const flagsOf = ([slice, isIn]: Slice, among: readonly ScoredName[]): NegativeRow => {
    const names = among.filter(isIn)
    const flagShares = thresholds.map(threshold => shareAbove(oddsOf(names), threshold))
    return { slice, names: names.length, flagged: flagShares }
  }
  const cut = (slices: readonly Slice[]) => slices.map(([name, isIn]) => rowOf(name, malicious.filter(isIn)))
  const positives = [
    rowOf('all', malicious),
    ...cut([
      ['sources held back', ({ held }) => held],
      ['owners held back', ({ held }) => !held],
    ]),
    ...shapes.map(([name, isIn]) => rowOf(name, malicious.filter(isIn), benign.filter(isIn))),
    ...cut(kindSlices),
    ...cut(sourceSlices(malicious)),
  ]
  const madeUp = tenants.map(name => ({ ...name, source: MADE_UP }))
  const negatives = [
    ...[...shapes, ...sourceSlices(benign)].map(slice => flagsOf(slice, benign)),
    flagsOf([MADE_UP, () => true], madeUp),
  ]
  const largeEnough = <Row extends { names: number }>(rows: readonly Row[]) =>
    rows.filter(({ names }) => names >= leastNames)
  return {
    positives: largeEnough(positives),
    negatives: largeEnough(negatives),
    classes: suffixClasses.map(one => classRow(one, benign, malicious)),
    precision: rates.map((rate, at) => precisionOf(positives[0]?.shares[at] ?? 0, rate)),
  }
}

const MADE_UP = 'tenants, made up'

function classRow(suffixClass: SuffixClass, benign: readonly ScoredName[], malicious: readonly ScoredName[]): ClassRow {
  const oddsIn = (names: readonly ScoredName[]) =>
    oddsOf(names.filter(({ parts }) => suffixClassOf(parts) === suffixClass))
  const [good, bad] = [oddsIn(benign), oddsIn(malicious)]
  const shares = rates.map(rate => shareAbove(bad, thresholdAt(good, rate)))
  return { suffixClass, benign: good.length, malicious: bad.length, shares }
}

const kindSlices: readonly Slice[] = kinds
  .filter(kind => kind !== 'benign')
  .flatMap((kind): Slice[] => [
    [`${kind}, source held back`, name => name.held && name.kind === kind],
    [`${kind}, owner held back`, name => !name.held && name.kind === kind],
  ])

function sourceSlices(names: readonly ScoredName[]): Slice[] {
  const heldByName = new Map(names.map(name => [name.source, name.held]))
  return [...heldByName]
    .sort()
    .map(([source, isHeld]) => [`source ${source}${isHeld ? ' (held back)' : ''}`, name => name.source === source])
}

const precisionOf = (hits: number, rate: number): number =>
  (hits * baseRate) / (hits * baseRate + rate * (1 - baseRate))

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map(row => `| ${row.map(cell).join(' | ')} |`).join('\n')
}

/**
 * Three tables: malicious names detected, benign names flagged, and names detected by class, at each false positive
 * rate.
 */
export function reportOf({ positives, negatives, classes, precision }: Evaluation): string {
  const columns = rates.map(rate => `at ${percent(rate)}`)
  const positiveRows = positives.map(row => [
    row.slice,
    String(row.names),
    row.auc.toFixed(3),
    ...row.shares.map(percent),
  ])
  const negativeRows = negatives.map(row => [row.slice, String(row.names), ...row.flagged.map(percent)])
  const byClass = classes.map(row => [
    row.suffixClass,
    String(row.benign),
    String(row.malicious),
    ...row.shares.map(percent),
  ])
  const [at97, at90] = precision.map(percent)
  return [
    'Malicious names found',
    table([['slice', 'names', 'AUC', ...columns], ...positiveRows]),
    '',
    'Benign names flagged',
    table([['slice', 'names', ...columns], ...negativeRows]),
    '',
    'Malicious names found, by thresholds over the benign names of each class of suffix',
    table([['class', 'benign', 'malicious', ...columns], ...byClass]),
    '',
    `Where ${percent(baseRate)} of the names is malicious, ${at90} of those scored 90 or more are, and ${at97} of those scored 97 or more.`,
  ].join('\n')
}
