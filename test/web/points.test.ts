// Points and ranges as the page writes them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { VERDICT_FROM } from '../../src/engine/scoring/verdict.ts'
import { ranges, signed } from '../../src/web/points.js'

it('the ranges cover 0 to 100 without a gap', () => {
  assert.deepEqual(ranges(VERDICT_FROM), [
    { verdict: 'safe', least: 0, most: 30 },
    { verdict: 'suspicious', least: 31, most: 70 },
    { verdict: 'malicious', least: 71, most: 100 },
  ])
})

it('negative points have a real minus sign', () => {
  assert.deepEqual([12, -3, 0, 7.5].map(signed), ['+12', '−3', '0', '+7.5'])
})
