// Groups of signals and their ceilings: ten small faults of one kind cannot make a target malicious.

/** The group of poor hygiene, which good sites have too. */
export const HYGIENE = 'hygiene'

/**
 * Maximum points that the signals of a group can add together; a negative ceiling is the maximum they can remove.
 * Hygiene alone always stays within `safe`.
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
