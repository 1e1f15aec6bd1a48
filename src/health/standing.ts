// The state of an instrument: proved to work, proved not to work, or not proved.

/**
 * `healthy`: it found what certainly exists and did not find what certainly does not. `down`: it failed that proof.
 * `unproved`: nothing has proved it yet, or not lately.
 */
export type InstrumentState = 'healthy' | 'down' | 'unproved'

export interface Standing {
  readonly state: InstrumentState
  /** A slug that says what is wrong (`timeout`, `servfail`, `no_route`, ...); null while it is healthy. */
  readonly fault: string | null
  /** Milliseconds since the Unix epoch when it came into this state; null while it has not been proved. */
  readonly since: number | null
}

export const UNPROVED: Standing = { state: 'unproved', fault: null, since: null }

export const isHealthy = ({ state }: Standing): boolean => state === 'healthy'

/** The next standing: `since` moves only when the state or the fault does. */
export function movedTo(last: Standing, state: InstrumentState, fault: string | null, now: number): Standing {
  return last.state === state && last.fault === fault
    ? last
    : { state, fault, since: last.state === state && last.since !== null ? last.since : now }
}

/**
 * Several that stand in for each other: healthy when one is. Down when all are, since the last of them went down;
 * else unproved.
 */
export function together(all: readonly Standing[]): Standing {
  const healthy = all.filter(isHealthy)
  if (healthy[0] !== undefined) {
    return healthy.reduce((first, next) => ((next.since ?? 0) < (first.since ?? 0) ? next : first))
  }
  const down = all.filter(({ state }) => state === 'down')
  if (down.length < all.length || down[0] === undefined) return UNPROVED
  return down.reduce((last, next) => ((next.since ?? 0) > (last.since ?? 0) ? next : last))
}

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
