// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-16',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '9319c93cc9676a53f43eb094e208762c47d805efb3ca80ccd279d6be5f42f5c3',
} as const
