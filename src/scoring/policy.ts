// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-8',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '0fae7c99497b77b886865b36ef4f2f9c165b0a2c7390e1feeac58268ebf06d85',
} as const
