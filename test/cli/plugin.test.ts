import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { packageRoot } from '../../src/base/package_root.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

describe('assay plugin new', () => {
  it('writes a plugin under the given name, and prints the next steps', async () => {
    const dir = temporaryDirectory()
    const { code, out } = await assay('plugin', 'new', 'moon_phase', '--dir', dir)
    assert.equal(code, 0)
    assert.ok(out.includes(`assay plugin test ${join(dir, 'moon_phase')}`))
    for (const file of ['index.js', 'index.test.js', 'README.md', 'config.json', 'package.json']) {
      assert.doesNotMatch(readFileSync(join(dir, 'moon_phase', file), 'utf8'), /my.section/i)
    }
  })

  it('writes a TypeScript package, which must be built before it is tested', async () => {
    const dir = temporaryDirectory()
    const { code, out } = await assay('plugin', 'new', 'moon_phase', '--typescript', '--dir', dir)
    assert.equal(code, 0)
    const folder = join(dir, 'moon_phase')
    assert.ok(out.includes(`cd ${folder} && npm install --no-save ${packageRoot} && npm test`), out)
    for (const file of [
      'src/index.ts',
      'src/index.test.ts',
      'tsconfig.json',
      '.gitignore',
      'config.json',
      'package.json',
    ]) {
      assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /my.section|ASSAY_VERSION/i)
    }
    const tested = await assay('plugin', 'test', folder)
    assert.equal(tested.code, 64)
    assert.match(tested.err, /dist\/index\.js does not exist: build the plugin first, with `npm run build`\n$/)
  })

  for (const [title, name, says] of [
    ['a name that is no field', 'MoonPhase', /^assay: "MoonPhase" is not a snake_case word/],
    [
      'a name that is taken',
      'ssl_info',
      /^assay: the name "ssl_info" is taken by plugin ssl_info \(built-in\): choose another$/m,
    ],
    ['a name that a section has beside its own', 'site_content', /^assay: the name "site_content" is taken by /m],
    ['a name that every result has', 'verdict', /^assay: "verdict" is a field of every result: choose another name$/m],
  ] as const) {
    it(`refuses ${title}`, async () => {
      const dir = temporaryDirectory()
      const { code, err } = await assay('plugin', 'new', name, '--dir', dir)
      assert.equal(code, 64)
      assert.match(err, says)
      assert.ok(!existsSync(join(dir, name)))
    })
  }

  it('allows a section with the name of evidence, but no source that would replace the evidence', async () => {
    const dir = temporaryDirectory()
    const { code, err } = await assay('plugin', 'new', 'page', '--dir', dir, '--source')
    assert.deepEqual([code, existsSync(join(dir, 'page'))], [64, false])
    assert.match(err, /^assay: evidence "page" already exists/)
    assert.equal((await assay('plugin', 'new', 'page', '--dir', dir)).code, 0)
  })

  it('overwrites nothing', async () => {
    const dir = temporaryDirectory()
    await assay('plugin', 'new', 'moon_phase', '--dir', dir)
    const { code, err } = await assay('plugin', 'new', 'moon_phase', '--dir', dir)
    assert.equal(code, 73)
    assert.match(err, /already exists/)
  })
})

describe('assay plugin test', () => {
  it('fails when the tests fail', async () => {
    const dir = temporaryDirectory()
    await assay('plugin', 'new', 'moon_phase', '--dir', dir)
    const file = join(dir, 'moon_phase/index.js')
    writeFileSync(file, readFileSync(file, 'utf8').replace('default: 30', 'default: 300'))
    const { code, err } = await assay('plugin', 'test', join(dir, 'moon_phase'))
    assert.deepEqual([code, err], [1, 'assay: the tests of the plugin failed\n'])
  })

  it('finds evidence that nothing gathers', async () => {
    const dir = temporaryDirectory()
    await assay('plugin', 'new', 'moon_phase', '--dir', dir)
    const file = join(dir, 'moon_phase/index.js')
    writeFileSync(file, readFileSync(file, 'utf8').replace("'addresses'", "'adresses'"))
    const { code, out, err } = await assay('plugin', 'test', join(dir, 'moon_phase'))
    assert.deepEqual([code, out], [78, ''])
    assert.match(
      err,
      /^ {2}plugin moon_phase \(.*\): "needs": unknown evidence "adresses"; did you mean "addresses"\?$/m,
    )
  })

  it('lists every contract violation, and then runs no test', async () => {
    const dir = temporaryDirectory()
    const file = join(dir, 'index.js')
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
    writeFileSync(file, 'export default { name: "ssl_info", description: 1, targets: ["domain"] }')
    const { code, out, err } = await assay('plugin', 'test', dir)
    assert.deepEqual([code, out], [78, ''])
    assert.match(err, /"description" must be a string/)
    assert.match(err, /the name "ssl_info" is taken/)
    assert.match(err, /must have "analyze" \(an analyzer\) or "apply"/)
  })
})
