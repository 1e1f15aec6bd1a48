import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_GROUPS, HYGIENE } from '../../../src/engine/scoring/groups.ts'
import {
  bySeverity,
  SERIOUS,
  SEVERITIES,
  type Severity,
  severityFault,
  severityOf,
} from '../../../src/engine/scoring/severity.ts'
import { verdict } from '../../../src/engine/scoring/verdict.ts'
import { shipped } from './evidence_engine.ts'

const known = [...shipped.analyzers, ...shipped.offered].flatMap(({ analyzer, signals }) =>
  Object.entries(signals).map(([id, signal]) => ({ id, analyzer: analyzer.name, ...signal })),
)
const signal = (weight: number, parts: { group?: string; floor?: number; severity?: Severity } = {}) => ({
  weight,
  group: 'network',
  title: 'A signal',
  ...parts,
})

describe('the severity of a signal that declares none', () => {
  const cases: [title: string, given: ReturnType<typeof signal>, severity: Severity][] = [
    ['is critical when its weight alone condemns', signal(71, { group: 'reputation' }), 'critical'],
    ['is critical when its floor condemns', signal(5, { floor: 71 }), 'critical'],
    ['is high when its weight alone makes a target suspicious', signal(31), 'high'],
    ['is high when its floor does', signal(0, { floor: 31 }), 'high'],
    ['is medium below that', signal(30), 'medium'],
    ['is medium from ten points', signal(10), 'medium'],
    ['is low below ten points', signal(9), 'low'],
    ['is low for a tenth of a point', signal(0.1), 'low'],
    ['is info for what costs nothing', signal(0), 'info'],
    ['is info for what takes points off', signal(-20, { group: 'trust' }), 'info'],
    ['is medium at most in hygiene', signal(90, { group: HYGIENE }), 'medium'],
    ['is what was declared otherwise', signal(90, { severity: 'low' }), 'low'],
  ]
  for (const [title, given, severity] of cases) it(title, () => assert.equal(severityOf(given), severity))

  it('is valid for the signal, for any weight, floor and group', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(DEFAULT_GROUPS)),
        fc.double({ min: -100, max: 100, noNaN: true }),
        fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
        (group, weight, floor) => {
          const given = signal(weight, { group, ...(floor === undefined || weight < 0 ? {} : { floor }) })
          assert.equal(severityFault({ ...given, severity: severityOf(given) }), null)
        },
      ),
    )
  })
})

describe('the severities of the shipped signals', () => {
  it('are valid for their group', () => {
    assert.ok(known.length >= 75)
    for (const one of known) assert.equal(severityFault(one), null, one.id)
  })

  it('are high or critical if a floor takes the target out of safe', () => {
    for (const { id, floor, severity } of known) {
      if (verdict(floor ?? 0) !== 'safe') assert.ok(SERIOUS.has(severity), id)
    }
  })
})

describe('the order by severity', () => {
  it('lists the most serious first, then most points, then by ID', () => {
    const given = SEVERITIES.flatMap(severity =>
      [0, 20, -5].flatMap(points => ['b', 'a'].map(id => ({ severity, points, id }))),
    )
    const told = [...given].sort(bySeverity).map(({ severity, points, id }) => `${severity} ${points} ${id}`)
    const expected = SEVERITIES.flatMap(severity =>
      [20, 0, -5].flatMap(points => ['a', 'b'].map(id => `${severity} ${points} ${id}`)),
    )
    assert.deepEqual(told, expected)
  })
})
