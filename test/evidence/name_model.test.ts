import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { NotApplicable } from '../../src/evidence/facts.ts'
import { benignShareAt, scoreOf } from '../../src/evidence/name_score/facts.ts'
import { featureNames, traitsOf } from '../../src/evidence/name_score/features.ts'
import createNameScoreGatherer from '../../src/evidence/name_score/gather.ts'
import { decodeModel, encodeModel, expandModel, UnusableModel } from '../../src/evidence/name_score/model_file.ts'
import {
  askForest,
  createNameModel,
  packForest,
  shippedModelPath,
  shippedNameModel,
} from '../../src/evidence/name_score/name_model.ts'
import { domainTarget, ipTarget } from '../evidence_of.ts'
import { tinyModel } from './tiny_name_model.ts'

describe('the trees', () => {
  /** x0 <= 1 ? -1 : (x1 <= 5 ? 0.5 : 2), and a second tree that is a leaf. */
  const forest = packForest({
    roots: Uint32Array.of(0, 5),
    features: Uint8Array.of(0, 0, 1, 0, 0, 0),
    splits: Float32Array.of(1, 0, 5, 0, 0, 0),
    lefts: Uint32Array.of(1, 0, 3, 0, 0, 0),
    odds: Float32Array.of(0.25, -1, 1, 0.5, 2, 0.125),
  })
  const rows: readonly [string, number[], number, number[]][] = [
    ['take a value up to the split to the left', [1, 9], -0.875, [-1.25, 0]],
    ['take a greater one to the right', [1.5, 5], 0.625, [0.75, -0.5]],
    ['ask on where there is another question', [2, 6], 2.125, [0.75, 1]],
  ]
  for (const [title, values, odds, shares] of rows) {
    it(title, () => {
      const got = new Float64Array(2)
      assert.equal(askForest(forest, Float32Array.from(values), got), odds)
      assert.deepEqual([...got], shares)
    })
  }
})

describe('the scale', () => {
  it('says 90 of one benign name in a hundred, and 50 of one in ten', () => {
    assert.deepEqual(
      [0, 50, 90, 97, 100].map(score => Number(benignShareAt(score).toFixed(6))),
      [1, 0.1, 0.01, 0.001, 0.0001],
    )
  })

  it('falls all the way', () => {
    const shares = Array.from({ length: 101 }, (_, score) => benignShareAt(score))
    assert.ok(shares.every((share, score) => score === 0 || share < (shares[score - 1] ?? 0)))
  })

  it('gives the score whose threshold is reached', () => {
    const thresholds = Float32Array.of(-1, 0, 0, 2)
    assert.deepEqual(
      [-2, -1, 0, 1.9, 2].map(odds => scoreOf(odds, thresholds)),
      [0, 1, 3, 3, 4],
    )
  })
})

describe('the model file', () => {
  it('is read back as it was written', () => {
    assert.deepEqual(decodeModel(encodeModel(tinyModel)), tinyModel)
  })

  it('is the same when the build has expanded it', () => {
    assert.deepEqual(decodeModel(expandModel(encodeModel(tinyModel))), tinyModel)
  })

  const file = encodeModel(tinyModel)
  const rows: readonly [string, Buffer, string][] = [
    ['is not compressed', Buffer.from('no model'), 'is damaged'],
    ['is cut', file.subarray(0, file.length - 9), 'is damaged'],
    ['lacks an array', encodeModel({ ...tinyModel, balance: Float32Array.of(1) }), 'has no proper balance'],
    [
      'has as many buckets as its head does not say',
      encodeModel({ ...tinyModel, whole: { ...tinyModel.whole, bits: 9 } }),
      'has no proper wholeWeights',
    ],
  ]
  for (const [title, octets, message] of rows) {
    it(`is refused when it ${title}`, () => assert.throws(() => decodeModel(octets), new UnusableModel(message)))
  }
})

describe('a name model', () => {
  it('says what spoke most for malicious', () => {
    const model = createNameModel(tinyModel)
    assert.deepEqual(model.score('short.com'), {
      score: 20,
      suffix_class: 'ordinary',
      class_score: 10,
      probability: 0.269,
      traits: [],
    })
    assert.deepEqual(model.score('a-very-long-label-it-is.com'), {
      score: 80,
      suffix_class: 'ordinary',
      class_score: 50,
      probability: 0.731,
      traits: [{ trait: 'unusual length', weight: 1 }],
    })
  })
})

