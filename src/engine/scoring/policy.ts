// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-23',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '394b62569df582b9e2ff1ea53db57ba8992c01976e5cba6662883aecd64e2332',
} as const
