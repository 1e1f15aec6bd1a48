// A directory of the test's own, gone when its process ends.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []
process.once('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true })
})

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-test-'))
  // Isolated plugins of root run as another user.
  chmodSync(directory, 0o755)
  made.push(directory)
  return directory
}
