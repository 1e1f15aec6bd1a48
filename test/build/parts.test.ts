import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from 'esbuild'
import { partsOfDependencies } from '../../build/parts.ts'
import { packageRoot } from '../../src/package_root.ts'

const load = createRequire(join(packageRoot, 'package.json'))

/** What the build makes of a package. */
async function built(name: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: `module.exports = require('${name}')`, resolveDir: packageRoot },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    plugins: [partsOfDependencies],
  })
  const module = { exports: {} as unknown }
  new Function('module', 'require', outputFiles[0]?.text ?? '')(module, load)
  return module.exports
}

describe('the part of a dependency', () => {
  it('of unhomoglyph replaces the same letters', async () => {
    const { default: part } = (await built('unhomoglyph')) as { default: (text: string) => string }
    const whole = load('unhomoglyph') as (text: string) => string
    const text = `${Object.keys(load('unhomoglyph/data.json')).join('')} plain, constructor, 😀 \ud800`
    assert.equal(part(text), whole(text))
    assert.notEqual(whole(text), text)
  })

  it('of @neon-rs/load finds the same binary', async () => {
    const { currentTarget: part } = (await built('@neon-rs/load')) as { currentTarget: () => string }
    assert.equal(part(), load('@neon-rs/load').currentTarget())
  })

  it('of depd leaves functions as they are', async () => {
    const part = (await built('depd')) as (name: string) => Deprecate
    const deprecate = part('assay')
    const twice = (number: number) => 2 * number
    assert.equal(deprecate.function(twice, 'twice is deprecated'), twice)
    assert.equal(deprecate('deprecated'), undefined)
  })
})

interface Deprecate {
  (message: string): void
  function<Function>(called: Function, message: string): Function
}
