import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import reputation from '../../plugins/reputation/index.ts'
import { presentation } from '../../plugins/reputation/presentation.ts'
import type { Fact } from '../../src/engine/presentation/presentation.ts'
import type { FirstSeen } from '../../src/evidence/first_seen/facts.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { ipTarget } from '../evidence_of.ts'
import { NOTHING_SEEN, OPTIONS } from './reputation_unseen.ts'

const NOW = new Date('2026-11-20T12:00:00.250Z')
const SINCE = '2025-11-20T12:00:00Z'
const ADDRESS = ipTarget('192.0.2.1')

function judged(first_seen: FirstSeen | null, target = EXAMPLE, reason = 'not_configured') {
  const missing = first_seen === null ? { first_seen: { status: 'unavailable', reason } as const } : {}
  const finding = reputation.analyze({ ...NOTHING_SEEN, first_seen }, { target, now: NOW, options: OPTIONS, missing })
  assert.ok('section' in finding)
  return {
    at: finding.section.first_seen_at,
    signals: finding.signals,
    unknown: finding.unknown,
    section: finding.section,
  }
}

describe('reputation tells since when the target is known here', () => {
  it('as the time of its first check, without a signal', () => {
    const { at, signals, unknown } = judged({ at: '2026-11-01T08:00:00Z', since: SINCE })
    assert.deepEqual([at, signals, unknown], ['2026-11-01T08:00:00Z', [], null])
  })

  for (const [title, target, name] of [
    ['a name', EXAMPLE, 'example.com'],
    ['an address', ADDRESS, '192.0.2.1'],
  ] as const) {
    it(`as the time of this check for ${title} that was never checked, with a signal that says how far the record reaches`, () => {
      const { at, signals } = judged({ at: null, since: SINCE }, target)
      const detail = `This is the first check of ${name} on record. The record begins on 20 November 2025.`
      assert.deepEqual(at, '2026-11-20T12:00:00Z')
      assert.deepEqual(signals, [{ id: 'first_seen_here', detail, evidence: { since: SINCE } }])
    })
  }

  for (const [title, reason, unknown] of [
    ['without a history, which is no gap', 'not_configured', null],
    ['when the store does not answer, which is one', 'store_silent', 'first_seen_store_silent'],
  ] as const) {
    it(`as unknown ${title}`, () => {
      const found = judged(null, EXAMPLE, reason)
      assert.deepEqual([found.at, found.signals, found.unknown], [null, [], unknown])
    })
  }

  it('as the first check to people, of a result that is the first', () => {
    const { section } = judged({ at: null, since: SINCE })
    const shown = (checked_at: string) => {
      const described = presentation.describe?.(section, { domain: 'example.com', isWhole: true, checked_at })
      const find = (facts: readonly Fact[] = [], name: string) => facts.find(([label]) => label === name)?.[1]
      return [find(described?.facts, 'First checked here'), find(described?.card, 'First seen here')]
    }
    assert.deepEqual(shown('2026-11-20T12:00:00Z'), ['first check', 'first check'])
    assert.deepEqual(shown('2026-11-21T12:00:00Z'), ['20 November 2026', '20 November 2026'])
  })

  it('as a day to people, and not at all when it is unknown', () => {
    const shown = (first: FirstSeen | null) => {
      const described = presentation.describe?.(judged(first).section, { domain: 'example.com', isWhole: true })
      return described?.facts?.find(([label]) => label === 'First checked here')?.[1]
    }
    assert.deepEqual([shown({ at: '2026-11-01T08:00:00Z', since: SINCE }), shown(null)], ['1 November 2026', undefined])
  })
})
