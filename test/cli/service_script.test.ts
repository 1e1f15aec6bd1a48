import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { compileScript, scriptText } from '../../src/cli/service_script.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const directory = temporaryDirectory()
writeFileSync(join(directory, 'plugin.mjs'), "export default 'a module'")

const textOf = (said: string) => `const { basename } = require('node:path')
exports.runCommand = async () =>
  ['${said}', basename(__filename), __dirname, __script_url, (await __script_import(new URL('plugin.mjs', __script_url).href)).default]`

/** A script of its own: this process compiles each text once. */
function scriptThat(says: string): string {
  const file = join(directory, `${says}.js`)
  writeFileSync(file, scriptText(textOf(says)))
  return file
}

describe('the script of the service', () => {
  const ROOT = resolve(import.meta.dirname, '../..')
  /** A process of its own, as the build and each start are: other tests may have changed the flags of V8, which its code depends on. */
  const inProcess = (program: string): string => {
    const imports = `import { readFileSync, writeFileSync } from 'node:fs'
      import { compileScript } from '${join(ROOT, 'src/cli/service_script.ts')}'\n`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', imports + program]
    return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  }

  const made = join(directory, 'known.code')
  let code: Buffer
  before(() => {
    inProcess(`writeFileSync('${made}', compileScript('${scriptThat('known')}').code())`)
    code = readFileSync(made)
  })

  it('runs with the code that was compiled before', () => {
    const file = join(directory, 'known.js')
    const said = inProcess(`const { usesCode, run } = compileScript('${file}', readFileSync('${made}'))
      console.log(JSON.stringify([usesCode, await run().runCommand()]))`)
    const ran = ['known', 'known.js', directory, pathToFileURL(file).href, 'a module']
    assert.deepEqual(JSON.parse(said), [true, ran])
  })

  const cases: readonly (readonly [title: string, says: string, given: () => Buffer | undefined])[] = [
    ['without any code', 'alone', () => undefined],
    ['without the code of another script of the same length', 'other', () => code],
    ['without code that is cut off', 'short', () => code.subarray(0, 100)],
  ]
  for (const [title, says, given] of cases) {
    it(`runs ${title}`, async () => {
      const file = scriptThat(says)
      const { usesCode, run } = compileScript(file, given())
      assert.equal(usesCode, false)
      assert.deepEqual(await (run().runCommand() as Promise<unknown>), [
        ...[says, `${says}.js`, directory, pathToFileURL(file).href, 'a module'],
      ])
    })
  }

  it('ignores damaged code, which would end the process', () => {
    const damaged = Buffer.from(code)
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 40) ^ 1, damaged.length - 40)
    writeFileSync(join(directory, 'damaged.code'), damaged)
    const said =
      inProcess(`const { usesCode } = compileScript('${join(directory, 'known.js')}', readFileSync('${directory}/damaged.code'))
      console.log(usesCode)`)
    assert.equal(said, 'false\n')
  })

  it('ignores code of another V8', () => {
    const file = scriptThat('later')
    const digest = readFileSync(file, 'latin1').slice(2, 66)
    const nothing = Buffer.alloc(64)
    const whole = createHash('sha256').update(nothing).digest('hex')
    const { usesCode } = compileScript(file, Buffer.concat([Buffer.from(digest + whole), nothing]))
    assert.equal(usesCode, false)
  })
})
