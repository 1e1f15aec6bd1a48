// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-13',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: 'f78cfdbd74f65d5c1b7231be62e70a0eb248659b3ba8de3e07777b4289a89571',
} as const
