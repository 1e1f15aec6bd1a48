// How sections and checks can end.

export type SectionStatus = 'completed' | 'not_applicable' | 'unavailable' | 'failed'

export interface UnavailableCause {
  /** A slug: `resolver_timeout`, `way_out_no_route`, `gatherer_failed`, ... */
  readonly reason: string
  /** A sentence that names the instrument that is down; null if none is. */
  readonly detail?: string | null
  /** A local feed lists the target: an older result that calls it safe must not be served. */
  readonly listed?: boolean
}

/** One of our instruments is down, or nothing could be looked at: there is no result, and above all no safe one. */
export class AnalysisUnavailable extends Error {
  override readonly name = 'AnalysisUnavailable'
  readonly reason: string
  readonly detail: string | null
  readonly listed: boolean
  constructor({ reason, detail = null, listed = false }: UnavailableCause) {
    super(detail ?? `Analysis unavailable: ${reason}`)
    this.reason = reason
    this.detail = detail
    this.listed = listed
  }
}

/** The check was cancelled because no client waits for it. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}
