import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pickExamples } from '../../../lab/training/examples.ts'
import type { Kind, LabelledName } from '../../../lab/training/lists.ts'
import { createRandom } from '../../../lab/training/random.ts'
import { splitName } from '../../../src/evidence/name_score/facts.ts'

const parts = splitName('example.com')
const list = (length: number, kind: Kind, source: string): LabelledName[] =>
  Array.from({ length }, () => ({ parts, kind, source }))

const names = [
  ...list(1_600, 'benign', 'long'),
  ...list(100, 'benign', 'short'),
  ...list(1, 'benign', 'very short'),
  ...list(100, 'phishing', 'feed'),
  ...list(60, 'dga', 'family'),
  ...list(40, 'dga', 'other family'),
]
const whole = { names, shares: new Float32Array(names.length).fill(1), random: createRandom(1) }

describe('the examples of the trees', () => {
  const { rows, answers, weights } = pickExamples(whole, names.length)
  const weightOf = (source: string) => weights[rows.findIndex(row => names[row]?.source === source)] ?? 0
  const parted = (a: string, b: string) => Number((weightOf(a) / weightOf(b)).toFixed(3))

  it('weigh the same on both sides, all of them as many as they are', () => {
    const sum = (answer: number) =>
      weights.reduce((all, weight, at) => (answers[at] === answer ? all + weight : all), 0)
    assert.deepEqual([Math.round(sum(0) * 10), Math.round(sum(1) * 10)], [names.length * 5, names.length * 5])
  })

  it('weigh less each the longer their list is', () => assert.equal(parted('long', 'short'), 0.5))

  it('of next to nothing of a list weigh as those of a four-hundredth of all', () => {
    assert.equal(parted('very short', 'long'), 4.284)
  })

  it('of generators weigh as those of one list', () => {
    assert.equal(parted('family', 'feed'), 1)
    assert.equal(parted('family', 'other family'), 1)
  })

  it('are fewer where fewer are asked for', () => {
    const { rows: some } = pickExamples(whole, names.length / 4)
    assert.ok(some.length > names.length / 6 && some.length < names.length / 3, `${some.length}`)
  })
})
