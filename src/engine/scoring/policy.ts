// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-22',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '1f70d3a347602a9957148b92955e4e12a1b61146c8007ac6811485d9d92801a2',
} as const
