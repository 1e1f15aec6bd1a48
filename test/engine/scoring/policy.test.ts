import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { POLICY } from '../../../src/engine/scoring/policy.ts'
import { digestOf, type PolicyTable, shippedTable } from './policy_table.ts'

describe('the name of the scoring policy', () => {
  it('matches the current signals and groups', () => {
    assert.equal(
      digestOf(shippedTable()),
      POLICY.digest,
      `A weight, floor, severity, group or ceiling changed, but the policy is still called ${POLICY.name}. Run \`npm run policy\`, then \`npm run golden\`.`,
    )
  })

  const table = shippedTable()
  const [first] = Object.entries(table.signals)
  assert.ok(first)
  const [id, signal] = first
  const withSignal = (change: object): PolicyTable => ({
    ...table,
    signals: { ...table.signals, [id]: { ...signal, ...change } },
  })
  const changed: readonly (readonly [title: string, table: PolicyTable])[] = [
    ['a weight', withSignal({ weight: signal.weight + 1 })],
    ['a floor', withSignal({ floor: 99 })],
    ['a group', withSignal({ group: 'other' })],
    ['a severity', withSignal({ severity: signal.severity === 'info' ? 'low' : 'info' })],
    ['a ceiling', { ...table, groups: { ...table.groups, hygiene: 16 } }],
    ['a new signal', { ...table, signals: { ...table.signals, unheard_of: signal } }],
    ['a new group', { ...table, groups: { ...table.groups, other: 1 } }],
  ]
  for (const [title, other] of changed) {
    it(`changes with ${title}`, () => assert.notEqual(digestOf(other), digestOf(table)))
  }

  it('does not change with a title or with the order of signals', () => {
    const { signals } = withSignal({ title: 'Other words' })
    const reordered = Object.fromEntries(Object.entries(signals).reverse())
    assert.equal(digestOf({ ...table, signals: reordered }), digestOf(table))
  })
})
