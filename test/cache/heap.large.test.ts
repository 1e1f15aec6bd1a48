// What caches count is what they take, whatever strangers send: else a cap in octets is none.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { caps, tables } from '../../src/cache/caps.ts'
import { testProgram } from '../assay.ts'
import { isTrue, type Weight } from './weights.ts'

const CHILD = join(import.meta.dirname, 'heap_child.ts')

describe('the counted size of an entry is its real size', () => {
  let weights: readonly (Weight & { readonly name: string })[] = []
  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ...testProgram(CHILD)])
    weights = JSON.parse(stdout)
  })

  for (const name of [...Object.keys(caps), ...Object.keys(tables)]) {
    it(`in ${name}`, () => {
      const own = weights.filter(weight => weight.name === name)
      assert.ok(own.length > 0, 'nothing fills it')
      assert.deepEqual(
        own.filter(weight => !isTrue(weight)),
        [],
      )
    })
  }
})
