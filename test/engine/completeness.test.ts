import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { SectionStatus } from '../../src/engine/analysis.ts'
import { completeness, type ResultClass } from '../../src/engine/completeness.ts'

type Seen = readonly [status: SectionStatus, reason: string | null, supplementary?: true]

const outcomesOf = (seen: readonly Seen[]) =>
  new Map(
    seen.map(
      ([status, reason, supplementary], i) =>
        [`section_${i}`, { status, reason, ...(supplementary && { supplementary }) }] as const,
    ),
  )

const WHOLE: Seen = ['completed', null]
const WITHHELD: Seen = ['completed', 'page_withheld']
const GONE: Seen = ['not_applicable', 'domain_not_found']
const SILENT: Seen = ['unavailable', 'resolver_timeout']
const ADDS_NOTHING: Seen = ['unavailable', 'timeout', true]
const NOT_HERE: Seen = ['unavailable', 'not_configured']

const healthy = () => false

describe('how complete a result is', () => {
  const cases: readonly (readonly [
    title: string,
    seen: readonly Seen[],
    complete: boolean,
    ratio: number,
    class_: ResultClass,
    healthy: ResultClass,
  ])[] = [
    ['nothing applies', [['not_applicable', 'ip_target']], true, 1, 'complete', 'complete'],
    ['all was seen', [WHOLE, WHOLE], true, 1, 'complete', 'complete'],
    ['a source is not configured', [WHOLE, NOT_HERE], true, 1, 'complete', 'complete'],
    ['a part was not configured', [['completed', 'location_not_configured']], true, 1, 'complete', 'complete'],
    ['the name does not exist', [WHOLE, GONE], true, 1, 'not_found', 'not_found'],
    ['a source of facts alone is silent', [WHOLE, ADDS_NOTHING], true, 1, 'withheld', 'withheld'],
    [
      'a source of facts alone is silent in part',
      [WHOLE, ['completed', 'name_servers_timeout', true]],
      true,
      1,
      'withheld',
      'withheld',
    ],
    [
      'a source of facts alone and the page are silent',
      [ADDS_NOTHING, ['unavailable', 'connect_timeout']],
      false,
      0,
      'incomplete',
      'withheld',
    ],
    [
      'a source of facts alone is not configured',
      [WHOLE, ['unavailable', 'not_configured', true]],
      true,
      1,
      'complete',
      'complete',
    ],
    ['a plugin of facts alone failed', [WHOLE, ['failed', 'threw', true]], false, 0.5, 'incomplete', 'incomplete'],
    ['the page is withheld', [WHOLE, WITHHELD], false, 0.75, 'withheld', 'withheld'],
    ['a list is silent for hours', [['completed', 'some_lists_silent']], false, 0.5, 'withheld', 'withheld'],
    ['a registry wants a rest', [WHOLE, ['unavailable', 'rdap_paused']], false, 0.5, 'withheld', 'withheld'],
    ['a list missed its time', [['completed', 'some_lists_unanswered']], false, 0.5, 'incomplete', 'incomplete'],
    ['name servers are silent', [WHOLE, SILENT], false, 0.5, 'incomplete', 'withheld'],
    ['a plugin failed', [WHOLE, ['failed', 'threw']], false, 0.5, 'incomplete', 'incomplete'],
    [
      'a page is withheld and a plugin failed',
      [WITHHELD, ['failed', 'threw']],
      false,
      0.25,
      'incomplete',
      'incomplete',
    ],
    [
      'the name is gone and a list is silent',
      [GONE, ['completed', 'list_paused']],
      false,
      0.5,
      'not_found',
      'not_found',
    ],
    ['the name is gone and we were late', [GONE, ['completed', 'loading']], false, 0.5, 'incomplete', 'incomplete'],
  ]
  for (const [title, seen, complete, ratio, class_, whenHealthy] of cases) {
    it(`when ${title}: ${class_}${whenHealthy === class_ ? '' : `, ${whenHealthy} while our instruments are healthy`}`, () => {
      assert.deepEqual(completeness(outcomesOf(seen)), { complete, ratio, class: class_ })
      assert.equal(completeness(outcomesOf(seen), healthy).class, whenHealthy)
    })
  }

  const anyOutcome = fc.constantFrom<Seen>(
    WHOLE,
    WITHHELD,
    GONE,
    SILENT,
    NOT_HERE,
    ['failed', 'threw'],
    ['completed', 'some_lists_silent'],
    ['unavailable', 'deadline'],
  )

  it('is consistent: complete, a ratio of 1 and the class agree', () => {
    fc.assert(
      fc.property(fc.array(anyOutcome, { minLength: 1, maxLength: 12 }), fc.boolean(), (seen, isOurs) => {
        const { complete, ratio, class: class_ } = completeness(outcomesOf(seen), () => isOurs)
        assert.equal(complete, ratio === 1)
        if (complete) assert.ok(class_ === 'complete' || class_ === 'not_found', class_)
        else assert.notEqual(class_, 'complete')
      }),
    )
  })

  it('is never cached longer because more is missing', () => {
    const lives: Readonly<Record<ResultClass, number>> = {
      complete: 3600,
      withheld: 600,
      not_found: 300,
      incomplete: 60,
    }
    fc.assert(
      fc.property(fc.array(anyOutcome, { maxLength: 12 }), anyOutcome, fc.boolean(), (seen, more, isOurs) => {
        const lifeOf = (some: readonly Seen[]) => lives[completeness(outcomesOf(some), () => isOurs).class]
        assert.ok(lifeOf([...seen, more]) <= lifeOf(seen))
      }),
    )
  })
})
