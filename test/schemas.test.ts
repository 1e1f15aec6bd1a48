import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { builtInPlugins } from '../plugins/index.ts'
import { publishedSchemas, schemaText } from '../src/cli/schemas.ts'
import { createRegistry } from '../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../src/scoring/groups.ts'

const FOLDER = resolve(import.meta.dirname, '../schemas')
const { registry, faults } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const published = publishedSchemas(registry)

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

  it('make every section a nullable field of the result', () => {
    const { properties } = published['check-result.json'] as {
      properties: Record<string, { anyOf?: { type?: string }[] }>
    }
    for (const { analyzer } of registry.analyzers) {
      assert.ok(
        properties[analyzer.name]?.anyOf?.some(({ type }) => type === 'null'),
        analyzer.name,
      )
    }
  })
})
