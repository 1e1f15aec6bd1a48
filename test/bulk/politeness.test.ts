import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPoliteness } from '../../src/bulk/polite_queue.ts'
import { targetOf } from './run_lab.ts'

const limits = { at_once: 2, pause_ms: 100 }

describe('politeness', () => {
  it('starts two checks of a registrable domain at once, with a pause', () => {
    const politeness = createPoliteness(limits)
    const [a, b, c] = ['a.example.com', 'b.example.com', 'example.com'].map(targetOf)
    assert.ok(a && b && c)
    politeness.start(a, 0)
    assert.equal(politeness.freeAt(b), 100)
    politeness.start(b, 100)
    assert.equal(politeness.freeAt(c), Number.POSITIVE_INFINITY)
    politeness.end(a, 120)
    assert.equal(politeness.freeAt(c), 200)
  })

  const apart: readonly (readonly [string, string, string])[] = [
    ['registrable domains', 'example.com', 'example.org'],
    ['domains under one public suffix', 'a.co.uk', 'b.co.uk'],
    ['addresses', '9.9.9.9', '9.9.9.10'],
  ]
  for (const [what, one, other] of apart) {
    it(`limits ${what} separately`, () => {
      const politeness = createPoliteness(limits)
      politeness.start(targetOf(one), 0)
      politeness.start(targetOf(one), 0)
      assert.equal(politeness.freeAt(targetOf(other)), 0)
    })
  }

  it('gives each site of a shared platform its own limits, and the platform four times as much', () => {
    const politeness = createPoliteness(limits)
    const site = (i: number) => targetOf(`site${i}.github.io`)
    politeness.start(site(0), 0)
    assert.deepEqual([politeness.freeAt(site(0)), politeness.freeAt(site(1))], [100, 25])
    for (let i = 1; i < 8; i++) politeness.start(site(i), i * 25)
    assert.equal(politeness.freeAt(site(8)), Number.POSITIVE_INFINITY)
    politeness.end(site(3), 300)
    assert.equal(politeness.freeAt(site(8)), 200)
  })

  it('forgets idle domains', () => {
    const politeness = createPoliteness(limits)
    for (let i = 0; i < 10_240; i++) {
      const target = targetOf(`n${i}.org`)
      politeness.start(target, i)
      politeness.end(target, i)
    }
    assert.ok(politeness.size <= 1_024 + 100, `${politeness.size} lanes`)
  })
})
