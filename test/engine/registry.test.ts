import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Settings } from '../../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../../src/scoring/groups.ts'
import moon from '../fixtures/plugins/moon.js'
import { analyzerNamed, registryOf, settings } from './engine_of.ts'

const signal = (parts: Record<string, unknown>) => ({ weight: 1, group: 'hygiene', title: 'A title', ...parts })

describe('a registry tells every fault before the first check', () => {
  const cases: {
    title: string
    plugins: unknown[]
    settings?: Settings['plugins']
    faults: [path: string, message: string][]
  }[] = [
    { title: 'none when all is sound', plugins: [moon], faults: [] },
    {
      title: 'a setting for a plugin there is not, with the name that was meant',
      plugins: [moon],
      settings: { moon_fase: false },
      faults: [['plugins.moon_fase', 'no plugin has this name; did you mean "moon_phase"?']],
    },
    {
      title: 'an option there is not, with the name that was meant',
      plugins: [moon],
      settings: { moon_phase: { options: { fase: 'full' } } },
      faults: [['plugins.moon_phase.options.fase', 'unknown key; did you mean "phase"?']],
    },
    {
      title: 'an option with a value it cannot have',
      plugins: [moon],
      settings: { moon_phase: { options: { phase: 'half' } } },
      faults: [['plugins.moon_phase.options.phase', 'must be equal to one of the allowed values: new, full']],
    },
    {
      title: 'an option for a plugin without any',
      plugins: [analyzerNamed('plain')],
      settings: { plain: { options: { colour: 'red' } } },
      faults: [['plugins.plain.options.colour', 'this plugin has no options']],
    },
    {
      title: 'a weight for a signal there is not',
      plugins: [moon],
      settings: { moon_phase: { weights: { fullmoon: 3 } } },
      faults: [['plugins.moon_phase.weights.fullmoon', 'moon_phase has no such signal; did you mean "full_moon"?']],
    },
    {
      title: 'a weight whose sign its group cannot count',
      plugins: [moon],
      settings: { moon_phase: { weights: { full_moon: -3 } } },
      faults: [
        ['plugins.moon_phase.weights.full_moon', 'a weight of -3 cannot count in group content, whose ceiling is 45'],
      ],
    },
    {
      title: 'a name that another plugin has',
      plugins: [moon, analyzerNamed('moon_phase')],
      faults: [['plugin moon_phase (./test)', 'the name "moon_phase" is taken by plugin moon_phase (./test)']],
    },
    {
      title: 'a name that every result has',
      plugins: [analyzerNamed('verdict')],
      faults: [['plugin verdict (./test)', '"verdict" is a field of every result']],
    },
    {
      title: 'an alias that another plugin has',
      plugins: [moon, analyzerNamed('other', { aliases: ['moon_phase'] })],
      faults: [['plugin other (./test)', 'the name "moon_phase" is taken by plugin moon_phase (./test)']],
    },
    {
      title: 'a signal id that another plugin has',
      plugins: [moon, analyzerNamed('other', { signals: { full_moon: signal({}) } })],
      faults: [['plugin other (./test)', 'the name "signal full_moon" is taken by moon_phase']],
    },
    {
      title: 'a signal in a group there is not',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ group: 'hygene' }) } })],
      faults: [['plugin one (./test)', 'signal odd: there is no group "hygene"; did you mean "hygiene"?']],
    },
    {
      title: 'a signal in a group that only has the name of what every object has',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ group: 'constructor' }) } })],
      faults: [['plugin one (./test)', 'signal odd: there is no group "constructor"']],
    },
    {
      title: 'a title that is no text',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ title: 5 }) } })],
      faults: [['plugin one (./test)', 'signal odd: "title" must be a string']],
    },
    {
      title: 'a floor that no score can have',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ floor: 101 }) } })],
      faults: [['plugin one (./test)', 'signal odd: "floor" must be a whole number from 0 to 100']],
    },
    {
      title: 'a floor between two scores',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ floor: 70.5 }) } })],
      faults: [['plugin one (./test)', 'signal odd: "floor" must be a whole number from 0 to 100']],
    },
    {
      title: 'a weight that is no number',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ weight: '3' }) } })],
      faults: [['plugin one (./test)', 'signal odd: "weight" must be a number']],
    },
    {
      title: 'a schema that is none',
      plugins: [analyzerNamed('one', { schema: { type: 'object', properties: { a: { type: 'strin' } } } })],
      faults: [
        [
          'plugin one (./test)',
          '"schema" is not a JSON Schema: schema is invalid: data/properties/a/type must be equal to one of the allowed values, data/properties/a/type must be array, data/properties/a/type must match a schema in anyOf',
        ],
      ],
    },
    {
      title: 'options whose defaults cannot be filled in',
      plugins: [analyzerNamed('one', { options: { type: 'object', properties: {}, default: {} } })],
      faults: [
        ['plugin one (./test)', '"options" is not a JSON Schema: strict mode: default is ignored in the schema root'],
      ],
    },
    {
      title: 'lists that are none, or not of text',
      plugins: [analyzerNamed('one', { targets: 'domain', needs: [null], wants: {}, aliases: 5 })],
      faults: ['targets', 'needs', 'wants', 'aliases'].map(key => [
        'plugin one (./test)',
        `"${key}" must be an array of strings`,
      ]),
    },
    {
      title: 'a kind of target that there is not',
      plugins: [analyzerNamed('one', { targets: ['domian'] }), analyzerNamed('other', { targets: [] })],
      faults: [
        ['plugin one (./test)', '"targets" names "domian", which is neither "domain" nor "ip"'],
        ['plugin other (./test)', '"targets" must name "domain", "ip" or both'],
      ],
    },
    {
      title: 'fields that have no schema',
      plugins: [
        { name: 'one', description: '', apply() {}, fields: null },
        { name: 'other', description: '', apply() {}, fields: { 'A b': {}, nothing: null, text: { type: 'strin' } } },
      ],
      faults: [
        ['plugin one (./test)', '"fields" must be an object'],
        ['plugin other (./test)', 'field "A b" must be a snake_case word'],
        ['plugin other (./test)', '"fields.nothing" must be a JSON Schema'],
        [
          'plugin other (./test)',
          '"fields.text" is not a JSON Schema: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf',
        ],
      ],
    },
    {
      title: 'something that is no plugin at all',
      plugins: [undefined, 7, { name: 'CamelCase' }, { name: 'idle', description: '' }],
      faults: [
        ['plugin (unnamed) (./test)', '"name" must be a snake_case word'],
        ['plugin (unnamed) (./test)', '"name" must be a snake_case word'],
        ['plugin CamelCase (./test)', '"name" must be a snake_case word'],
        ['plugin idle (./test)', 'must have "analyze" (an analyzer) or "apply" (an extension)'],
      ],
    },
  ]
  for (const { title, plugins, settings: given, faults } of cases) {
    it(title, () => {
      const found = registryOf(plugins, settings(given)).faults
      assert.deepEqual(
        found.map(({ path, message }) => [path, message]),
        faults,
      )
    })
  }

  it('all of them in one go', () => {
    const given = { moon_phase: { options: { fase: 1 }, weights: { nope: 1 } }, nobody: false as const }
    assert.equal(registryOf([moon, analyzerNamed('verdict')], settings(given)).faults.length, 4)
  })
})

describe('a registry', () => {
  it('fills options with their defaults and weights with the settings', () => {
    const given = settings({ moon_phase: { weights: { full_moon: 3 } } })
    const ready = registryOf([moon], given).registry.analyzers[0]
    assert.deepEqual(ready?.options, { phase: 'full' })
    assert.equal(ready?.signals['full_moon']?.weight, 3)
    assert.equal(ready?.signals['moonlit']?.weight, 0)
  })

  it('leaves a signal its own weight whatever it is called', () => {
    const one = analyzerNamed('one', { signals: { constructor: signal({ weight: 4 }) } })
    const ready = registryOf([one], settings({ one: { weights: {} } })).registry.analyzers[0]
    assert.equal(ready?.signals['constructor']?.weight, 4)
  })

  it('takes groups of the operator’s own', () => {
    const own = analyzerNamed('own', { signals: { odd: signal({ group: 'house_rules' }) } })
    const { faults } = registryOf([own], { plugins: {}, groups: { ...DEFAULT_GROUPS, house_rules: 5 } })
    assert.deepEqual(faults, [])
  })
})
