// The name model's score: its parts of a name, its classes of suffixes and its scale.
import { identify } from '../../targets/identity.ts'
import { isAbusedSuffix } from '../../targets/suffixes.ts'

export interface NameTrait {
  readonly trait: string
  /** Log-odds. */
  readonly weight: number
}

export interface NameScore {
  /** 0 to 100: how rare a name that looks so malicious is among benign ones; 90 is reached by 1 in 100 of them. */
  readonly score: number
  /** The class of its suffix. Absent in older recordings, like `class_score`. */
  readonly suffix_class?: SuffixClass
  /** As `score`, among the benign names of that class alone. */
  readonly class_score?: number
  /** Probability that the name is malicious if half of all names were. */
  readonly probability: number
  /** The traits that raised the score most, highest first, at most three. */
  readonly traits: readonly NameTrait[]
}

export interface NameParts {
  /** Everything before the label, without the last dot; empty if there is nothing. */
  readonly subdomain: string
  /** The label that the owner chose: `example` of `example.co.uk`, `tenant` of `tenant.github.io`. */
  readonly label: string
  /** The suffix below which it was chosen: `co.uk`, `github.io`. */
  readonly suffix: string
  /** The suffix is a platform, not a registry. */
  readonly tenant: boolean
}

/** Splits a host name as `identify` does; a platform itself is split like any other name. */
export function splitName(name: string): NameParts {
  const { host, owner, suffix, tenant } = identify(name)
  const label = suffix === '' ? '' : owner.slice(0, -suffix.length - 1)
  return { subdomain: host.slice(0, -owner.length - 1), label, suffix: suffix === '' ? owner : suffix, tenant }
}

/** The group of a name: training and test data never share an owner. */
export const ownerOf = ({ label, suffix }: NameParts): string => `${label}.${suffix}`

// Benign names of different suffix classes score differently, so each class has its own thresholds.

/** `tenant`: below a platform. `cheap`: below a top-level domain that costs next to nothing. `ordinary`: all others. */
export const suffixClasses = ['ordinary', 'cheap', 'tenant'] as const
export type SuffixClass = (typeof suffixClasses)[number]

export function suffixClassOf({ suffix, tenant }: NameParts): SuffixClass {
  if (tenant) return 'tenant'
  return isAbusedSuffix(suffix) ? 'cheap' : 'ordinary'
}

// The score of a name says how rare its log-odds are among benign names.

/** The highest share of benign names that reaches each score; interpolated logarithmically in between. */
const SCALE: readonly (readonly [score: number, benignShare: number])[] = [
  [0, 1],
  [25, 0.4],
  [50, 0.1],
  [75, 0.03],
  [90, 0.01],
  [97, 0.001],
  [100, 0.0001],
]

export const MAX_SCORE = 100

/** The share of benign names that may reach a score. */
export function benignShareAt(score: number): number {
  const above = SCALE.findIndex(([to]) => to >= score)
  const [to, share] = SCALE[above] ?? [MAX_SCORE, 0]
  const [from, shareBefore] = SCALE[above - 1] ?? [to, share]
  if (to === from) return share
  return shareBefore * (share / shareBefore) ** ((score - from) / (to - from))
}

/** `thresholds[s - 1]` is the least log-odds of score s, ascending. */
export function scoreOf(odds: number, thresholds: Float32Array): number {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (odds >= (thresholds[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return low
}
