// The command as a process of its own: as it was built where the whole suite runs, which builds it first, else from its source.
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** Set for the whole suite: to read the source again costs each process two seconds. */
export const BUILT = 'ASSAY_BUILT'

/** What Node is to run. */
export const assayCommand = (): readonly string[] =>
  process.env[BUILT] === undefined
    ? ['--import', 'tsx', join(ROOT, 'src/cli/main.ts')]
    : [join(ROOT, 'dist/src/cli/main.js')]
