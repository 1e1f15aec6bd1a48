// The mistakes that authors of plugins make: each is told in one sentence that says what is wrong, where, and what to do. Those of a
// registry are in `engine/registry.test.ts`.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { faultLine } from '../../src/base/fault.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Plugin } from '../../src/engine/plugin.ts'
import { loadRegistry } from '../../src/engine/plugins.ts'
import { runPlugin } from '../../src/testing/run_plugin.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

/** A plugin without a mistake, as its author writes it. */
const SOUND = `{
  name: 'long_name',
  description: 'Reports the length of the name.',
  targets: ['domain'],
  needs: ['addresses'],
  schema: {
    type: 'object',
    properties: {
      characters: { type: 'integer' },
      hosts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false } },
    },
    required: ['characters'],
    additionalProperties: false,
  },
  options: { type: 'object', properties: { long: { type: 'integer', minimum: 1, default: 30 } }, additionalProperties: false },
  signals: { name_too_long: { weight: 3, group: 'identity', title: 'The name is long' } },
  presentation: {
    title: 'Length of the name',
    looks: 'how long the name is',
    describe: ({ characters }) => ({ summary: [characters + ' characters'], facts: [['Characters', characters]] }),
  },
  analyze({ addresses }, { target }) {
    return { section: { characters: target.domain.length }, signals: [{ id: 'name_too_long' }] }
  },
}`

/** The sound plugin with one piece of its text replaced. */
function mistaken(piece: string, by: string): string {
  assert.ok(SOUND.includes(piece), piece)
  return SOUND.replace(piece, by)
}

const directory = temporaryDirectory()
let modules = 0

/** The errors at the start of a service that loads the module. */
async function errorsOf(module: string, settings: object = {}, files: Readonly<Record<string, string>> = {}) {
  const base = join(directory, `${modules++}`)
  mkdirSync(base)
  for (const [name, text] of Object.entries({ ...files, 'plugin.mjs': module })) writeFileSync(join(base, name), text)
  const { config, faults } = readSettings({ load: ['./plugin.mjs'], ...settings }, base, { variables: {} })
  const loaded = await loadRegistry([], config, base)
  loaded.registry.close()
  return [...faults, ...loaded.faults].map(faultLine).map(line => line.replaceAll(base, '.'))
}

const AT = 'plugin long_name (./plugin.mjs): '

