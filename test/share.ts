// The suite in a few processes: to start one and load the service in it costs more than most files' own tests.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT } from './assay.ts'

const SHARES = 6
const HERE = import.meta.dirname

/** Every test file of the project, by path from here. */
const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .sort()

/** What the tests load between them, nearly all of it. */
const COMMON = ['../src/cli/program.ts', '../src/testing/index.ts', '../src/bulk/remote/work.ts', 'fast-check']

/** Runs each sixth file, beginning with the `number`th, in this process, one after the other. */
export async function runShare(number: 1 | 2 | 3 | 4 | 5 | 6): Promise<void> {
  process.env[BUILT] = 'yes'
  // Tests begin as soon as their file is read: what nearly all of them load comes first, so that none is held up by it.
  for (const common of COMMON) await import(common)
  for (const [index, file] of files.entries()) {
    if (index % SHARES === number - 1) await import(join(HERE, file))
  }
}
