// All that is kept for the service, behind one face: in files of its own, or in a Redis that several instances share.
import type { UpstreamBoard } from '../evidence/upstream_board.ts'
import type { SingleFlight } from '../single_flight.ts'
import type { ResultCache } from './result_cache.ts'
import type { Store } from './store.ts'
import type { TargetShare } from './target_share.ts'

export interface Backend extends Store {
  readonly cache: ResultCache
  /** Analyses under way; they yield prepared bodies. */
  readonly flights: SingleFlight<Buffer>
  /** What is known of upstream sources. */
  readonly board: UpstreamBoard
  /** What other instances check. */
  readonly targets: TargetShare
  /** Why no request can be served, as a slug; null when it can. */
  fault(): string | null
  /** What is amiss while requests are served all the same; null when nothing is. */
  note(): string | null
  /** Commands not answered since the start, and batches of given answers that are not counted yet. */
  figures(): { readonly unanswered: number; readonly owed: number }
}

/** What an operator should hear of: each a slug and what is to be said of it, without addresses. */
export type StoreEvent = (level: 'info' | 'warn' | 'error', event: Readonly<Record<string, unknown>>) => void
