// What becomes of the connections that a worker was given and did not take before it was killed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { testProgram } from '../assay.ts'

const PROGRAM = join(import.meta.dirname, 'untaken_process.ts')

async function endsWith(workers: number): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [...testProgram(PROGRAM), String(workers)])
  return JSON.parse(stdout) as string[]
}

describe('connections that a killed worker had not taken', { timeout: 120_000 }, () => {
  it('are given to another worker', async () => {
    assert.deepEqual(await endsWith(2), ['200', '200', '200', '200'])
  })

  it('are closed when there is no other, so that no client waits for good', async () => {
    const ends = await endsWith(1)
    assert.deepEqual(
      ends.filter(end => !['ECONNRESET', 'ECONNREFUSED'].includes(end)),
      [],
    )
  })
})
