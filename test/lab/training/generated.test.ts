import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generatedNames } from '../../../lab/training/generated.ts'
import type { LabelledName } from '../../../lab/training/lists.ts'
import { createRandom } from '../../../lab/training/random.ts'
import { splitName } from '../../../src/evidence/name_score/facts.ts'

const benign = (host: string): LabelledName => ({ parts: splitName(host), kind: 'benign', source: 'list' })

/** `garden` and `river` are words; what is seen once is none. */
const honest = Array.from({ length: 5 }, (_, index) => benign(`garden-river-once${index}x.com`))
const families = { families: 60, size: 40 }
const generated = generatedNames(honest, families, createRandom(1))
const labels = generated.map(({ parts }) => parts.label)

describe('generated names of our own making', () => {
  it('are as many as asked for, and taught as generated', () => {
    assert.equal(generated.length, 60 * 40)
    assert.deepEqual(new Set(generated.map(({ kind }) => kind)), new Set(['dga']))
    assert.equal(new Set(generated.map(({ source }) => source)).size, 60)
  })

  it('are labels that can be registered', () => {
    assert.deepEqual(
      labels.filter(label => !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)),
      [],
    )
  })

  const styles: readonly [string, RegExp][] = [
    ['letters without a vowel', /^[b-df-hj-np-tv-z]{12,}$/],
    ['letters and digits', /^(?=.*[a-z].*[0-9].*[a-z])[a-z0-9]{12,}$/],
    ['syllables', /^(?:[b-df-hj-np-tv-z][aeiou]){4,}$/],
    ['chains of words', /^(?:garden|river){2,3}$/],
  ]
  for (const [title, style] of styles) {
    it(`are of ${title}, among others`, () => assert.ok(labels.some(label => style.test(label))))
  }

  it('are words with some characters changed, among others', () => {
    const near = (label: string) => [...'gardenriver'].filter((letter, at) => letter !== label[at]).length
    assert.ok(labels.some(label => label.length === 11 && near(label) > 0 && near(label) <= 3))
  })

  it('come out the same again, and other ones by another seed', () => {
    assert.deepEqual(generatedNames(honest, families, createRandom(1)), generated)
    assert.notDeepEqual(generatedNames(honest, families, createRandom(2)), generated)
  })

  it('are none where there are no words to take', () => {
    assert.deepEqual(generatedNames([benign('example.com')], families, createRandom(1)), [])
  })
})
