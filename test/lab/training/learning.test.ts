import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { binTable } from '../../../lab/training/bins.ts'
import { type BoostingOptions, trainForest } from '../../../lab/training/boosting.ts'
import { calibrate } from '../../../lab/training/calibrate.ts'
import { quantize } from '../../../lab/training/fit.ts'
import { tabulateGrams } from '../../../lab/training/gram_table.ts'
import type { Kind } from '../../../lab/training/lists.ts'
import { areaUnderCurve, shareAbove, thresholdAt } from '../../../lab/training/metrics.ts'
import { createRandom, shuffle } from '../../../lab/training/random.ts'
import { trainRegressions } from '../../../lab/training/regression.ts'
import type { ScoredName } from '../../../lab/training/scored.ts'
import { splitName, suffixClasses } from '../../../src/evidence/name_score/facts.ts'
import { createGrams } from '../../../src/evidence/name_score/logits.ts'
import { askForest, packForest } from '../../../src/evidence/name_score/name_model.ts'

describe('the measures', () => {
  const positives = Float32Array.of(3, 2, 1)
  const negatives = Float32Array.of(2, 0, 0, -1)

  it('count the pairs in the right order, ties half', () => {
    assert.equal(areaUnderCurve(positives, negatives), 10.5 / 12)
  })

  it('put the threshold where no more of the negatives exceed it', () => {
    assert.deepEqual(
      [0, 0.25, 0.5].map(rate => thresholdAt(negatives, rate)),
      [2, 0, 0],
    )
    assert.equal(shareAbove(positives, 1), 2 / 3)
  })
})

describe('chance', () => {
  it('repeats itself with the same seed and not with another', () => {
    const draw = (seed: number) => Array.from({ length: 5 }, createRandom(seed))
    assert.deepEqual(draw(7), draw(7))
    assert.notDeepEqual(draw(7), draw(8))
    assert.ok(draw(0).every(value => value >= 0 && value < 1))
  })

  it('shuffles without losing any', () => {
    const values = Uint32Array.from({ length: 100 }, (_, index) => index)
    shuffle(values, createRandom(1))
    assert.notDeepEqual([...values.slice(0, 5)], [0, 1, 2, 3, 4])
    assert.deepEqual(
      [...values].sort((a, b) => a - b),
      [...Array(100).keys()],
    )
  })
})

describe('bins', () => {
  it('keep the order of the values, and few values apart', () => {
    const { bins, edges } = binTable({ width: 2, values: Float32Array.of(5, 1, -3, 1, 5, 2, 0, 1) })
    assert.deepEqual([...bins], [2, 0, 0, 0, 2, 1, 1, 0])
    assert.deepEqual(
      edges.map(one => [...one]),
      [
        [-3, 0, 5],
        [1, 2],
      ],
    )
  })
})

describe('boosted trees', () => {
  const rows = 4_000
  const random = createRandom(3)
  const values = Float32Array.from({ length: rows * 3 }, random)
  /** What no single feature tells: that the first two are on different sides. */
  const answers = Uint8Array.from({ length: rows }, (_, row) =>
    (values[row * 3] ?? 0) > 0.5 !== (values[row * 3 + 1] ?? 0) > 0.3 ? 1 : 0,
  )
  const options = (): BoostingOptions => ({
    trees: 30,
    leaves: 8,
    rate: 0.3,
    lambda: 1,
    leastWeight: 1,
    rowShare: 0.8,
    featureShare: 1,
    random: createRandom(5),
  })
  const examples = { width: 3, values, answers, weights: new Float32Array(rows).fill(1) }
  const forest = trainForest(examples, options())
  const packed = packForest(forest)

  it('learn what only two features together tell', () => {
    const shares = new Float64Array(3)
    const ask = (...row: number[]) => askForest(packed, Float32Array.from(row), shares)
    assert.ok(Math.min(ask(0.9, 0.1, 0.5), ask(0.1, 0.9, 0.5)) > 2)
    assert.ok(Math.max(ask(0.9, 0.9, 0.5), ask(0.1, 0.1, 0.5)) < -2)
    assert.ok(Math.abs(shares[2] ?? 0) < 0.5)
  })

  it('come out the same again', () => {
    assert.deepEqual(trainForest(examples, options()), forest)
  })
})

