// How malicious a name looks to the name model.
import type { SuffixClass } from './suffix_class.ts'

export interface NameTrait {
  readonly trait: string
  /** Log-odds. */
  readonly weight: number
}

export interface NameScore {
  /** 0 to 100: how rare a name that looks so malicious is among benign ones; 90 is reached by 1 in 100 of them. */
  readonly score: number
  /** What the name is under. Absent in older recordings, like `class_score`. */
  readonly suffix_class?: SuffixClass
  /** As `score`, among the benign names of that class alone. */
  readonly class_score?: number
  /** That the name is malicious, were as many names malicious as benign. */
  readonly probability: number
  /** What spoke most for malicious, most first, at most three. */
  readonly traits: readonly NameTrait[]
}