describe('the traits of a name', () => {
  const at = (name: string) => featureNames.indexOf(name)
  const array = (entries: Readonly<Record<string, number>>) => {
    const values = new Float32Array(featureNames.length)
    for (const [name, value] of Object.entries(entries)) values[at(name)] = value
    return values
  }
  const given = (entries: Readonly<Record<string, number>>) => Float64Array.from(array(entries))

  it('divide what the whole name weighed among its parts, by how they lean', () => {
    const values = array({
      'malicious label': 3,
      'malicious suffix': 1,
      'malicious subdomain': -5,
      'phishing label': 1,
    })
    assert.deepEqual(traitsOf(given({ 'malicious name': 2 }), values), [
      { trait: 'n-grams common in phishing names', weight: 1.5 },
      { trait: 'suffix often abused', weight: 0.5 },
    ])
  })

  it('name the kind that the label is most like', () => {
    const values = array({ 'malicious label': 1, 'phishing label': -1, 'generated label': 2 })
    assert.deepEqual(traitsOf(given({ 'malicious label': 1 }), values), [
      { trait: 'n-grams common in generated names', weight: 1 },
    ])
  })

  it('are the three that weigh most, and none that weigh next to nothing or for benign', () => {
    const shares = { 'label length': 0.5, 'label hyphens': 0.25, 'label digits': 0.75, 'label brand': 0.2 }
    const least = { 'label vowels': 0.05, tenant: -3 }
    assert.deepEqual(
      traitsOf(given(shares), array({})).map(({ weight }) => weight),
      [0.75, 0.5, 0.25],
    )
    assert.deepEqual(traitsOf(given(least), array({})), [])
  })
})

describe('the shipped model', () => {
  const model = shippedNameModel()

  it('fits into four megabytes', () => {
    assert.ok(statSync(shippedModelPath).size <= 4_000_000)
  })

  it('takes little more memory than its tables, of seven mebibytes', async () => {
    const script = join(import.meta.dirname, 'name_model_memory.ts')
    const run = promisify(execFile)
    // What a process has resident varies with the machine's load, upwards alone: the least of three is the model's.
    const grown: number[] = []
    // Unpacked piece by piece it takes 24 MiB.
    const most = 14 * 2 ** 20
    while (grown.length < 3 && !grown.some(octets => octets < most)) {
      const { stdout } = await run(process.execPath, ['--expose-gc', '--import', 'tsx', script])
      grown.push(Number(stdout))
    }
    assert.ok(Math.min(...grown) < most, `${grown.join(', ')} octets`)
  })

  it('is an ordered scale over the features of the code', () => {
    const { thresholds, forest } = decodeModel(readFileSync(shippedModelPath))
    assert.deepEqual(
      [...thresholds],
      [...thresholds].sort((a, b) => a - b),
    )
    assert.ok(forest.features.every(feature => feature < featureNames.length))
  })

  const plain = ['wikipedia.org', 'bbc.co.uk', 'debian.org', 'stanford.edu', 'mozilla.org', 'en.wikipedia.org']
  for (const host of plain) {
    it(`finds nothing in ${host}`, () => assert.ok(model.score(host).score < 50))
  }

  const suspect = [
    'secure-login-paypal-account-verify.xyz',
    'appleid.apple.com-verify-account.top',
    'amazon-account-update.duckdns.org',
    'qkxvjwzrtplmhbdg.biz',
  ]
  for (const host of suspect) {
    it(`finds much in ${host}`, () => {
      const { score, probability, traits } = model.score(host)
      assert.ok(score >= 90 && probability > 0.9, `${score}`)
      assert.ok(traits.length > 0 && traits.every(({ weight }) => weight > 0))
    })
  }

  it('is not moved by a leading www', () => {
    assert.deepEqual(model.score('www.example.net'), model.score('example.net'))
  })

  it('gives every name a score, and the same one each time', () => {
    const label = fc.stringMatching(/^[a-z0-9_-]{1,63}$/)
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), labels => {
        const host = [...labels, 'com'].join('.')
        const found = model.score(host)
        assert.ok(Number.isInteger(found.score) && found.score >= 0 && found.score <= 100)
        assert.ok(found.probability >= 0 && found.probability <= 1 && found.traits.length <= 3)
        assert.deepEqual(model.score(host), found)
      }),
    )
  })
})

describe('gathering the name score', () => {
  const gather = createNameScoreGatherer({ name_model: () => createNameModel(tinyModel) })

  it('scores the name', async () => {
    assert.deepEqual(await gather({ target: domainTarget('short.com') }), createNameModel(tinyModel).score('short.com'))
  })

  it('does not apply to an address', async () => {
    await assert.rejects(gather({ target: ipTarget('192.0.2.1') }), new NotApplicable('no_name'))
  })
})
