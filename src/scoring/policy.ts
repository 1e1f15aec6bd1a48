// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-17',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '4296448ffffd4261cff98f7b216be83c94a04c47fb6ff934cd643fc159ca630c',
} as const
