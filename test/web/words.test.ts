// Has the page words for everything the service may say?
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../../src/scoring/groups.ts'
import { advice } from '../../src/web/advice.js'
import { reasonWords, statusWords, unseen } from '../../src/web/reasons.js'
import { sectionOf, tell } from '../../src/web/sections/index.js'

const RESULTS = resolve(import.meta.dirname, '../golden/results')
const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const enabled = registry.analyzers.filter(one => one.enabled).map(({ analyzer }) => analyzer.name)
const results = readdirSync(RESULTS).map(file => ({
  file,
  result: JSON.parse(readFileSync(join(RESULTS, file), 'utf8')) as Record<string, unknown>,
}))

describe('the page’s words', () => {
  it('give advice for every built-in signal', () => {
    const ids = registry.analyzers.flatMap(({ analyzer }) => Object.keys(analyzer.signals))
    const without = ids.filter(id => !Object.hasOwn(advice, id))
    assert.deepEqual(without, [])
  })

  for (const name of enabled) {
    it(`tell ${name} whatever was found`, () => {
      const section = sectionOf(name)
      assert.notEqual(section.looks, sectionOf('a_plugin_of_ones_own').looks)
      for (const { file, result } of results) {
        if (result[name] == null) continue
        const { summary, facts } = section.tell(result[name])
        const text = summary.map(part => (typeof part === 'string' ? part : part.text)).join('')
        assert.match(text, /\.$/, file)
        assert.doesNotMatch(text, /undefined|null|NaN|\[object/, file)
        assert.ok(
          facts.every(([label, value]) => label !== '' && value !== undefined),
          file,
        )
      }
    })
  }

  it('tell a section they do not know field by field', () => {
    const { title, tell } = sectionOf('own_section')
    assert.equal(title, 'Own section')
    const facts = [
      ['A field', { text: 'x' }],
      ['Many', ['a', '{"b":1}']],
      ['None', null],
      ['Deep', { text: '{"c":true}' }],
    ]
    assert.deepEqual(tell({ a_field: 'x', many: ['a', { b: 1 }], none: null, deep: { c: true } }).facts, facts)
  })

  it('tell a section of another shape than they know field by field', () => {
    assert.deepEqual(tell('ssl_info', { own_field: 1 }).facts, [['Own field', 1]])
  })

  it('do not take a property of every object for a section or a reason', () => {
    assert.equal(sectionOf('constructor').title, 'Constructor')
    assert.equal(reasonWords({ status: 'unavailable', reason: 'toString', duration_ms: 0 }), 'toString')
  })
})

describe('what could not be seen', () => {
  const one = (status: 'completed' | 'not_applicable' | 'unavailable' | 'failed', reason: string | null) => ({
    status,
    reason,
    duration_ms: 0,
  })

  it('comes first where it leaves something unknown', () => {
    const sections = {
      a: one('not_applicable', 'ip_target'),
      b: one('completed', null),
      c: one('unavailable', 'connect_timeout'),
      d: one('completed', 'no_list_answered'),
    }
    assert.deepEqual(
      unseen(sections).map(([name]) => name),
      ['c', 'd', 'a'],
    )
  })

  it('is never called good', () => {
    const told = [
      one('unavailable', 'servfail'),
      one('failed', 'threw'),
      one('not_applicable', null),
      one('completed', 'x_y'),
    ]
    assert.deepEqual(told.map(statusWords), [
      'Could not be seen',
      'Lost by a fault of ours',
      'Nothing there to look at',
      'Seen in part',
    ])
    assert.deepEqual(told.map(reasonWords), [
      'the domain’s name servers gave no usable answer',
      'a plugin of this service broke',
      null,
      'x y',
    ])
  })
})
