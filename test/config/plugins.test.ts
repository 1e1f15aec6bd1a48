import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type Config, readConfig, readSettings } from '../../src/config/config.ts'
import { loadRegistry } from '../../src/engine/plugins.ts'
import { ConfiguredBrands } from '../../src/knowledge/brands/configured_brands.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-plugins-'))
after(() => rmSync(directory, { recursive: true }))

function write(path: string, text: string): void {
  const file = join(directory, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const analyzerText = (name: string) => `{
  name: '${name}', description: '', targets: ['domain'], needs: [], signals: {},
  schema: { type: 'object', properties: {}, additionalProperties: false },
  analyze: () => ({ section: {}, signals: [] }),
}`

write('one.mjs', `export default ${analyzerText('one')}`)
write('many.mjs', `export default [${analyzerText('two')}, { name: 'three', description: '', apply() {} }]`)
write('empty.mjs', 'export const nothing = 1')
write('stuck.mjs', `await new Promise(() => {})\nexport default ${analyzerText('stuck')}`)
write('throws.mjs', 'throw new Error("cannot start")')
write(
  'brands.mjs',
  `export default { ...${analyzerText('brands')}, options: {
    type: 'object', additionalProperties: false, properties: { brands: ${JSON.stringify(ConfiguredBrands)} },
  } }`,
)
write('node_modules/@acme/assay-plugin-x/package.json', '{"type":"module","exports":{"import":"./x.js"}}')
write('node_modules/@acme/assay-plugin-x/x.js', `export default ${analyzerText('acme')}`)

const octets = readFileSync(join(directory, 'one.mjs'))
const integrity = `sha512-${createHash('sha512').update(octets).digest('base64')}`
const other = `sha512-${createHash('sha512').update('other').digest('base64')}`

write('elsewhere/one.mjs', `export default ${analyzerText('one')}`)
write('site/own.mjs', `export default ${analyzerText('own')}`)
write('site/anybodys.mjs', `export default ${analyzerText('anybodys')}`)
write('site/open/plugin.mjs', `export default ${analyzerText('open')}`)
write('site/shared/plugin.mjs', `export default ${analyzerText('shared')}`)
chmodSync(join(directory, 'site/anybodys.mjs'), 0o666)
chmodSync(join(directory, 'site/open'), 0o777)
chmodSync(join(directory, 'site/shared'), 0o1777)
symlinkSync('../elsewhere/one.mjs', join(directory, 'site/out.mjs'))
symlinkSync('../elsewhere', join(directory, 'site/away'))
symlinkSync('own.mjs', join(directory, 'site/in.mjs'))

const turnOfLoop = <T>(value: T) => new Promise<T>(resolve => setImmediate(resolve, value))

async function load(specifiers: Config['load'], from = '.', settings: object = {}) {
  const file = join(directory, from, 'config.json')
  writeFileSync(file, JSON.stringify({ ...settings, load: specifiers }))
  const { config, base } = readConfig(
    { config: file },
    { config: undefined, data: undefined, port: undefined, extra_roots: '' },
  )
  const { registry, faults } = await loadRegistry([], config, base)
  return {
    names: [...registry.analyzers.map(({ analyzer }) => analyzer.name), ...registry.extensions.map(({ name }) => name)],
    faults,
    options: registry.analyzers.map(({ options }) => options),
  }
}

const loaded = async (...how: Parameters<typeof load>) => {
  const { names, faults } = await load(...how)
  return { names, faults }
}

describe('load', () => {
  it('gives the brands of the operator to a plugin that has their schema from another copy of this package', async () => {
    const brands = [{ brand: 'Acme', names: ['acme'], domains: ['acme.example'] }]
    assert.deepEqual((await load(['./brands.mjs'], '.', { brands })).options, [{ brands }])
  })

  it('loads a module by its path relative to the configuration', async () => {
    assert.deepEqual(await loaded(['./one.mjs']), { names: ['one'], faults: [] })
  })

  it('loads an import-only package from the node_modules beside the configuration', async () => {
    assert.deepEqual(await loaded(['@acme/assay-plugin-x']), { names: ['acme'], faults: [] })
  })

  it('loads several plugins from one module', async () => {
    assert.deepEqual(await loaded(['./many.mjs', './one.mjs']), { names: ['two', 'one', 'three'], faults: [] })
  })

  for (const nothing of [null, 5, '', [], {}, { module: 5 }, { module: '' }]) {
    it(`leaves ${JSON.stringify(nothing)}, which is not a module name, to the schema`, async () => {
      const found = await loaded([nothing as unknown as string, './one.mjs'])
      assert.deepEqual(found, { names: ['one'], faults: [] })
    })
  }

  const faulty: [specifier: string, message: RegExp][] = [
    ['./absent.mjs', /cannot load "\.\/absent\.mjs": no such file/],
    ['@acme/absent', /cannot load "@acme\/absent": Cannot find package/],
    ['./empty.mjs', /has no default export; it must be a plugin or an array of plugins/],
    ['./throws.mjs', /cannot load "\.\/throws\.mjs": cannot start/],
  ]
  for (const [specifier, message] of faulty) {
    it(`reports ${specifier}, and loads the others`, async () => {
      const { names, faults } = await load([specifier, './one.mjs'])
      assert.deepEqual(names, ['one'])
      assert.deepEqual(
        faults.map(({ path }) => path),
        ['load.0'],
      )
      assert.match(faults[0]?.message ?? '', message)
    })
  }

  it('gives a module ten seconds to load, if something else keeps the process alive', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const loading = load(['./stuck.mjs', './one.mjs'])
    t.mock.timers.tick(9_999)
    assert.equal(await Promise.race([loading, turnOfLoop('pending')]), 'pending')
    t.mock.timers.tick(1)
    const { names, faults } = await loading
    assert.deepEqual(names, ['one'])
    assert.deepEqual(faults, [
      {
        path: 'load.0',
        message: 'cannot load "./stuck.mjs": it never finishes loading: its top-level `await` does not settle',
      },
    ])
  })

  const refused: [what: string, named: Config['load'][number], message: RegExp][] = [
    [
      'a link that leads out of the configuration’s directory',
      './out.mjs',
      /is a symbolic link to a file outside the directory/,
    ],
    [
      'a file behind a directory that is such a link',
      './away/one.mjs',
      /is a symbolic link to a file outside the directory/,
    ],
    ['a file that anybody may write', './anybodys.mjs', /is world-writable: run `chmod o-w`/],
    ['a file in a directory that anybody may write', './open/plugin.mjs', /can be replaced by anyone/],
    [
      'a file that is not the pinned one',
      { module: './own.mjs', integrity: other },
      /does not match its "integrity"; the file has sha512-/,
    ],
  ]
  for (const [what, named, message] of refused) {
    it(`refuses ${what}`, async () => {
      const { names, faults } = await load([named], 'site')
      assert.deepEqual([names, faults.map(({ path }) => path)], [[], ['load.0']])
      assert.match(faults[0]?.message ?? '', message)
    })
  }

  const taken: [what: string, named: Config['load'][number], name: string][] = [
    ['a link that stays inside', './in.mjs', 'own'],
    ['a file outside that is named as such', '../one.mjs', 'one'],
    ['a file in a directory that anybody may write, but for the files of others', './shared/plugin.mjs', 'shared'],
    ['a file that is the pinned one', { module: '../one.mjs', integrity }, 'one'],
  ]
  for (const [what, named, name] of taken) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(await loaded([named], 'site'), { names: [name], faults: [] })
    })
  }

  it('accepts only sha512 as integrity', () => {
    const pin = { module: './one.mjs', integrity: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' }
    const { faults } = readSettings({ load: [pin] }, directory, {})
    assert.ok(faults.some(({ path }) => path === 'load.0.integrity'))
  })
})
