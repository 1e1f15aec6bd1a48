// Judges how closely a page resembles phishing kits, and which features show it.
import { dataFile, type Static, Type } from '../../../src/engine/plugin.ts'
import type { PageFacts } from './facts.ts'
import { features, isTelling, readFeatures } from './features.ts'

/**
 * `possible`: about one in fifty benign pages of unseen sources reaches it. `likely`: one in four hundred. `certain`: none of the
 * known ones (see the model card).
 */
export type Likelihood = 'possible' | 'likely' | 'certain'

/** Weights in log-odds, by name of the feature, and the odds above which each level begins. */
export const PageModelFile = dataFile({
  bias: Type.Number(),
  thresholds: Type.Object(
    { possible: Type.Number(), likely: Type.Number(), certain: Type.Number() },
    { additionalProperties: false },
  ),
  features: Type.Record(Type.String(), Type.Number()),
})
export type PageModel = Pick<Static<typeof PageModelFile>, 'bias' | 'thresholds' | 'features'>

/** What the page model says of a page. */
export interface PageJudgement {
  readonly odds: number
  readonly level: Likelihood | null
  /** The strongest features for phishing, each as a predicate: `asks for a password`. At most four. */
  readonly reasons: readonly string[]
}

const REASONS = 4
const NOT_JUDGED: PageJudgement = { odds: Number.NEGATIVE_INFINITY, level: null, reasons: [] }

/** A function that judges pages by a trained model. */
export function createPageJudge({ bias, thresholds, features: weights }: PageModel) {
  const table = Float64Array.from(features, ({ name }) => weights[name] ?? 0)
  return (facts: PageFacts): PageJudgement => {
    // Old recordings lack the `look` of a page, which most features need.
    if (facts.document.look === undefined || !isTelling(facts)) return NOT_JUDGED
    const values = readFeatures(facts)
    let odds = bias
    for (let at = 0; at < table.length; at++) odds += (table[at] ?? 0) * (values[at] ?? 0)
    const level = levelOf(odds, thresholds)
    return { odds, level, reasons: level === null ? [] : reasonsOf(values, table) }
  }
}

function levelOf(odds: number, { possible, likely, certain }: PageModel['thresholds']): Likelihood | null {
  if (odds > certain) return 'certain'
  if (odds > likely) return 'likely'
  return odds > possible ? 'possible' : null
}

function reasonsOf(values: Float64Array, table: Float64Array): string[] {
  const shares = new Map<string, number>()
  for (const [at, { says }] of features.entries()) {
    const share = (table[at] ?? 0) * (values[at] ?? 0)
    if (says !== null && share > 0) shares.set(says, (shares.get(says) ?? 0) + share)
  }
  return [...shares]
    .sort(([, one], [, other]) => other - one)
    .slice(0, REASONS)
    .map(([says]) => says)
}
