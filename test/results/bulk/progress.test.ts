import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { createProgress, createRate, duration, newTally, progressLine } from '../../../src/results/bulk/progress.ts'

describe('progress', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [59.4, '59 s'],
    [60, '1 min 0 s'],
    [3_599, '59 min 59 s'],
    [36_060, '10 h 1 min'],
  ] as const) {
    it(`writes ${seconds} seconds as ${text}`, () => assert.equal(duration(seconds), text))
  }

  it('shows progress, rate and remaining time', () => {
    const tally = { ...newTally(), lines: 2_000, duplicates: 100, settled: 200, written: 900 }
    Object.assign(tally.recommendations, { block: 3, review: 1_200, allow: 40 })
    const line = progressLine(tally, 100_000, { per_second: 12.34, left: 7_999 })
    assert.equal(line, '1 200 of 100 000 done, 12.3/s, 2 h 13 min left; 3 block, 1 200 review, 40 allow')
    assert.equal(
      progressLine({ ...tally, incomplete: 7, unavailable: 5 }, null, { per_second: 1, left: null }),
      '1 200 done, 1.0/s; 3 block, 1 200 review, 40 allow, 7 incomplete, 5 could not be checked',
    )
  })

  it('shows the rate of the last half minute', () => {
    const rate = createRate(1_000)
    for (let second = 0; second < 60; second++) rate(0, 0, second * 1_000)
    for (let second = 60; second <= 120; second++) rate((second - 60) * 10, (second - 60) * 10, second * 1_000)
    const { per_second, left } = rate(610, 610, 121_000)
    assert.ok(Math.abs(per_second - 10) < 0.5, `${per_second}/s`)
    assert.ok(left !== null && Math.abs(left - 39) < 3, `${left} s left`)
  })

  it('does not count targets of an earlier run in the rate', () => {
    const rate = createRate(1_000)
    rate(0, 0, 0)
    assert.equal(rate(10, 910, 1_000).per_second, 10)
  })

  it('draws a bar on a terminal and removes it at the end', async () => {
    let drawn = ''
    const screen = new Writable({
      write(chunk, _encoding, done) {
        drawn += chunk
        done()
      },
    })
    Object.assign(screen, { isTTY: true, columns: 100 })
    const tally = { ...newTally(), written: 50 }
    const progress = createProgress({ tally, total: 100, screen, write: assert.fail })
    progress.start()
    await pause(250)
    progress.stop()
    assert.match(stripVTControlCharacters(drawn), /█{10}░{10} 50 of 100 done/)
    assert.ok(!drawn.endsWith('\n'))
  })
})
