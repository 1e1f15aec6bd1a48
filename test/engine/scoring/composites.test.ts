import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DEFAULT_COMPOSITES, findComposites } from '../../../src/engine/scoring/composites.ts'
import type { WeighedSignal } from '../../../src/engine/scoring/scored.ts'

const found = (id: string, strength?: number): WeighedSignal => ({
  section: 'lab',
  definition: { weight: 1, group: 'content', title: id, severity: 'low' },
  signal: strength === undefined ? { id } : { id, strength },
})

const cases = [
  { title: 'are none by a page alone', signals: [found('phishing_page')], ids: [] },
  {
    title: 'join a page and a look-alike',
    signals: [found('lookalike_domain', 0.5), found('resembles_phishing_page')],
    ids: ['phishing_under_lookalike'],
  },
  {
    title: 'do not join a page and a brand’s word under another ordinary suffix, which is mostly the owner’s',
    signals: [found('lookalike_domain', 0.2), found('resembles_phishing_page'), found('parked_domain')],
    ids: [],
  },
  {
    title: 'join a page that no benign one is like and a new domain',
    signals: [found('phishing_page', 1), found('newly_registered_domain', 1)],
    ids: ['phishing_on_new_domain'],
  },
  {
    title: 'do not join a page that is only likely and a new domain',
    signals: [found('phishing_page', 0.9), found('newly_registered_domain', 1)],
    ids: [],
  },
  {
    title: 'do not join a page and a domain of some months',
    signals: [found('phishing_page', 1), found('newly_registered_domain', 0.5)],
    ids: [],
  },
  {
    title: 'join a page and a host where anyone can publish',
    signals: [found('password_form_on_free_hosting'), found('resembles_phishing_page')],
    ids: ['phishing_on_free_hosting'],
  },
  {
    title: 'join a brand and a page built as kits are',
    signals: [found('phishing_page'), found('impersonated_brand')],
    ids: ['impersonation_by_kit'],
  },
  {
    title: 'join a brand and a new domain, whatever the page is like',
    signals: [found('phishing_page', 0.9), found('impersonated_brand'), found('newly_registered_domain')],
    ids: ['impersonation_on_new_domain'],
  },
] as const

describe('composites', () => {
  for (const { title, signals, ids } of cases) {
    it(title, () => {
      const joined = findComposites(signals, DEFAULT_COMPOSITES)
      assert.deepEqual(
        joined.map(one => one.signal.id),
        ids,
      )
    })
  }

  it('list their signals', () => {
    const [joined] = findComposites([found('lookalike_domain'), found('phishing_page')], DEFAULT_COMPOSITES)
    assert.deepEqual(joined?.signal.evidence, { signals: ['lookalike_domain', 'phishing_page'] })
    assert.equal(joined?.definition.floor, 71)
  })
})
