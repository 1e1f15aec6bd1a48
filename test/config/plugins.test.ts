import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { loadRegistry } from '../../src/config/plugins.ts'

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
write('throws.mjs', 'throw new Error("cannot start")')
write('node_modules/@acme/assay-plugin-x/package.json', '{"type":"module","exports":{"import":"./x.js"}}')
write('node_modules/@acme/assay-plugin-x/x.js', `export default ${analyzerText('acme')}`)

async function load(specifiers: readonly string[]) {
  const file = join(directory, 'config.json')
  writeFileSync(file, JSON.stringify({ load: specifiers }))
  const { config, base } = readConfig(
    { config: file },
    { config: undefined, data: undefined, port: undefined, extra_roots: '' },
  )
  const { registry, faults } = await loadRegistry([], config, base)
  return {
    names: [...registry.analyzers.map(({ analyzer }) => analyzer.name), ...registry.extensions.map(({ name }) => name)],
    faults,
  }
}

describe('load', () => {
  it('takes a module by its path from the configuration', async () => {
    assert.deepEqual(await load(['./one.mjs']), { names: ['one'], faults: [] })
  })

  it('takes a package that only imports, from the node_modules beside the configuration', async () => {
    assert.deepEqual(await load(['@acme/assay-plugin-x']), { names: ['acme'], faults: [] })
  })

  it('takes a list of plugins from one module', async () => {
    assert.deepEqual(await load(['./many.mjs', './one.mjs']), { names: ['two', 'one', 'three'], faults: [] })
  })

  const faulty: [specifier: string, message: RegExp][] = [
    ['./absent.mjs', /cannot load "\.\/absent\.mjs": Cannot find module/],
    ['@acme/absent', /cannot load "@acme\/absent": Cannot find package/],
    ['./empty.mjs', /has no default export; it must be a plugin or an array of plugins/],
    ['./throws.mjs', /cannot load "\.\/throws\.mjs": cannot start/],
  ]
  for (const [specifier, message] of faulty) {
    it(`says what is wrong with ${specifier}, and loads the others`, async () => {
      const { names, faults } = await load([specifier, './one.mjs'])
      assert.deepEqual(names, ['one'])
      assert.deepEqual(
        faults.map(({ path }) => path),
        ['load.0'],
      )
      assert.match(faults[0]?.message ?? '', message)
    })
  }
})
