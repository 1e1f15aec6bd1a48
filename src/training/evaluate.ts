// The evaluation: how well held-back names are parted, as a whole, by class and source, and where it is known to be hard.
import type { NameParts } from '../evidence/name_score/parts.ts'
import { isBenign } from './corpus.ts'
import { kinds } from './lists.ts'
import { areaUnderCurve, shareAbove, thresholdAt } from './metrics.ts'
import { oddsOf, type ScoredName } from './scored.ts'

/** False positive rates at which the share of malicious names found is told. */
export const rates = [0.001, 0.01, 0.05] as const

export interface PositiveRow {
  readonly slice: string
  readonly names: number
  /** Against all negatives of the same shape. */
  readonly auc: number
  /** At each of `rates`, by thresholds over all negatives. */
  readonly found: readonly number[]
}

export interface NegativeRow {
  readonly slice: string
  readonly names: number
  /** Flagged, at the threshold of each of `rates`. */
  readonly flagged: readonly number[]
}

export interface Evaluation {
  readonly positives: readonly PositiveRow[]
  readonly negatives: readonly NegativeRow[]
  /** Of as many malicious as benign names, what part of those over the 1 % threshold is malicious. */
  readonly precision: number
}

/** Suffixes that are sold for next to nothing, where abuse and honest names are both many. */
const cheapSuffixes = new Set(
  'xyz top site online shop icu club vip live store fun space website buzz cyou click link work tk ml ga cf gq pw cc bond sbs cfd rest'.split(
    ' ',
  ),
)

/** A few names that are impersonated most, to see what their letters cost an honest name. */
const brandWord = /paypal|apple|amazon|google|microsoft|netflix|facebook|bank|visa|chase|dhl|steam|coin/

type Slice = readonly [name: string, isIn: (name: ScoredName) => boolean]

const partsOf = (test: (parts: NameParts) => boolean) => (name: ScoredName) => test(name.parts)

const shapes: readonly Slice[] = [
  ['apex only', partsOf(({ subdomain }) => subdomain === '')],
  ['with subdomain', partsOf(({ subdomain }) => subdomain !== '')],
  ['cheap suffixes', partsOf(({ suffix }) => cheapSuffixes.has(suffix))],
  ['hosting tenants', partsOf(({ tenant }) => tenant)],
  ['brand words', partsOf(({ label }) => brandWord.test(label))],
]

/** Slices of fewer names say little. */
const leastNames = 25

export function evaluate(scored: readonly ScoredName[]): Evaluation {
  const benign = scored.filter(isBenign)
  const malicious = scored.filter(name => !isBenign(name))
  const thresholds = rates.map(rate => thresholdAt(oddsOf(benign), rate))
  const rowOf = (slice: string, names: readonly ScoredName[], against = benign): PositiveRow => {
    const odds = oddsOf(names)
    const found = thresholds.map(threshold => shareAbove(odds, threshold))
    return { slice, names: names.length, auc: areaUnderCurve(odds, oddsOf(against)), found }
  }
  const flagsOf = ([slice, isIn]: Slice): NegativeRow => {
    const names = benign.filter(isIn)
    const flagged = thresholds.map(threshold => shareAbove(oddsOf(names), threshold))
    return { slice, names: names.length, flagged }
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
  const negatives = [...shapes, ...sourceSlices(benign)].map(flagsOf)
  const kept = <Row extends { names: number }>(rows: readonly Row[]) => rows.filter(({ names }) => names >= leastNames)
  return { positives: kept(positives), negatives: kept(negatives), precision: precisionAt(positives[0]) }
}

const kindSlices: readonly Slice[] = kinds
  .filter(kind => kind !== 'benign')
  .flatMap((kind): Slice[] => [
    [`${kind}, source held back`, name => name.held && name.kind === kind],
    [`${kind}, owner held back`, name => !name.held && name.kind === kind],
  ])

function sourceSlices(names: readonly ScoredName[]): Slice[] {
  const held = new Map(names.map(name => [name.source, name.held]))
  return [...held]
    .sort()
    .map(([source, isHeld]) => [`source ${source}${isHeld ? ' (held back)' : ''}`, name => name.source === source])
}

function precisionAt(all: PositiveRow | undefined): number {
  const found = all?.found[1] ?? 0
  return found / (found + rates[1])
}
