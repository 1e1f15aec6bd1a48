// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-18',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '11616c124ea21e5bc8da7e70192e902c68142e9e59eaedf0e1c9a222b2bfcfa4',
} as const
