// Generated names for training, so that the model recognises families of generators that nobody has published.
import { splitName } from '../../src/evidence/name_score/facts.ts'
import { isBenign } from './corpus.ts'
import { between, createFamily, pick } from './generators.ts'
import type { LabelledName } from './lists.ts'
import type { Random } from './random.ts'

/** Number of families, and of names per family. */
export interface GeneratedSet {
  readonly families: number
  readonly size: number
}

/** Suffixes that generators use: cheap or old ones, common ones more often, and dynamic DNS. */
const suffixes =
  `com com com com com net net net org org info info biz biz ru ru cc su eu in tk top xyz me tv ws pw us co de cn pro
  name mobi la kz ga cf ml gq site online club space ddns.net dyndns.org duckdns.org hopto.org`.split(/\s+/)

const mostSuffixes = 6

const word = /^[a-z]{4,9}$/
/** A word must occur in this many labels; rarer ones are mostly typos. */
const leastUses = 5

/** Words from honest labels with hyphens. */
function wordsOf(names: readonly LabelledName[]): string[] {
  const uses = new Map<string, number>()
  for (const name of names) {
    if (!isBenign(name) || !name.parts.label.includes('-')) continue
    for (const part of name.parts.label.split('-')) uses.set(part, (uses.get(part) ?? 0) + 1)
  }
  return [...uses].filter(([part, count]) => count >= leastUses && word.test(part)).map(([part]) => part)
}

/** Empty when the benign names yield no words. */
export function generatedNames(
  names: readonly LabelledName[],
  { families, size }: GeneratedSet,
  random: Random,
): LabelledName[] {
  const words = wordsOf(names)
  if (words.length === 0) return []
  return Array.from({ length: families }, (_, family) => {
    const labelOf = createFamily(random, words)
    const own = Array.from({ length: between(1, mostSuffixes, random) }, () => pick(suffixes, random))
    return Array.from({ length: size }, (): LabelledName => {
      return { parts: splitName(`${labelOf()}.${pick(own, random)}`), kind: 'dga', source: `made up ${family}` }
    })
  }).flat()
}
