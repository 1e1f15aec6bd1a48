import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Hooks } from '../../src/engine/hooks.ts'
import type { Settings } from '../../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../../src/engine/scoring/groups.ts'
import moon from '../fixtures/plugins/moon.js'
import { analyzerNamed, registryOf, settings } from './engine_of.ts'

/** An extension that declares some kinds of evidence and gathers others. */
const source = (name: string, provides: unknown, gathers = provides as readonly string[]) => ({
  name,
  description: 'A source.',
  provides,
  apply(hooks: Hooks) {
    for (const kind of gathers) hooks.gather.for(kind).tapPromise(name, async () => ({}))
  },
})

const signal = (parts: Record<string, unknown>) => ({ weight: 1, group: 'hygiene', title: 'A title', ...parts })

const composite = (parts: Record<string, unknown>) => ({
  all: [['full_moon']],
  weight: 2,
  group: 'content',
  title: 'A title',
  reason: 'A reason.',
  ...parts,
})

describe('a registry reports every error before the first check', () => {
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
      faults: [['plugins.moon_fase', 'unknown plugin; did you mean "moon_phase"?']],
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
      faults: [['plugins.moon_phase.options.phase', 'must be one of: new, full']],
    },
    {
      title: 'an option for a plugin without any',
      plugins: [analyzerNamed('plain')],
      settings: { plain: { options: { colour: 'red' } } },
      faults: [['plugins.plain.options.colour', 'the plugin has no options']],
    },
    {
      title: 'a weight for a signal there is not',
      plugins: [moon],
      settings: { moon_phase: { weights: { fullmoon: 3 } } },
      faults: [
        ['plugins.moon_phase.weights.fullmoon', 'moon_phase has no signal with this name; did you mean "full_moon"?'],
      ],
    },
    {
      title: 'a weight whose sign its group cannot count',
      plugins: [moon],
      settings: { moon_phase: { weights: { full_moon: -3 } } },
      faults: [
        ['plugins.moon_phase.weights.full_moon', 'weight -3 has the wrong sign for group content, whose ceiling is 45'],
      ],
    },
    {
      title: 'a name that another plugin has',
      plugins: [moon, analyzerNamed('moon_phase')],
      faults: [
        ['plugin moon_phase (./test)', 'the name "moon_phase" is taken by plugin moon_phase (./test): choose another'],
      ],
    },
    {
      title: 'a name that every result has',
      plugins: [analyzerNamed('verdict')],
      faults: [['plugin verdict (./test)', '"verdict" is a field of every result: choose another name']],
    },
    {
      title: 'an alias that another plugin has',
      plugins: [moon, analyzerNamed('other', { aliases: ['moon_phase'] })],
      faults: [
        ['plugin other (./test)', 'the name "moon_phase" is taken by plugin moon_phase (./test): choose another'],
      ],
    },
    {
      title: 'a signal id that another plugin has',
      plugins: [moon, analyzerNamed('other', { signals: { full_moon: signal({}) } })],
      faults: [['plugin other (./test)', 'the signal "full_moon" is taken by moon_phase: choose another']],
    },
    {
      title: 'a signal in a group there is not',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ group: 'hygene' }) } })],
      faults: [['plugin one (./test)', 'signal odd: unknown group "hygene"; did you mean "hygiene"?']],
    },
    {
      title: 'a signal in a group that only has the name of what every object has',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ group: 'constructor' }) } })],
      faults: [
        [
          'plugin one (./test)',
          'signal odd: unknown group "constructor": use one of reputation, identity, content, network, transport, hygiene, trust, or give it a ceiling in "scoring.groups"',
        ],
      ],
    },
    {
      title: 'a title that is no text',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ title: 5 }) } })],
      faults: [['plugin one (./test)', 'signal odd: "title" must be a string that says in a few words what was found']],
    },
    {
      title: 'a kind of threat there is not',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ threat_types: ['witchcraft'] }) } })],
      faults: [
        [
          'plugin one (./test)',
          'signal odd: "threat_types" must be a list of phishing, malware, botnet, scam, spam, attack, proxy',
        ],
      ],
    },
    {
      title: 'a floor that no score can have',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ floor: 101 }) } })],
      faults: [['plugin one (./test)', 'signal odd: "floor" must be an integer from 0 to 100']],
    },
    {
      title: 'a floor between two scores',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ floor: 70.5 }) } })],
      faults: [['plugin one (./test)', 'signal odd: "floor" must be an integer from 0 to 100']],
    },
    {
      title: 'a weight that is no number',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ weight: '3' }) } })],
      faults: [['plugin one (./test)', 'signal odd: "weight" must be a number from -100 to 100']],
    },
    {
      title: 'a severity that there is not',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ severity: 'hihg' }) } })],
      faults: [['plugin one (./test)', 'signal odd: "severity" must be one of critical, high, medium, low, info']],
    },
    {
      title: 'a severity that is nothing',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ severity: null }) } })],
      faults: [['plugin one (./test)', 'signal odd: "severity" must be one of critical, high, medium, low, info']],
    },
    {
      title: 'hygiene that is called serious',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ severity: 'high' }) } })],
      faults: [['plugin one (./test)', 'signal odd: a signal of group hygiene cannot be high: medium at most']],
    },
    {
      title: 'praise that is called a danger',
      plugins: [analyzerNamed('one', { signals: { odd: signal({ weight: -1, group: 'trust', severity: 'low' }) } })],
      faults: [['plugin one (./test)', 'signal odd: a signal that takes points off cannot be low: info only']],
    },
    {
      title: 'a severity for a signal there is not',
      plugins: [moon],
      settings: { moon_phase: { severities: { fullmoon: 'low' } } },
      faults: [
        [
          'plugins.moon_phase.severities.fullmoon',
          'moon_phase has no signal with this name; did you mean "full_moon"?',
        ],
      ],
    },
    {
      title: 'a severity that its group cannot have',
      plugins: [analyzerNamed('one', { signals: { odd: signal({}) } })],
      settings: { one: { severities: { odd: 'critical' } } },
      faults: [['plugins.one.severities.odd', 'a signal of group hygiene cannot be critical: medium at most']],
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
        ['plugin other (./test)', 'field "A b" must be snake_case'],
        ['plugin other (./test)', '"fields.nothing" must be a JSON Schema'],
        [
          'plugin other (./test)',
          '"fields.text" is not a JSON Schema: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf',
        ],
      ],
    },
    {
      title: 'evidence that nothing gathers, with the kind that was meant',
      plugins: [
        analyzerNamed('one', { needs: ['adresses', 'constructor'], wants: ['regstration'] }),
        analyzerNamed('other', { needs: ['tied'] }),
        source('tide_gauge', ['tide']),
      ],
      faults: [
        ['plugin one (./test)', '"needs": unknown evidence "adresses"; did you mean "addresses"?'],
        [
          'plugin one (./test)',
          '"needs": unknown evidence "constructor": no loaded plugin provides it, and it is not built in',
        ],
        ['plugin one (./test)', '"wants": unknown evidence "regstration"; did you mean "registration"?'],
        ['plugin other (./test)', '"needs": unknown evidence "tied"; did you mean "tide"?'],
      ],
    },
    {
      title: 'none of evidence that an extension provides, and of an analyzer that is off without its source',
      plugins: [source('tide_gauge', ['tide']), analyzerNamed('tides', { needs: ['tide'] })],
      settings: { tide_gauge: false, tides: false },
      faults: [],
    },
    {
      title: 'evidence whose source is switched off',
      plugins: [source('tide_gauge', ['tide']), analyzerNamed('tides', { needs: ['tide'] })],
      settings: { tide_gauge: false },
      faults: [['plugin tides (./test)', 'needs "tide", but tide_gauge, which provides it, is disabled']],
    },
    {
      title: 'a gatherer of evidence there is not, with the kind that was meant',
      plugins: [source('gauge', [], ['tide']), source('finder', [], ['adresses']), source('team', [], ['addresses'])],
      faults: [
        ['plugin gauge (./test)', 'gathers "tide", which is neither built-in evidence nor in "provides"'],
        [
          'plugin finder (./test)',
          'gathers "adresses", which is neither built-in evidence nor in "provides"; did you mean "addresses"?',
        ],
      ],
    },
    {
      title: 'evidence that is provided and not gathered',
      plugins: [source('gauge', ['tide', 'wind'], ['tide']), source('other', 'tide'), source('third', ['A b'])],
      faults: [
        [
          'plugin other (./test)',
          '"provides" must be an array of strings, or an object with the schema of each kind of evidence',
        ],
        ['plugin third (./test)', '"provides" names "A b", which must be snake_case'],
        ['plugin gauge (./test)', '"provides" names "wind", but "apply" registers no gatherer for it'],
      ],
    },
    {
      title: 'an extension that cannot be applied',
      plugins: [
        {
          name: 'one',
          description: '',
          apply() {
            throw new Error('no network today')
          },
        },
      ],
      faults: [['plugin one (./test)', 'cannot be applied: Error: no network today']],
    },
    {
      title: 'composites that name no signal, have no title, weigh in no group, or take a name',
      plugins: [
        moon,
        analyzerNamed('one', {
          composites: {
            astray: composite({ all: [['ful_moon']] }),
            bare: { all: [['full_moon']], weight: 0, group: 'content', reason: 'No title.' },
            groupless: composite({ group: 'contents' }),
            full_moon: composite({}),
            parked_lookalike: composite({}),
            CamelCase: composite({}),
          },
        }),
      ],
      faults: [
        ['plugin one (./test): composites.bare', '"title" is missing'],
        ['plugin one (./test): composites.full_moon', 'the name is taken'],
        ['plugin one (./test): composites.parked_lookalike', 'the name is taken'],
        ['plugin one (./test): composites.CamelCase', 'must be snake_case'],
        ['plugin one (./test): composites.astray', 'unknown signal "ful_moon"; did you mean "full_moon"?'],
        ['plugin one (./test): composites.groupless', 'unknown group "contents"; did you mean "content"?'],
      ],
    },
    {
      title: 'something that is no plugin at all',
      plugins: [undefined, 7, { name: 'CamelCase' }, { name: 'idle', description: '' }],
      faults: [
        ['plugin (unnamed) (./test)', 'is of type undefined: a plugin is an object'],
        ['plugin (unnamed) (./test)', 'is of type number: a plugin is an object'],
        ['plugin CamelCase (./test)', '"name" must be snake_case, such as "long_name"'],
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

  it('all of them together', () => {
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

  it('takes severities from the settings, then from the signal, then from its own weight', () => {
    const signals = { odd: signal({ group: 'network', severity: 'high' }) }
    const given = settings({
      moon_phase: { weights: { moonlit: 29 }, severities: { full_moon: 'high' } },
      one: { weights: { odd: 0 } },
    })
    const ready = registryOf([moon, analyzerNamed('one', { signals })], given).registry.analyzers
    const severities = ready.flatMap(({ signals }) =>
      Object.entries(signals).map(([id, { severity }]) => [id, severity]),
    )
    assert.deepEqual(severities, [
      ['full_moon', 'high'],
      ['moonlit', 'info'],
      ['odd', 'high'],
    ])
  })

  it('keeps a signal’s own weight whatever its name', () => {
    const one = analyzerNamed('one', { signals: { constructor: signal({ weight: 4 }) } })
    const ready = registryOf([one], settings({ one: { weights: {} } })).registry.analyzers[0]
    assert.equal(ready?.signals['constructor']?.weight, 4)
  })

  it('keeps the conditions of signals out of the policy, which is data', () => {
    const one = analyzerNamed('one', { signals: { odd: signal({ when: () => null }) } })
    const { registry, faults } = registryOf([one], settings({}))
    assert.deepEqual(faults, [])
    assert.deepEqual(registry.analyzers[0]?.signals, { odd: { ...signal({}), severity: 'low' } })
  })

  it('takes composites from plugins that are enabled, and the configuration’s over theirs', () => {
    const one = analyzerNamed('one', { composites: { moonstruck: composite({}), tide: composite({}) } })
    const two = analyzerNamed('two', { composites: { eclipse: composite({}) } })
    const given = {
      ...settings({ two: false }),
      composites: { tide: false as const, moonstruck: composite({ weight: 9 }) },
    }
    const { registry, faults } = registryOf([moon, one, two], given)
    assert.deepEqual(faults, [])
    const { moonstruck, tide, eclipse } = registry.composites
    assert.deepEqual([moonstruck?.weight, tide, eclipse], [9, undefined, undefined])
  })

  it('accepts the operator’s groups', () => {
    const own = analyzerNamed('own', { signals: { odd: signal({ group: 'house_rules' }) } })
    const { faults } = registryOf([own], { plugins: {}, groups: { ...DEFAULT_GROUPS, house_rules: 5 } })
    assert.deepEqual(faults, [])
  })
})

describe('ceilings', () => {
  const cases: readonly (readonly [groups: string, faults: readonly (readonly [string, string])[]])[] = [
    ['{}', []],
    ['{"hygiene": 5, "trust": 0, "house_rules": 5}', []],
    [
      '{"hygeine": 5, "__proto__": 3, "constructor": 3}',
      [
        ['scoring.groups.hygeine', 'unknown group: no signal uses it; did you mean "hygiene"?'],
        ['scoring.groups.__proto__', 'unknown group: no signal uses it'],
        ['scoring.groups.constructor', 'unknown group: no signal uses it'],
      ],
    ],
    [
      '{"hygiene": -5, "trust": 5}',
      [
        ['scoring.groups.hygiene', 'must be 0 or more, like the weights in this group'],
        ['scoring.groups.trust', 'must be 0 or less, like the weights in this group'],
      ],
    ],
  ]
  for (const [groups, expected] of cases) {
    it(`of ${groups} ${expected.length === 0 ? 'are valid' : 'are reported as errors'}`, () => {
      const own = analyzerNamed('own', {
        signals: { odd: signal({ group: 'house_rules' }), usual: signal({ group: 'hygiene' }) },
      })
      const given = { plugins: {}, groups: { ...DEFAULT_GROUPS, house_rules: 4, ...JSON.parse(groups) } }
      assert.deepEqual(
        registryOf([own], given).faults.map(({ path, message }) => [path, message]),
        expected,
      )
    })
  }
})
