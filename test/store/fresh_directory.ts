// A data directory that ends with the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

export function freshDirectory(t: Pick<TestContext, 'after'>): string {
  const parent = mkdtempSync(join(tmpdir(), 'assay-store-'))
  t.after(() => rmSync(parent, { recursive: true, force: true }))
  return join(parent, 'data')
}
