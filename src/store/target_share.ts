// What all instances together may have of one target: manners towards its owner do not depend on how many we are.

export interface TargetLimits {
  /** Checks at once, and in a second. */
  readonly at_once: number
  readonly per_second: number
}

export interface TargetPlace {
  /** 0 when the check may go on; else the milliseconds after which it may. */
  readonly wait_ms: number
  /** The check has ended. */
  leave(): void
}

export interface TargetShare {
  /** Counts a check of this target beside those of other instances. Never rejects: without word of them there are none. */
  enter(target: string, limits: TargetLimits): Promise<TargetPlace>
}

export const noOthers: TargetShare = { enter: async () => ({ wait_ms: 0, leave: () => {} }) }
