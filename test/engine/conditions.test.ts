import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { raise, type Signals } from '../../src/engine/conditions.ts'

const common = { weight: 1, group: 'identity', title: 'A title', advice: null } as const

const signals = {
  long_name: {
    ...common,
    when: name => name.length > 10 && { detail: `${name} is long.`, strength: 0.5, evidence: { name } },
  },
  numbered_name: { ...common, when: name => (/\d/.test(name) ? {} : null) },
  odd_name: { ...common, when: name => (name.startsWith('x') ? { threat_types: ['spam'] } : undefined) },
  raised_elsewhere: common,
} satisfies Signals<string>

describe('raise', () => {
  const cases: readonly (readonly [title: string, name: string, raised: ReturnType<typeof raise>])[] = [
    ['finds nothing where no condition holds', 'shop.com', []],
    ['says what the condition says', 'a-long-name.com', [long('a-long-name.com')]],
    [
      'finds all that hold, in the order of their declaration',
      'x1-long-name.com',
      [long('x1-long-name.com'), { id: 'numbered_name' }, { id: 'odd_name', threat_types: ['spam'] }],
    ],
  ]
  for (const [title, name, raised] of cases) it(title, () => assert.deepEqual(raise(signals, name), raised))
})

function long(name: string) {
  return { id: 'long_name', detail: `${name} is long.`, strength: 0.5, evidence: { name } }
}
