// What the primary and a worker of `assay serve --workers N` tell each other, over the channel of `node:cluster`.

import type { Config } from '../../config/config.ts'
import type { Readiness } from '../api/health.ts'
import type { MetricsData } from '../api/metrics.ts'

/** What a worker serves. */
export interface Orders {
  /** The number of the worker, from 1; its replacement has the same. */
  readonly number: number
  readonly config: Config
  /** Base directory of the plugins that the configuration names. */
  readonly base: string
  /** Additional trusted roots, PEM. */
  readonly extra_roots: string
  /** Whether it reports what all workers would report alike. */
  readonly speaks: boolean
}

/** The state of the workers, as every worker shows it. */
export interface PoolStanding {
  readonly configured: number
  readonly ready: number
  /** Workers that ended without being asked to, since the start. */
  readonly replaced: number
}

/** A worker that could not start: an exit code and a message for the operator. */
export interface StartFailure {
  readonly code: number
  readonly message: string
}

export type ToWorker =
  | { readonly kind: 'orders'; readonly orders: Orders }
  /** From now on it does what one process does for all. */
  | { readonly kind: 'lead' }
  | { readonly kind: 'standing'; readonly standing: PoolStanding }
  /** A dataset on disk is new. */
  | { readonly kind: 'refreshed'; readonly dataset: string }
  /** Asks for `metrics`. */
  | { readonly kind: 'collect' }
  /** The metrics of all processes, for a request at this worker. */
  | { readonly kind: 'metrics'; readonly text: string }
  /** Each connection closes after its next response. `announced`: and `/readyz` fails. */
  | { readonly kind: 'retire'; readonly announced: boolean }
  /** Finishes running requests and ends. */
  | { readonly kind: 'finish' }

export type ToPrimary =
  /** It waits for its orders. */
  | { readonly kind: 'waiting' }
  /** It listens, at this URL. */
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'failed'; readonly failure: StartFailure }
  /** It lives, and its readiness is this. */
  | { readonly kind: 'alive'; readonly readiness: Readiness }
  | { readonly kind: 'metrics'; readonly data: MetricsData }
  /** Asks for the metrics of all processes. */
  | { readonly kind: 'collect' }
  | { readonly kind: 'refreshed'; readonly dataset: string }
  /** Text for the operator, on standard error. */
  | { readonly kind: 'say'; readonly text: string }
