// The two tiers of the suite: `npm test` runs the files of the small one, `npm run test:all` all.
import { closeSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type Tier = 'small' | 'all'

/** How the files end that only `npm run test:all` runs: they take long, or many processes. */
const LARGE = '.large.test.ts'

export const tier: Tier = process.env['TESTS'] === 'all' ? 'all' : 'small'

/** The test files of the tier by their path from `test`, sorted. */
export const filesOf = (tier: Tier): readonly string[] =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts') && (tier === 'all' || !name.endsWith(LARGE)))
    .sort()

/** Set to the directory in which the processes of a run leave an empty file for each test file that they take. */
export const CLAIMS = 'ASSAY_TEST_CLAIMS'

const octets = (file: string) => statSync(join(import.meta.dirname, file)).size

/** Takes the files of the tier that no other process has taken, one by one: large ones first, then those with most to test. */
export function* untakenFiles(): Generator<string> {
  const claims = process.env[CLAIMS] ?? ''
  const files = filesOf(tier).toSorted(
    (one, other) => Number(other.endsWith(LARGE)) - Number(one.endsWith(LARGE)) || octets(other) - octets(one),
  )
  for (const [at, file] of files.entries()) {
    try {
      closeSync(openSync(join(claims, `${at}`), 'wx'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw error
    }
    yield file
  }
}
