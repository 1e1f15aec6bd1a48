// What the owner and a worker tell each other besides the store.
import type { Readiness } from '../api/health.ts'
import type { MetricsData } from '../api/metrics.ts'
import type { Config } from '../config/config.ts'
import type { StoreGreeting } from './store_host.ts'

/** The stream between owner and worker, as a descriptor of the worker. Descriptor 3 passes connections. */
export const LINK_FD = 4

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
  /** Null when the worker opens the store itself. */
  readonly store: StoreGreeting | null
}

/** The state of the workers, as every worker shows it. */
export interface Standing {
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

/** What a worker calls at the owner, as service `owner`. */
export interface OwnerMethods {
  orders(): Orders
  ready(): void
  failed(failure: StartFailure): void
  /** It lives, and its readiness is this. */
  alive(readiness: Readiness): void
  /** It has taken the connection that it was given; this many are closed. */
  taken(): void
  left(count: number): void
  /** Complete lines of the log. */
  log(octets: Uint8Array, lines: number): void
  /** Text for the operator, on standard error. */
  say(text: string): void
  /** A dataset on disk is new. */
  refreshed(dataset: string): void
  /** The metrics of all processes. */
  metrics(): Promise<string>
}

/** What the owner calls at a worker, as service `worker`. */
export interface WorkerMethods {
  /** From now on it does what one process does for all. */
  lead(): void
  standing(standing: Standing): void
  refreshed(dataset: string): void
  metrics(): Promise<MetricsData>
  /** Each connection closes after its next response. `announced`: and `/readyz` fails. */
  retire(announced: boolean): void
  /** Finishes running requests and ends. */
  finish(): void
}
