// The model behind `npm run bench -- scale`, against what queueing theory gives exactly.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { simulate } from '../../bench/fleet_model.ts'

const at = (ms: number) => ({ at: 0, ms })
const exponential = (mean: number, random: () => number) => -mean * Math.log(1 - random())

/** Erlang's C formula: the probability of waiting at `servers` servers that are offered `load`. */
function erlangC(servers: number, load: number): number {
  let term = 1
  let sum = 1
  for (let n = 1; n < servers; n++) {
    term *= load / n
    sum += term
  }
  const last = ((term * load) / servers) * (servers / (servers - load))
  return last / (sum + last)
}

describe('the queueing model', () => {
  const queues: readonly (readonly [title: string, servers: number, per_second: number, ms: number])[] = [
    ['one server, half taken', 1, 50, 10],
    ['one server, four fifths taken', 1, 80, 10],
    ['eight servers, three quarters taken', 8, 60, 100],
  ]
  for (const [title, servers, per_second, ms] of queues) {
    it(`waits as long as an M/M/c queue does: ${title}`, () => {
      const load = (per_second * ms) / 1_000
      const [found] = simulate({
        ...{ stations: [{ name: 'one', servers }], per_second, requests: 200_000, seed: 7 },
        next: random => ({ steps: [at(exponential(ms, random))] }),
      })
      const expected = (erlangC(servers, load) * ms) / (servers - load)
      assert.ok(Math.abs((found?.taken ?? 0) - load / servers) < 0.01, `taken ${found?.taken}`)
      assert.ok(Math.abs((found?.mean_wait_ms ?? 0) / expected - 1) < 0.08, `${found?.mean_wait_ms} for ${expected}`)
    })
  }

  it('waits as long as an M/D/1 queue does', () => {
    const [found] = simulate({
      ...{ stations: [{ name: 'one', servers: 1 }], per_second: 70, requests: 200_000, seed: 3 },
      next: () => ({ steps: [at(10)] }),
    })
    // Pollaczek and Khinchine.
    const expected = (0.7 * 10) / (2 * 0.3)
    assert.ok(Math.abs((found?.mean_wait_ms ?? 0) / expected - 1) < 0.05, `${found?.mean_wait_ms} for ${expected}`)
  })

  it('keeps a place until it is left, and lets those give up that wait too long', () => {
    const [slots] = simulate({
      stations: [{ name: 'slots', servers: 2, patience_ms: 100 }],
      ...{ per_second: 40, requests: 20_000, seed: 1 },
      next: () => ({ steps: [{ enter: 0 }, { ms: 100 }, { leave: 0 }] }),
    })
    // Two slots of 100 ms serve 20 a second, so that half of 40 cannot be served.
    assert.ok((slots?.taken ?? 0) > 0.98)
    assert.ok(Math.abs((slots?.gave_up ?? 0) - 0.5) < 0.02, `${slots?.gave_up}`)
  })

  it('gives the same outcome for the same seed', () => {
    const run = (seed: number) =>
      simulate({
        ...{ stations: [{ name: 'one', servers: 1 }], per_second: 50, requests: 1_000, seed },
        next: random => ({ steps: [at(exponential(10, random))], beside: [{ ms: 5 }] }),
      })
    assert.deepEqual(run(5), run(5))
    assert.notDeepEqual(run(5), run(6))
  })
})