describe('regressions over n-grams', () => {
  const hosts = ['garden-tools.com', 'river-walks.org', 'login-secure.xyz', 'secure-verify.top']
  const names = hosts.map(host => ({ parts: splitName(host), kind: 'benign' as const, source: '' }))
  const lessons = [
    [-1, -1],
    [-1, -1],
    [1, 0],
    [1, 1],
  ]
  const grams = createGrams(12)
  const train = (shrink: number) =>
    trainRegressions({
      table: tabulateGrams(names, 14),
      bits: 12,
      aims: 2,
      epochs: 20,
      rate: 0.3,
      shrink,
      random: createRandom(1),
      lessonOf: row => lessons[row] ?? [],
      rows: () => Uint32Array.of(0, 1, 2, 3),
    })
  const weights = train(0)
  const lean = (host: string, aim: number) => {
    grams.read(splitName(host))
    return grams.buckets.subarray(0, grams.ends[2]).reduce((sum, bucket) => sum + (weights[bucket * 2 + aim] ?? 0), 0)
  }

  it('lean to what they were taught, for names they have not seen', () => {
    assert.ok(lean('secure-login.xyz', 0) > 1 && lean('garden-walks.com', 0) < -1)
  })

  it('read the n-grams that the model reads', () => {
    const { starts, buckets } = tabulateGrams(names, 12)
    names.forEach(({ parts }, row) => {
      grams.read(parts)
      assert.deepEqual(buckets.slice(starts[row], starts[row + 1]), grams.buckets.slice(0, grams.ends[2]))
    })
  })

  it('lean less the more their weights are shrunk', () => {
    const size = (all: Float32Array) => all.reduce((sum, weight) => sum + Math.abs(weight), 0)
    assert.ok(size(train(0.1)) < 0.9 * size(weights))
  })

  it('do not learn from rows that teach an aim nothing', () => {
    assert.ok(lean('login.xyz', 1) < lean('verify.top', 1) / 2)
  })
})

describe('whole steps', () => {
  it('are weights within half a step, and outliers are cut', () => {
    const weights = Float32Array.from({ length: 2_000 }, (_, at) => (at % 2 === 0 ? 0.1 : ((at % 7) - 3) / 3))
    weights[1] = 1_000
    const { weights: whole, steps } = quantize(weights, 2, 64)
    assert.equal(whole[1], 127)
    assert.ok(Math.abs((whole[0] ?? 0) * (steps[0] ?? 0) - 0.1) <= (steps[0] ?? 0) / 2)
  })
})

describe('calibration', () => {
  const benign = Float32Array.from({ length: 10_000 }, (_, index) => index / 1_000)
  const malicious = Float32Array.from({ length: 500 }, (_, index) => 5 + index / 50)
  const scored = (odds: Float32Array, kind: Kind, host: string): ScoredName[] =>
    Array.from(odds, one => ({ parts: splitName(host), kind, source: 'list', held: false, odds: one }))
  const tenants = [
    ...scored(
      benign.map(odds => odds / 2),
      'benign',
      'a.github.io',
    ),
    ...scored(malicious, 'phishing', 'b.github.io'),
  ]
  const names = [...scored(malicious, 'phishing', 'a.com'), ...scored(benign, 'benign', 'b.com')]
  const { thresholds, balance } = calibrate(names, [])

  it('puts one benign name in ten over 50 and one in a hundred over 90', () => {
    const over = (score: number) => shareAbove(benign, thresholds[score - 1] ?? 0)
    assert.deepEqual([over(50), over(90), over(97)], [0.1, 0.01, 0.001])
  })

  it('does the same for each class of suffix, for tenants by made-up ones too where those look worse', () => {
    const over = (odds: Float32Array, by: Float32Array, place: number) => shareAbove(odds, by[place * 100 + 89] ?? 0)
    const madeUp = scored(
      benign.map(odds => odds * 0.75),
      'benign',
      'c.github.io',
    )
    const { classThresholds } = calibrate([...names, ...tenants], madeUp)
    const tenant = suffixClasses.indexOf('tenant')
    assert.equal(over(benign, classThresholds, suffixClasses.indexOf('ordinary')), 0.01)
    assert.equal(
      over(
        benign.map(odds => odds * 0.75),
        classThresholds,
        tenant,
      ),
      0.01,
    )
    assert.equal(
      over(
        benign.map(odds => odds / 2),
        classThresholds,
        tenant,
      ),
      0,
    )
  })

  it('makes even odds of what is as likely on both sides', () => {
    const [slope = 0, intercept = 0] = balance
    const probability = (odds: number) => 1 / (1 + Math.exp(-(slope * odds + intercept)))
    assert.ok(slope > 0 && probability(2) < 0.2 && probability(14) > 0.95)
    const mean = (values: Float32Array) => values.reduce((sum, odds) => sum + probability(odds), 0) / values.length
    assert.ok(Math.abs(mean(benign) + mean(malicious) - 1) < 1e-3)
  })
})