describe('a mistake is told when the plugin is loaded:', () => {
  it('none is told of a sound plugin', async () => {
    assert.deepEqual(await errorsOf(`export default ${SOUND}`), [])
  })

  const plugins: readonly (readonly [mistake: string, piece: string, by: string, says: string])[] = [
    [
      'a schema that allows other fields',
      "required: ['characters'],\n    additionalProperties: false,",
      "required: ['characters'],",
      '"schema" allows fields that it does not name: add "additionalProperties": false',
    ],
    [
      'the same inside the schema',
      "{ name: { type: 'string' } }, additionalProperties: false }",
      "{ name: { type: 'string' } } }",
      '"schema.properties.hosts.items" allows fields that it does not name: add "additionalProperties": false',
    ],
    [
      'a schema that is not one of an object',
      "schema: {\n    type: 'object'",
      "schema: {\n    type: 'array'",
      '"schema" must be a JSON Schema of type object',
    ],
    [
      'options that allow others',
      'default: 30 } }, additionalProperties: false }',
      'default: 30 } } }',
      '"options" allows fields that it does not name: add "additionalProperties": false',
    ],
    [
      'an option without a default',
      'minimum: 1, default: 30',
      'minimum: 1',
      '"options.long" has no default: add one, or list it in "required"',
    ],
    [
      'a default that its own schema rejects',
      'default: 30',
      'default: 0',
      'the default of "options.long" is not valid: it must be at least 1',
    ],
    [
      'a weight that no score has',
      'weight: 3',
      'weight: 300',
      'signal name_too_long: "weight" must be a number from -100 to 100',
    ],
    [
      'a weight with the wrong sign',
      'weight: 3',
      'weight: -3',
      'signal name_too_long: weight -3 has the wrong sign for group identity, whose ceiling is 45',
    ],
    [
      'no group',
      "group: 'identity', ",
      '',
      'signal name_too_long: "group" is missing: use one of reputation, identity, content, network, transport, hygiene, trust',
    ],
    [
      'a condition that is no function',
      "title: 'The name is long'",
      "title: 'The name is long', when: true",
      'signal name_too_long: "when" must be a function',
    ],
    [
      'a misspelt field of a signal',
      "title: 'The name is long'",
      "title: 'The name is long', severty: 'low'",
      'signal name_too_long: "severty" is not a field of a signal; did you mean "severity"?',
    ],
    [
      'a misspelt field of the plugin',
      "needs: ['addresses'],",
      "needs: ['addresses'], want: ['page'],",
      '"want" is not a field of a plugin; did you mean "wants"?',
    ],
    [
      'an async analyze',
      'analyze({ addresses }, { target })',
      'async analyze({ addresses }, { target })',
      '"analyze" is an async function: return the finding at once, and do I/O in the gatherer of an extension',
    ],
    [
      'a presentation without a title',
      "title: 'Length of the name',",
      '',
      '"presentation.title" must be a string of 1 to 80 characters',
    ],
    [
      'a presentation of a field that the schema does not have',
      "[['Characters', characters]] })",
      "[['Characters', characters]] }), describe: ({ charcters }) => ({ summary: [], facts: [['Characters', charcters]] })",
      '"presentation.describe" reads "charcters", which "schema" does not have; did you mean "characters"?',
    ],
  ]
  for (const [mistake, piece, by, says] of plugins) {
    it(mistake, async () => {
      assert.deepEqual(await errorsOf(`export default ${mistaken(piece, by)}`), [`${AT}${says}`])
    })
  }

  const modules: readonly (readonly [mistake: string, module: string, says: readonly string[]])[] = [
    [
      'a plugin exported by its name',
      `export const plugin = ${SOUND}`,
      [
        'load.0: cannot load "./plugin.mjs": has no default export; it must be a plugin or an array of plugins: write `export default plugin` instead of exporting "plugin" by its name',
      ],
    ],
    [
      'a function exported in place of a plugin',
      `export default () => (${SOUND})`,
      ['load.0: cannot load "./plugin.mjs": exports a function by default: export the plugin itself, an object'],
    ],
    [
      'an empty array',
      'export default []',
      [
        'load.0: cannot load "./plugin.mjs": exports an empty array by default; it must be a plugin or an array of plugins',
      ],
    ],
    [
      'no name',
      `export default ${mistaken("name: 'long_name',", '')}`,
      ['plugin (unnamed) (./plugin.mjs): "name" is missing: it names the section in the result, such as "long_name"'],
    ],
  ]
  for (const [mistake, module, says] of modules) {
    it(mistake, async () => assert.deepEqual(await errorsOf(module), says))
  }

  it('a setting of a plugin that is not loaded', async () => {
    const said = await errorsOf(`export default ${SOUND}`, { plugins: { tides: { options: {} } } })
    assert.deepEqual(said, ['plugins.tides: unknown plugin: add its module to "load", or remove this setting'])
  })

  for (const [title, range, says] of [
    [
      'a package for another version of assay',
      '^7.0.0',
      [
        'load.0: cannot load "./plugin.mjs": its package asks for assay ^7.0.0, and this is 0.1.0: install a version of it for 0.1.0, or change "peerDependencies" in ./package.json',
      ],
    ],
    ['none of a package for this version', '^0.1.0', []],
  ] as const) {
    it(title, async () => {
      const manifest = JSON.stringify({ name: 'assay-plugin-long-name', peerDependencies: { assay: range } })
      assert.deepEqual(await errorsOf(`export default ${SOUND}`, {}, { 'package.json': manifest }), says)
    })
  }
})

