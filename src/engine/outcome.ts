// How things end: the two ways a gatherer may decline, and how each section went, with blame.

/** We could not look: time-out, resolver down, upstream error. `reason` is a slug and reaches the client. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  readonly reason: string
  constructor(reason: string) {
    super(`unavailable: ${reason}`)
    this.reason = reason
  }
}

/** There is nothing there to look at, or not for this kind of target. `reason` is a slug and reaches the client. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
  readonly reason: string
  constructor(reason: string) {
    super(`not applicable: ${reason}`)
    this.reason = reason
  }
}

export type SectionStatus = 'completed' | 'not_applicable' | 'unavailable' | 'failed'
