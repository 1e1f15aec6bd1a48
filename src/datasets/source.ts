// One dataset as it lives: what is in memory, where it comes from and how it is renewed.
import type { Clock } from '../clock.ts'
import type { Network } from '../network/network.ts'
import type { Copies } from './copies.ts'
import type { Dataset, Use } from './dataset.ts'
import type { Loaded, Values } from './loaders.ts'

export interface SourceParts {
  readonly network: Network
  readonly clock: Clock
  readonly copies: Copies
  /** Milliseconds for one download. */
  readonly timeout_ms: number
}

/** `fetched` has new content, `unchanged` the publisher's word that there is none, `failed` why neither. */
export type Refreshed =
  | { readonly status: 'fetched' | 'unchanged' }
  | { readonly status: 'failed'; readonly reason: string }

export interface RefreshOptions {
  readonly signal: AbortSignal
  /** Fetches whatever the publisher thinks we have, and takes it also when it shrank. */
  readonly force?: boolean
}

/** What is in memory, and what is known of it. */
export interface Held<Value> extends Loaded<Value> {
  /** Milliseconds since the Unix epoch. */
  readonly fetched_at: number
  readonly checked_at: number
}

export type DatasetFor<One extends Use> = Dataset & { readonly use: One }

export interface Source<One extends Use = Use> {
  readonly dataset: DatasetFor<One>
  held(): Held<Values[One]> | null
  /** Reads the last good copy, or the path. Rejects with `UnusableDataset` when there is none that can be used. */
  load(): Promise<void>
  /** Never rejects. */
  refresh(options: RefreshOptions): Promise<Refreshed>
}
