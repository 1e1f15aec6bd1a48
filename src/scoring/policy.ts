// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-6',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: 'bbe25c3128862b4c1ee0c13c811bf5a526e051d93d3d59c5a09bf83b83dc053b',
} as const
