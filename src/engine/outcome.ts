// How sections and checks end.

export type SectionStatus = 'completed' | 'not_applicable' | 'unavailable' | 'failed'

export interface UnavailableCause {
  /** A slug: `resolver_timeout`, `way_out_no_route`, `gatherer_failed`, ... */
  readonly reason: string
  /** A sentence that names the instrument of ours that is down; null where no instrument is. */
  readonly detail?: string | null
  /** A local feed lists the target now: an older result that calls it safe must not stand in. */
  readonly listed?: boolean
}

/** An instrument of ours is down, or nothing could be looked at: no result is given, least of all a safe one. */
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

/** Nobody waits for the check any more. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}
