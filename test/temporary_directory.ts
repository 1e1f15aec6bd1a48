// A directory of the test's own, gone when its process ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-test-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}
