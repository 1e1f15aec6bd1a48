// How malicious a name looks to the name model.

export interface NameTrait {
  readonly trait: string
  /** Log-odds. */
  readonly weight: number
}

export interface NameScore {
  /** 0 to 100: how rare a name that looks so malicious is among benign ones; 90 is reached by 1 in 100 of them. */
  readonly score: number
  /** That the name is malicious, were as many names malicious as benign. */
  readonly probability: number
  /** What spoke most for malicious, most first, at most three. */
  readonly traits: readonly NameTrait[]
}
