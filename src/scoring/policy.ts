// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-14',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: 'c5ebcd1cf8ab9b7b1e0626b80d4997b1a894d450716f327f1ba72408208edf8f',
} as const
