// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-21',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '3e96683a0ea3d2dbe250a13c6658dc6935be4fa5bd71e6c4e57475d02c3a418d',
} as const
