// Counts in the training names before training: common letter sequences and impersonated words.
import {
  eachTriple,
  eachWord,
  hashWord,
  isLure,
  letterTable,
  letterTableSize,
} from '../../src/evidence/name_score/text_facts.ts'
import { isBenign } from './corpus.ts'
import type { LabelledName } from './lists.ts'

/** Counted in benign labels. */
export function countLetters(names: readonly LabelledName[]): Uint8Array {
  const counts = new Uint32Array(letterTableSize)
  for (const name of names) {
    if (!isBenign(name)) continue
    eachTriple(name.parts.label, place => {
      counts[place] = (counts[place] ?? 0) + 1
    })
  }
  return letterTable(counts)
}

const shortestBrand = /^[a-z]{4,14}$/
/** Least number of malicious names with a word for it to count as impersonated. */
const leastUses = 50
/** How many times more common it must be in malicious names. */
const leastLift = 4
const mostBrands = 2_000

interface Use {
  benign: number
  malicious: number
  /** The name that last had it: a repetition within one name counts once. */
  last: number
}

/** Hashes of benign labels that are part of malicious names far more often than of other benign names. */
export function findBrands(names: readonly LabelledName[]): Uint32Array {
  const uses = new Map<number, Use>()
  for (const name of names) {
    const { label } = name.parts
    const hash = isBenign(name) && shortestBrand.test(label) ? hashWord(label) : 0
    if (hash !== 0 && !isLure(hash)) uses.set(hash, { benign: 0, malicious: 0, last: -1 })
  }
  for (const [index, name] of names.entries()) countUses(uses, name, index)
  const benign = names.filter(isBenign).length
  const chance = (benign + 1) / (names.length - benign + 1)
  const lift = (use: Use) => ((use.malicious + 1) / (use.benign + 1)) * chance
  const brands = [...uses].filter(([, use]) => use.malicious >= leastUses && lift(use) >= leastLift)
  brands.sort(([, a], [, b]) => b.malicious - a.malicious)
  return Uint32Array.from(brands.slice(0, mostBrands), ([hash]) => hash).sort()
}

function countUses(uses: ReadonlyMap<number, Use>, name: LabelledName, index: number): void {
  const { label, subdomain } = name.parts
  const side = isBenign(name) ? 'benign' : 'malicious'
  for (const text of [label, subdomain]) {
    eachWord(text, (hash, length) => {
      const use = uses.get(hash)
      if (use === undefined || use.last === index || length === label.length) return
      use.last = index
      use[side]++
    })
  }
}
