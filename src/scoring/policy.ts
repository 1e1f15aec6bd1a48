// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-19',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '9baa714057901c8c15f2969f657a0ef831cf2d0fdbd4e225cf8e70cb0595ceca',
} as const
