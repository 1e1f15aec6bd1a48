import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { withSignalTables } from '../../build/signal_tables.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { isAnalyzer } from '../../src/engine/registry.ts'
import { readmeHeadings, readmeSection, readmeText } from './readme_of.ts'

const FOLDER = resolve(import.meta.dirname, '../../plugins')

const HEADINGS = ['What it reports', 'Evidence', 'Signals', 'Options', 'When to disable']

const folders = readdirSync(FOLDER, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Paths of the objects in a schema whose members are named and that would take others. */
function openObjects(schema: unknown, path = '#'): string[] {
  if (!isObject(schema)) return []
  const open = 'properties' in schema && schema['type'] === 'object' && schema['additionalProperties'] !== false
  const inner = Object.entries(schema).flatMap(([key, value]) => openObjects(value, `${path}/${key}`))
  return open ? [path, ...inner] : inner
}

describe('the plugins', () => {
  it('have exactly one line each in the index', () => {
    const names = builtInPlugins.map(({ plugin }) => plugin.name)
    assert.deepEqual(
      folders.filter(folder => !names.includes(folder)),
      [],
    )
    const text = readFileSync(join(FOLDER, 'index.ts'), 'utf8')
    const imported = [...text.matchAll(/^import (\w+) from '\.\/(\w+)\/index\.ts'$/gm)].map(([, name, folder]) => [
      name,
      folder,
    ])
    assert.deepEqual(
      imported,
      folders.map(name => [name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), name]),
    )
  })

  for (const { plugin } of builtInPlugins.filter(({ plugin }) => folders.includes(plugin.name))) {
    describe(plugin.name, () => {
      it('describes itself in a README with the usual headings', () => {
        const headings = readmeHeadings(plugin.name)
        assert.deepEqual(headings.slice(0, HEADINGS.length), HEADINGS)
        assert.ok(headings.slice(HEADINGS.length).every(heading => heading === 'What other checkers report'))
      })

      it('is described in one sentence', () => assert.match(plugin.description, /^\p{Lu}.{10,160}\.$/u))

      it('has tests by its name', () => assert.ok(existsSync(join(import.meta.dirname, `${plugin.name}.test.ts`))))

      if (!isAnalyzer(plugin)) return

      it('has in the README the tables of its signals, as `npm run docs` writes them', () => {
        const text = readmeText(plugin.name)
        assert.equal(text, withSignalTables(text, plugin.signals))
      })

      it('declares the severity of every signal', () => {
        const undeclared = Object.entries(plugin.signals).filter(([, { severity }]) => severity === undefined)
        assert.deepEqual(undeclared, [])
      })

      it('says of every signal what to do, or that there is nothing to do', () => {
        const undeclared = Object.entries(plugin.signals).filter(([, { advice }]) => advice === undefined)
        assert.deepEqual(undeclared, [])
      })

      it('says in the README what its peers report and it does not, and why', () =>
        assert.match(readmeText(plugin.name), /^##+ What other(?:s| checkers) report/m))

      it('lists in the README the evidence that it reads', () => {
        const text = readmeSection(plugin.name, 'Evidence')
        const read = [...plugin.needs, ...(plugin.wants ?? [])]
        assert.deepEqual(
          read.filter(name => !text.includes(`\`${name}\``)),
          [],
        )
      })

      it('lists in the README its options, each with a default', () => {
        const { properties = {}, additionalProperties } = (plugin.options ?? { additionalProperties: false }) as {
          properties?: Readonly<Record<string, Json>>
          additionalProperties?: unknown
        }
        assert.equal(additionalProperties, false)
        const text = readmeSection(plugin.name, 'Options')
        for (const [name, option] of Object.entries(properties)) {
          assert.ok(text.includes(`| \`${name}\``), name)
          assert.ok('default' in option, name)
        }
      })

      it('has a closed section, down to the last object', () => assert.deepEqual(openObjects(plugin.schema), []))
    })
  }
})
