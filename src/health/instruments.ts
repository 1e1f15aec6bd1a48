// The instruments that every check depends on, as the engine sees them: the resolver and the way out.
import { isHealthy, type Standing, UNPROVED } from './standing.ts'

/** Which instrument's failure would look like what was seen. */
export type Suspect = 'resolver' | 'way_out'

export interface Instruments {
  /** Proves the instrument now, unless it was proved just now. `addresses` are those that nothing was heard from. Never rejects. */
  suspect(instrument: Suspect, addresses: readonly string[]): Promise<void>
  /** Down also when one of several resolvers was found to give false answers at `since` or later, in milliseconds since the Unix epoch. */
  resolver(since?: number): Standing
  /**
   * The way out to these addresses: healthy when it is by the family of one of them. Null when it does not matter: none of
   * them is public.
   */
  wayOut(addresses: readonly string[]): Standing | null
}

const HEALTHY: Standing = { state: 'healthy', fault: null, since: null }

/** For checks without a network of their own, such as replays: what was recorded stands. */
export const PROVED_INSTRUMENTS: Instruments = {
  suspect: async () => {},
  resolver: () => HEALTHY,
  wayOut: () => HEALTHY,
}

/** Of several ways, any of which would do: the best; between equals the first. */
export function best(standings: readonly Standing[]): Standing {
  return standings.find(isHealthy) ?? standings.find(({ state }) => state === 'down') ?? standings[0] ?? UNPROVED
}
