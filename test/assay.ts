// Programs as processes of their own: as they were built where the whole suite runs, which builds them first, else from their source.
import { join, resolve } from 'node:path'
import type { Parameters } from 'fast-check'
import { tier } from './tiers.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Set for the whole suite: loading the source takes each process two seconds. */
export const BUILT = 'ASSAY_BUILT'
const isBuilt = process.env[BUILT] !== undefined

/** Why tests of what was built are left out; false in the whole suite. */
export const withoutBuild = !isBuilt && 'runs what was built; the whole suite builds it'

/** Where `build/test_bundle.ts` puts the tests and their programs. */
const BUNDLE = join(ROOT, 'node_modules/.cache/assay-tests')

/** Loads a test file. */
export async function loadTests(file: string): Promise<void> {
  if (!isBuilt) return import(file)
  // Outside of tsx's namespace: it would look through all of it for something to transform.
  const { load, configureProperties } = (await import(`${join(BUNDLE, 'tests.js')}?tsx-namespace=none`)) as {
    load: Readonly<Record<string, () => Promise<unknown>>>
    configureProperties(parameters: Parameters<unknown>): Promise<void>
  }
  // Properties draw the same values in each run of the small tier, and others in each of the large one.
  if (tier === 'small') await configureProperties({ seed: 1 })
  await load[file]?.()
}

/** What Node runs for a program of the tests. */
export const testProgram = (file: string): readonly string[] =>
  isBuilt ? [join(BUNDLE, 'run.js'), file] : ['--import', 'tsx', file]

/** What Node runs for the command. */
export const assayCommand = (): readonly string[] =>
  isBuilt ? [join(ROOT, 'dist/src/cli/main.js')] : ['--import', 'tsx', join(ROOT, 'src/cli/main.ts')]
