// Trains the page model: weights from all pages, thresholds from pages of sources that the weights were not trained on.
import { features } from '../../plugins/content_analysis/page_model/features.ts'
import type { PageModel } from '../../plugins/content_analysis/page_model/judge.ts'
import type { PageRecord } from '../evaluation/records.ts'
import { type Example, isAdded } from './examples.ts'
import { fit, oddsOf, type Regression } from './regression.ts'

const FOLDS = 5
const RIDGE = 200
/**
 * Shares of whole benign pages of unseen sources that may reach each level: of the corpus, and of the added pages,
 * which are the kinds that look most like phishing.
 */
const LEVELS = { possible: { corpus: 0.02, added: 0.08 }, likely: { corpus: 0.0025, added: 0.01 } } as const
/**
 * Margin above the worst benign page of an unseen source, for the level that none may reach. In cross-validation by
 * group, the worst page exceeds the next one by less.
 */
const MARGIN = 1.75

/** A page that could be visited; the corpus also has forms cut out of pages. */
export const isWhole = ({ record, evasion }: Example): boolean => evasion === null && !record.kind.includes('fragment')

export const train = (examples: readonly Example[]): Regression => fit(examples, features.length, RIDGE)

export type CrossValidation = ReturnType<typeof crossValidate>

export function crossValidate(examples: readonly Example[]) {
  const folds = foldsOf(
    examples.filter(({ evasion }) => evasion === null).map(({ record }) => record),
    FOLDS,
  )
  const foldOf = (record: PageRecord) => folds.get(record.source.repo) ?? 0
  const models = Array.from({ length: FOLDS }, (_, fold) =>
    train(examples.filter(({ record }) => foldOf(record) !== fold)),
  )
  /** Weights trained without the record's source. */
  const weightsFor = (record: PageRecord): Regression =>
    models[foldOf(record)] ?? { bias: 0, weights: new Float64Array() }
  const odds = new Map(
    examples.map(one => [one, one.telling ? oddsOf(weightsFor(one.record), one.values) : Number.NEGATIVE_INFINITY]),
  )
  return {
    /** Odds by a model that was trained on other sources; `-Infinity` where the model does not judge. */
    oddsOf: (example: Example) => odds.get(example) ?? Number.NEGATIVE_INFINITY,
    weightsFor,
  }
}

/** Thresholds from whole benign pages of sources that the weights were not trained on. */
export function thresholdsOf(examples: readonly Example[], { oddsOf }: CrossValidation): PageModel['thresholds'] {
  const benign = examples.filter(one => !one.positive && isWhole(one))
  const falling = (some: readonly Example[]) => some.map(oddsOf).sort((one, other) => other - one)
  const corpus = falling(benign.filter(one => !isAdded(one)))
  const addedOdds = falling(benign.filter(isAdded))
  const at = (share: { readonly corpus: number; readonly added: number }) =>
    round(Math.max(exceededBy(share.corpus, corpus), exceededBy(share.added, addedOdds)), 2)
  return {
    possible: at(LEVELS.possible),
    likely: at(LEVELS.likely),
    certain: round(Math.max(corpus[0] ?? 0, addedOdds[0] ?? 0) + MARGIN, 2),
  }
}

/**
 * The odds that a share of the pages exceeds, interpolated between two pages so that it does not jump with the number
 * of pages.
 */
function exceededBy(share: number, falling: readonly number[]): number {
  const at = share * falling.length
  const above = falling[Math.floor(at)] ?? Number.NEGATIVE_INFINITY
  const below = falling[Math.floor(at) + 1] ?? Number.NEGATIVE_INFINITY
  return Number.isFinite(below) ? above + (below - above) * (at % 1) : above
}

export const modelOf = ({ bias, weights }: Regression, thresholds: PageModel['thresholds']): PageModel => ({
  bias: round(bias, 3),
  thresholds,
  features: Object.fromEntries(features.map(({ name }, index) => [name, round(weights[index] ?? 0, 3)])),
})

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

/** Number of parts, by group, for thresholds. */
const PARTS = 5

/**
 * Returns, for each record, a model that has not seen it: weights trained without the record's source and thresholds
 * without its group. There are too few sources to leave one out for thresholds.
 */
export function modelsWithout(examples: readonly Example[]): (record: PageRecord) => PageModel {
  const validation = crossValidate(examples)
  const groups = [...new Set(examples.map(({ record }) => record.group))].sort()
  const partOf = new Map(groups.map((group, index) => [group, index % PARTS]))
  const thresholds = Array.from({ length: PARTS }, (_, part) =>
    thresholdsOf(
      examples.filter(({ record }) => partOf.get(record.group) !== part),
      validation,
    ),
  )
  const models = new Map<string, PageModel>()
  return record => {
    const weights = validation.weightsFor(record)
    const limits = thresholds[partOf.get(record.group) ?? 0] ?? thresholdsOf(examples, validation)
    const key = `${weights.bias} ${limits.possible} ${limits.likely} ${limits.certain}`
    const model = models.get(key) ?? modelOf(weights, limits)
    models.set(key, model)
    return model
  }
}

/** Sources by the same author or with common ancestry, by parts of their names. */
const KIN: readonly (readonly string[])[] = [
  ['wang-zifu/'],
  ['zphisher', 'ShellPhish', 'HiddenEye', 'AdvPhishing', 'it0sh1', 'Blackeye', 'CylindricAnt606', 'SocialFish'],
]

const kinOf = (source: string): string => KIN.find(names => names.some(name => source.includes(name)))?.[0] ?? source

/**
 * The fold of each source. The largest sources are placed first, each in the fold with the fewest pages of its label.
 */
function foldsOf(records: readonly PageRecord[], folds: number): ReadonlyMap<string, number> {
  const foldByGroup = new Map<string, number>()
  for (const label of ['phishing', 'benign']) {
    const counts = new Map<string, number>()
    for (const { source } of records.filter(one => one.label === label))
      counts.set(kinOf(source.repo), (counts.get(kinOf(source.repo)) ?? 0) + 1)
    const sizes = new Array<number>(folds).fill(0)
    for (const [kin, count] of [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))) {
      const fold = sizes.indexOf(Math.min(...sizes))
      sizes[fold] = (sizes[fold] ?? 0) + count
      foldByGroup.set(kin, fold)
    }
  }
  return new Map(records.map(({ source }) => [source.repo, foldByGroup.get(kinOf(source.repo)) ?? 0]))
}
