// The name of the shipped scoring policy, which every result carries: equal names mean that scores can be compared.
// `npm run policy -- NAME` writes this file after a signal or a group changed.

export const POLICY = {
  name: '2026-11-11',
  /** SHA-256 of the table of signals and groups that the name stands for. */
  digest: '0ca2e159e55bb81a05ad39bb0898b3b59a911127c571f35224fab07e43f14647',
} as const
