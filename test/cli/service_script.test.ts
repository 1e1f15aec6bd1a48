import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { compileScript, signed } from '../../src/cli/service_script.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const directory = temporaryDirectory()
writeFileSync(join(directory, 'plugin.mjs'), "export default 'a module'")

const textOf = (said: string) => `const { basename } = require('node:path')
exports.runCommand = async () =>
  ['${said}', basename(__filename), __dirname, __script_url, (await __script_import(new URL('plugin.mjs', __script_url).href)).default]`

/** A script of its own: this process compiles each text once. */
function scriptThat(says: string): string {
  const file = join(directory, `${says}.js`)
  writeFileSync(file, signed(textOf(says)))
  return file
}

describe('the script of the service', () => {
  /** Made by another process, as the build does: this one would find what it has compiled itself. */
  let code: Buffer
  before(() => {
    const made = join(directory, 'known.code')
    const program = `
      import { writeFileSync } from 'node:fs'
      import { compileScript } from '${resolve(import.meta.dirname, '../../src/cli/service_script.ts')}'
      writeFileSync('${made}', compileScript('${scriptThat('known')}').code())`
    execFileSync(process.execPath, [...process.execArgv, '--import', 'tsx', '--input-type=module', '--eval', program], {
      cwd: resolve(import.meta.dirname, '../..'),
    })
    code = readFileSync(made)
  })

  const cases: readonly (readonly [title: string, says: string, given: () => Buffer | undefined, uses: boolean])[] = [
    ['with the code that was compiled before', 'known', () => code, true],
    ['without any code', 'alone', () => undefined, false],
    ['without the code of another script of the same length', 'other', () => code, false],
    ['without code that is cut off', 'short', () => code.subarray(0, 100), false],
  ]
  for (const [title, says, given, uses] of cases) {
    it(`runs ${title}`, async () => {
      const file = scriptThat(says)
      const { usesCode, run } = compileScript(file, given())
      assert.equal(usesCode, uses)
      assert.deepEqual(await (run().runCommand() as Promise<unknown>), [
        ...[says, `${says}.js`, directory, pathToFileURL(file).href, 'a module'],
      ])
    })
  }

  it('ignores code of another V8', () => {
    const file = scriptThat('later')
    const digest = readFileSync(file, 'latin1').slice(2, 66)
    const { usesCode } = compileScript(file, Buffer.concat([Buffer.from(digest), Buffer.alloc(64)]))
    assert.equal(usesCode, false)
  })
})
