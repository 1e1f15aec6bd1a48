import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { readEnvironment } from '../../src/config/environment.ts'
import { assay } from '../cli/assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const guide = readFileSync(join(ROOT, 'plugins/README.md'), 'utf8')

const examples = (language: string): string[] =>
  [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, written, code = '']) =>
    written === language ? [code] : [],
  )

/** A directory whose `assay` is the command from these sources. */
function withCommand(): { directory: string; env: NodeJS.ProcessEnv } {
  const directory = temporaryDirectory()
  const command = `#!/bin/sh\nexec '${process.execPath}' --import '${join(ROOT, 'node_modules/tsx/dist/esm/index.mjs')}' '${join(ROOT, 'src/cli/main.ts')}' "$@"\n`
  writeFileSync(join(directory, 'assay'), command)
  chmodSync(join(directory, 'assay'), 0o755)
  const { PATH, NODE_TEST_CONTEXT, ...env } = readEnvironment().variables ?? {}
  return { directory, env: { ...env, PATH: `${directory}:${PATH}` } }
}

describe('the guide for authors of plugins', () => {
  it('leads to a working plugin, and to one with a source, by its commands as they stand', async () => {
    const { directory, env } = withCommand()
    const { stdout } = await run('sh', ['-euc', examples('sh').join('\n')], { cwd: directory, env, timeout: 60_000 })
    for (const line of examples('text').flatMap(text => text.trim().split('\n'))) {
      assert.ok(stdout.split('\n').includes(line), line)
    }
    assert.equal(stdout.match(/^# fail 0$/gm)?.length, 2)
    assert.match(stdout, /^long_name \(\.\/index\.js, enabled\)$/m)
  })

  it('has a plugin in one file that passes its own test, and a configuration that fits it', async () => {
    const directory = temporaryDirectory()
    for (const code of examples('js')) {
      const [, name = ''] = /^\/\/ (\S+)\n/.exec(code) ?? []
      writeFileSync(join(directory, name), code)
    }
    const [config = ''] = examples('json')
    writeFileSync(join(directory, 'config.json'), config)
    const { code, out } = await assay('plugin', 'test', join(directory, 'my-plugin.js'))
    assert.equal(code, 0, out)
    const listed = await assay('plugins', '--config', join(directory, 'config.json'))
    assert.match(listed.out, /^ +5 {2}long_name /m)
  })
})
