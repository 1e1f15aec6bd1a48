// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-7',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '465fb9fc53594f97a00f6f0e1ee3e54525bd51fb7d7d87735941ff67d75cbe26',
} as const
