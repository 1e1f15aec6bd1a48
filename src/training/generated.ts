// Generated names of our own making, so that a family of generators which nobody has published looks familiar.
import { splitName } from '../evidence/name_score/facts.ts'
import { isBenign } from './corpus.ts'
import { between, createFamily, pick } from './generators.ts'
import type { LabelledName } from './lists.ts'
import type { Random } from './random.ts'

/** How many families of generators are made up, and names of each. */
export interface Generated {
  readonly families: number
  readonly size: number
}

/** What generators use, cheap or old, the usual more often; and dynamic DNS. */
const suffixes =
  `com com com com com net net net org org info info biz biz ru ru cc su eu in tk top xyz me tv ws pw us co de cn pro
  name mobi la kz ga cf ml gq site online club space ddns.net dyndns.org duckdns.org hopto.org`.split(/\s+/)

const mostSuffixes = 6

const word = /^[a-z]{4,9}$/
/** Labels that must have a word, for it not to be a slip. */
const leastUses = 5

/** Words that honest labels with hyphens are made of. */
function wordsOf(names: readonly LabelledName[]): string[] {
  const uses = new Map<string, number>()
  for (const name of names) {
    if (!isBenign(name) || !name.parts.label.includes('-')) continue
    for (const part of name.parts.label.split('-')) uses.set(part, (uses.get(part) ?? 0) + 1)
  }
  return [...uses].filter(([part, count]) => count >= leastUses && word.test(part)).map(([part]) => part)
}

/** None when the benign names have no words to make some of. */
export function generatedNames(
  names: readonly LabelledName[],
  { families, size }: Generated,
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
