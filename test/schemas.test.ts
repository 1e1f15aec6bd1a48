import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { builtInPlugins } from '../plugins/index.ts'
import { publishedSchemas, schemaText } from '../src/cli/schemas.ts'
import type { Analyzer } from '../src/engine/plugin.ts'
import { createRegistry, isAnalyzer } from '../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../src/scoring/groups.ts'

const FOLDER = resolve(import.meta.dirname, '../schemas')
const { registry, faults } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const published = publishedSchemas(registry)

interface Result {
  readonly properties: Readonly<Record<string, { readonly anyOf?: readonly { readonly type?: string }[] }>>
  readonly required: readonly string[]
}

const shipped = (name: string) =>
  JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as { components?: { schemas: Record<string, unknown> } }

describe('the published schemas', () => {
  it('come from valid plugins', () => assert.deepEqual(faults, []))

  it('are exactly the files in schemas/', () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), Object.keys(published).sort())
  })

  for (const [name, schema] of Object.entries(published)) {
    it(`equal ${name}; \`npm run schemas\` updates it`, () => {
      assert.equal(readFileSync(join(FOLDER, name), 'utf8'), schemaText(schema))
    })
  }

  for (const name of ['check-result.json', 'config.json', 'problem.json']) {
    it(`compile to a validator of ${name}`, () => {
      const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false })
      assert.equal(typeof ajv.compile(JSON.parse(schemaText(published[name] ?? {}))), 'function')
    })
  }

  for (const { plugin } of builtInPlugins.filter(({ plugin }) => isAnalyzer(plugin))) {
    const { name, optional = false } = plugin as Analyzer
    it(`make ${name} a nullable field of ${optional ? 'results where it is enabled' : 'every result'}`, () => {
      for (const file of ['check-result.json', 'openapi.json']) {
        const document = shipped(file)
        const { properties, required } = (document.components?.schemas['CheckResult'] ?? document) as Result
        assert.ok(
          properties[name]?.anyOf?.some(({ type }) => type === 'null'),
          file,
        )
        assert.equal(required.includes(name), !optional)
      }
    })
  }
})
