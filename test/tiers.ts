// The two tiers of the suite: `npm test` runs the files of the small one, `npm run test:all` all.
import { readdirSync } from 'node:fs'

export type Tier = 'small' | 'all'

/** How the files end that only `npm run test:all` runs: they take long, or many processes. */
const LARGE = '.large.test.ts'

export const tier: Tier = process.env['TESTS'] === 'all' ? 'all' : 'small'

/** The test files of the tier by their path from `test`, sorted. */
export const filesOf = (tier: Tier): readonly string[] =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts') && (tier === 'all' || !name.endsWith(LARGE)))
    .sort()
