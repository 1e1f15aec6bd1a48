// Which members of a result are answered.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../../src/engine/scoring/groups.ts'
import { type AskedSelection, createSelector } from '../../src/engine/selection.ts'

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const selector = createSelector(registry)
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../golden/results/static.json'), 'utf8'))
const whole = { ...golden, process_time_ms: 1, cached: false }

function selected(asked: AskedSelection, result = whole): Record<string, unknown> {
  const selection = selector.selection(asked) ?? assert.fail('nothing is selected')
  return selection.ok ? selection.select(result) : assert.fail(selection.fault)
}

const { title, description } = whole.content_analysis
const REFERENCE = { $ref: '#/content_analysis' }

const fields: readonly (readonly [fields: string | readonly string[], answered: object])[] = [
  ['risk_score,recommendation', { risk_score: whole.risk_score, recommendation: whole.recommendation }],
  [['domain', 'url'], { domain: whole.domain, url: null }],
  ['ssl_info.issuer', { ssl_info: { issuer: whole.ssl_info.issuer } }],
  ['ssl_info.issuer,ssl_info', { ssl_info: whole.ssl_info }],
  ['ssl_info,ssl_info.issuer', { ssl_info: whole.ssl_info }],
  ['signal_details.id', { signal_details: whole.signal_details.map(({ id }: { id: string }) => ({ id })) }],
  ['coverage.sections.cookies.status', { coverage: { sections: { cookies: { status: 'completed' } } } }],
  ['signal_details.evidence.no_such', { signal_details: whole.signal_details.map(() => ({ evidence: {} })) }],
  ['site_content.title', { site_content: { title } }],
  ['content_analysis.title,site_content', { content_analysis: whole.content_analysis, site_content: REFERENCE }],
  [
    'site_content.title,content_analysis.description',
    { content_analysis: { title, description }, site_content: REFERENCE },
  ],
]

const unknown: readonly (readonly [asked: AskedSelection, fault: string | RegExp])[] = [
  [{ fields: 'recomendation' }, 'There is no field recomendation; did you mean "recommendation"?'],
  [{ fields: 'issuer' }, 'There is no field issuer; did you mean "ssl_info.issuer"?'],
  [{ fields: 'ssl' }, 'There is no field ssl; did you mean "ssl_info"?'],
  [{ fields: 'ssl_info.isuer' }, 'ssl_info has no field isuer; did you mean "issuer"?'],
  [{ fields: 'ssl_info.colour' }, /^ssl_info has no field colour\. Its fields are valid, /],
  [{ fields: 'verdict.text' }, 'verdict has no field text.'],
  [{ fields: 'colour' }, 'There is no field colour.'],
  [{ fields: '__proto__' }, 'There is no field __proto__.'],
  [{ fields: 'constructor.name' }, 'There is no field constructor.'],
  [{ fields: '\u001b[2J' }, 'There is no field [2J.'],
  [{ fields: 'domain,' }, 'The name of a field is empty.'],
  [{ fields: 'domain,'.repeat(64) }, 'More than 64 fields are selected.'],
  [{ sections: 'cookie' }, 'There is no section cookie; did you mean "cookies"?'],
  [{ sections: 'risk_score' }, 'There is no section risk_score.'],
  [{ sections: 'cookies', fields: 'ssl_info.issuer' }, 'The field ssl_info is not in the selected sections.'],
]

describe('a selection', () => {
  for (const [asked, answered] of fields)
    it(`of the fields ${asked} answers these`, () => assert.deepEqual(selected({ fields: asked }), answered))

  for (const [asked, fault] of unknown)
    it(`${JSON.stringify(asked).slice(0, 60)} is refused`, () => {
      const selection = selector.selection(asked)
      assert.ok(selection !== null && !selection.ok, 'refused')
      if (typeof fault === 'string') assert.equal(selection.fault, fault)
      else assert.match(selection.fault, fault)
    })

  it('of nothing is none', () => assert.equal(selector.selection({}), null))

  it('of sections has these, their coverage and signals, and the score of the whole check', () => {
    const { coverage, signal_details, risk_score, ...rest } = selected({ sections: 'cookies,site_content' })
    assert.deepEqual(
      ['cookies', 'site_content', 'content_analysis', 'ssl_info'].filter(name => name in rest),
      ['cookies', 'site_content'],
    )
    assert.deepEqual(Object.keys((coverage as typeof whole.coverage).sections).sort(), ['content_analysis', 'cookies'])
    const sections = (signal_details as typeof whole.signal_details).map(({ section }: { section: string }) => section)
    assert.ok(sections.every((section: string) => ['content_analysis', 'cookies'].includes(section)))
    assert.equal(risk_score, whole.risk_score)
  })

  it('answers an object with two names once', () => {
    const { site_content } = selected({ sections: 'content_analysis,site_content' })
    assert.deepEqual(site_content, REFERENCE)
  })

  it('never leaves out that a result is stale', () =>
    assert.deepEqual(selected({ fields: 'verdict' }, { ...whole, stale: true }), {
      verdict: whole.verdict,
      stale: true,
    }))

  it('keeps null for a section that there is not', () =>
    assert.deepEqual(selected({ fields: 'ssl_info.issuer' }, { ...whole, ssl_info: null }), { ssl_info: null }))
})