describe('a mistake is told when the plugin runs:', () => {
  const RETURN = "return { section: { characters: target.domain.length }, signals: [{ id: 'name_too_long' }] }"
  const cases: readonly (readonly [mistake: string, body: string, says: string])[] = [
    [
      'nothing is returned',
      '',
      'analyze returned nothing: return { section, signals }, { notApplicable } or { unavailable }',
    ],
    [
      'the section is returned alone',
      'return { characters: 3 }',
      'analyze returned an object without "section": return { section, signals }, { notApplicable } or { unavailable }',
    ],
    [
      'a promise is returned',
      'return Promise.resolve(null)',
      'analyze returned a promise: return the finding at once, and do I/O in the gatherer of an extension',
    ],
    [
      'the section has a wrong type',
      "return { section: { characters: 'three' }, signals: [] }",
      'analyze returned what "schema" does not allow: section.characters: must be an integer',
    ],
    [
      'the section lacks a field',
      'return { section: {}, signals: [] }',
      'analyze returned what "schema" does not allow: section: "characters" is missing',
    ],
    [
      'the section has a field of its own',
      'return { section: { characters: 3, length: 3 }, signals: [] }',
      'analyze returned what "schema" does not allow: section.length: unknown key',
    ],
    [
      'a signal is not declared',
      "return { section: { characters: 3 }, signals: [{ id: 'name_to_long' }] }",
      'signal "name_to_long" is not declared in "signals"; did you mean "name_too_long"?',
    ],
    [
      'a reason is a sentence',
      "return { unavailable: 'The server failed.' }",
      'the reason "The server failed." must be a slug of at most 64 characters, such as "servfail"',
    ],
    ['analyze throws', "throw new Error('no such table')", 'no such table'],
    [
      'evidence is changed',
      'addresses.answers.sort(() => -1)',
      "analyze changes its evidence, which is frozen: copy it (Cannot assign to read only property '0' of object '[object Array]')",
    ],
    [
      'evidence is read that was not asked for',
      'return { section: { characters: arguments[0].page.exchanges.length }, signals: [] }',
      'analyze reads evidence "page", which is neither in "needs" nor in "wants"',
    ],
  ]
  for (const [mistake, body, says] of cases) {
    it(mistake, async () => {
      const plugin = evaluated(mistaken(RETURN, body))
      await assert.rejects(runPlugin(plugin, { evidence: { addresses: TWO } }), error => {
        assert.match((error as Error).message, /^long_name failed at analyze: /)
        assert.equal((error as Error & { cause: Error }).cause.message, says)
        return true
      })
    })
  }

  it('a description has no value', async () => {
    const piece = "[['Characters', characters]] })"
    const plugin = evaluated(mistaken(piece, "[['Characters', [].at(0)]] })"))
    await assert.rejects(runPlugin(plugin), {
      message:
        'long_name failed at presentation.describe: WrongShape: describe returned no value for "Characters": use null for unknown',
    })
  })
})

describe('a mistake of a test is told:', () => {
  const plugin = () => evaluated(SOUND)
  const cases: readonly (readonly [mistake: string, run: () => Promise<unknown>, says: string])[] = [
    [
      'evidence that does not exist',
      () => runPlugin(plugin(), { evidence: { adresses: {} } as never }),
      '"evidence" has "adresses", which is not a kind of evidence; did you mean "addresses"?',
    ],
    [
      'evidence that is not given',
      () => runPlugin(evaluated(mistaken("needs: ['addresses']", "needs: ['page']"))),
      'long_name needs "page": give it in "evidence", or pass an "internet" to gather it from',
    ],
    [
      'a source without its analyzer',
      () => runPlugin({ name: 'tide_gauge', description: '', apply() {} }),
      'none of the plugins is an analyzer: pass the source together with the analyzer',
    ],
  ]
  for (const [mistake, run, message] of cases) it(mistake, () => assert.rejects(run, { message }))

  it('but a test of the failure itself sees how the section failed', async () => {
    const failing = evaluated(mistaken('return {', "throw new Error('boom')\n    return {"))
    const { status, reason, defects } = await runPlugin(failing, { may_fail: true })
    assert.deepEqual([status, reason, defects.map(String)], ['failed', 'threw', ['Error: boom']])
  })
})

/** Out of order when sorted. */
const TWO = {
  status: 'found',
  answers: ['93.184.216.35', '93.184.216.34'].map(address => ({ address, family: 4, refused: null })),
  dialable: [],
  cnames: [],
  ttl: 300,
  authenticated: false,
}

/** The plugin that a text makes. Modules are strict, and so is this. */
function evaluated(text: string): Plugin {
  return new Function(`'use strict'; return (${text})`)() as Plugin
}
