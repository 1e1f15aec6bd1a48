// What the cache takes of memory, in a process of its own.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testProgram } from '../assay.ts'

const mebibyte = 2 ** 20

test('a million names take no more memory than the limit, by the cache’s count, and with the smallest results twice that of the heap', async () => {
  const script = fileURLToPath(new URL('./million_results.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, testProgram(script))
  const { most, taken } = JSON.parse(stdout)
  assert.ok(most <= 64 * mebibyte && most > 63 * mebibyte, `${most} octets by its own count`)
  assert.ok(taken <= 128 * mebibyte && taken > 48 * mebibyte, `${taken} octets of memory`)
})
