// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-10',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '49ac8e3c829359d9d5b268c882b3c8b7b0ae540b80cd5332d53cc4c7b8608a80',
} as const
