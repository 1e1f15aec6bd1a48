// The home page as fetched: every hop's response, without its body.
import type { Exchange } from '../network/exchange.ts'
import type { Gatherer } from './gatherer.ts'
import type { Visits } from './visit.ts'

export type { Exchange } from '../network/exchange.ts'

export interface Page {
  /** In the order they were made: redirects first, the page last. Empty when nothing answered. */
  readonly exchanges: readonly Exchange[]
  /** Why there is no response on the last hop: `refused`, `reset`, `protocol_error`, `timeout`, ...; null when there is one. */
  readonly failure: string | null
  /** Why a redirect was not followed: `redirect_to_non_public`, `redirect_loop`, `too_many_redirects`, `redirect_to_port`, `redirect_to_scheme`, `redirect_with_credentials`, `redirect_malformed`; null otherwise. */
  readonly stopped: string | null
  /** Where that redirect pointed, printable, <= 512 characters. */
  readonly stopped_at: string | null
}

/** Rejects when the target said nothing at all, and when there is nowhere to ask. */
export const createPageGatherer =
  (visits: Visits): Gatherer<'page'> =>
  async context => {
    const { journey } = await visits(context).page()
    return journey
  }
