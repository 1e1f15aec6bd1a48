// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-15',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: 'ac7c2d9934dc57ccdec1c86b0255f4f4c964909f1f318f258db0ee5e6c7f699e',
} as const
