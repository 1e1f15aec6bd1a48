// The state of an instrument: proved to work, proved not to work, or not proved.

/**
 * `healthy`: it finds what certainly exists and does not find what certainly does not. `down`: it failed that proof.
 * `unproved`: there is no proof yet, or no recent one.
 */
export type InstrumentState = 'healthy' | 'down' | 'unproved'

export interface Standing {
  readonly state: InstrumentState
  /** What is wrong, as a slug (`timeout`, `servfail`, `no_route`, ...); null while healthy. */
  readonly fault: string | null
  /** When the state began, in milliseconds since the Unix epoch; null while unproved. */
  readonly since: number | null
}

export const UNPROVED_STANDING: Standing = { state: 'unproved', fault: null, since: null }

export const isHealthy = ({ state }: Standing): boolean => state === 'healthy'

/** The standing after a new proof. `since` changes only with the state. */
export function nextStanding(last: Standing, state: InstrumentState, fault: string | null, now: number): Standing {
  return last.state === state && last.fault === fault
    ? last
    : { state, fault, since: last.state === state && last.since !== null ? last.since : now }
}

/**
 * The standing of several instruments that can replace each other: healthy when one is; down when all are, since the
 * last of them went down; otherwise unproved.
 */
export function combine(all: readonly Standing[]): Standing {
  const healthy = all.filter(isHealthy)
  if (healthy[0] !== undefined) {
    return healthy.reduce((first, next) => ((next.since ?? 0) < (first.since ?? 0) ? next : first))
  }
  const down = all.filter(({ state }) => state === 'down')
  if (down.length < all.length || down[0] === undefined) return UNPROVED_STANDING
  return down.reduce((last, next) => ((next.since ?? 0) > (last.since ?? 0) ? next : last))
}

/** The instrument that would explain a failure in a check. */
export type Suspect = 'resolver' | 'way_out'

export interface Instruments {
  /**
   * Proves the instrument now, unless its last proof is fresh. `addresses` are those that did not reply. Never rejects.
   */
  suspect(instrument: Suspect, addresses: readonly string[]): Promise<void>
  /**
   * Also down when one of several resolvers was found to give false answers at `since` (milliseconds since the Unix
   * epoch) or later.
   */
  resolver(since?: number): Standing
  /**
   * The way out to these addresses: healthy when it is healthy for the family of one of them. Null when none of them is
   * public, so that it does not matter.
   */
  wayOut(addresses: readonly string[]): Standing | null
}

const HEALTHY: Standing = { state: 'healthy', fault: null, since: null }

/** For checks without a network, such as replays: recorded evidence is trusted. */
export const PROVED_INSTRUMENTS: Instruments = {
  suspect: async () => {},
  resolver: () => HEALTHY,
  wayOut: () => HEALTHY,
}

/** The best of several standings; the first among equals. */
export function best(standings: readonly Standing[]): Standing {
  return (
    standings.find(isHealthy) ?? standings.find(({ state }) => state === 'down') ?? standings[0] ?? UNPROVED_STANDING
  )
}
