// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-20',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '092caa13a207ebedbead8a14d758cc1e819e7b4aecd775d31ccb0dc478b99384',
} as const
