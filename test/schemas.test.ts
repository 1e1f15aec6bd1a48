import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { builtInPlugins } from '../plugins/index.ts'
import { publishedSchemas, schemaText } from '../src/cli/schemas.ts'
import type { Analyzer } from '../src/engine/plugin.ts'
import { createRegistry, isAnalyzer } from '../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../src/engine/scoring/groups.ts'

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

interface Node {
  readonly description?: string
  readonly anyOf?: readonly Node[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly [keyword: string]: unknown
}

/** Its own, or that of the value when it is not null. */
const isDescribed = ({ description, anyOf = [] }: Node): boolean =>
  (description ?? '') !== '' || anyOf.some(option => isDescribed(option))

/** Keywords whose values are no schemas. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'required'])

/** Paths of the properties without a description. */
function undescribed(node: unknown, path = ''): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(one => undescribed(one, path))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([keyword, value]) => {
    if (DATA.has(keyword)) return []
    if (keyword !== 'properties') return undescribed(value, path)
    return Object.entries(value as NonNullable<Node['properties']>).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${path}.${name}`]),
      ...undescribed(property, `${path}.${name}`),
    ])
  })
}

describe('a property of a schema', () => {
  const said = { type: 'string', description: 'What it is.' }
  const silent = { type: 'string' }
  const schemas: readonly (readonly [what: string, schema: object, found: readonly string[]])[] = [
    ['with a description', { properties: { a: said } }, []],
    ['with one in its place for a value', { properties: { a: { anyOf: [said, { type: 'null' }] } } }, []],
    ['with one beside its places', { properties: { a: { anyOf: [silent], description: 'x' } } }, []],
    ['that refers to another', { properties: { a: { $ref: '#/x', description: 'The same as `x`.' } } }, []],
    ['whose value is named as a keyword', { properties: { a: { ...said, enum: ['properties'] } } }, []],
    ['without any', { properties: { a: silent } }, ['.a']],
    ['with an empty one', { properties: { a: { ...silent, description: '' } } }, ['.a']],
    ['that is named description', { properties: { description: silent } }, ['.description']],
    ['that is named properties', { properties: { properties: silent } }, ['.properties']],
    ['below another', { properties: { a: { ...said, properties: { b: silent } } } }, ['.a.b']],
    ['below the items of a list', { properties: { a: { ...said, items: { properties: { b: silent } } } } }, ['.a.b']],
    ['below names that are not known', { patternProperties: { '.*': { properties: { b: silent } } } }, ['.b']],
    ['below what may be null', { properties: { a: { anyOf: [{ ...said, properties: { b: silent } }] } } }, ['.a.b']],
    ['that refers to another in silence', { properties: { a: { $ref: '#/x' } } }, ['.a']],
  ]
  for (const [what, schema, found] of schemas)
    it(`is found without a description where it has none: ${what}`, () => assert.deepEqual(undescribed(schema), found))

  it('has a description wherever it is in a result, with every shipped plugin', () => {
    const whole = JSON.parse(readFileSync(join(FOLDER, 'check-result.json'), 'utf8'))
    assert.ok(JSON.stringify(whole).split('"description"').length > 630, 'as many as there are properties')
    assert.deepEqual(undescribed(whole), [])
  })
})
