// Groups of signals and their ceilings: ten small faults of one kind cannot condemn.

/** The group of faulty housekeeping, which good sites have too. */
export const HYGIENE = 'hygiene'

/**
 * The most points the signals of a group may add together; a negative ceiling is the most they may take off.
 * Hygiene alone stays within `safe` for ever.
 */
export const DEFAULT_GROUPS: Readonly<Record<string, number>> = {
  reputation: 100,
  identity: 45,
  content: 45,
  network: 30,
  transport: 30,
  [HYGIENE]: 15,
  trust: -30,
}
