// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-21',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '673915ff0f9407bdf1296c60412e0901fe09528eab67cc51affceff070c4baf8',
} as const
