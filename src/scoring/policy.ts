// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-12',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '4ee6eefb5370cd24e88cf41aa5ff518d74e9d6c264ef15a160e60793550897e5',
} as const
