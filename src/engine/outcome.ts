// How sections and checks end.

export type SectionStatus = 'completed' | 'not_applicable' | 'unavailable' | 'failed'

/** Nothing about the target could be looked at: no result is given, least of all a safe one. */
export class AnalysisUnavailable extends Error {
  override readonly name = 'AnalysisUnavailable'
  readonly reason: string
  constructor(reason: string) {
    super(`analysis unavailable: ${reason}`)
    this.reason = reason
  }
}

/** Nobody waits for the check any more. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}
