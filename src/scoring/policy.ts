// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-9',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '4d40952433773cdeb232d8f79ed8e9b8cb8336b5b4a5b1145374fb583b2f4691',
} as const
