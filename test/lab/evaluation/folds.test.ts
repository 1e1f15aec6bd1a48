import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PageRecord } from '../../../lab/evaluation/records.ts'
import type { Example } from '../../../lab/page_training/examples.ts'
import { crossValidate, modelsWithout, thresholdsOf } from '../../../lab/page_training/train.ts'
import { features } from '../../../plugins/content_analysis/page_model/features.ts'

/** Kits and benign pages that differ in one feature, which tells them apart in every source but one. */
function examples(): Example[] {
  return Array.from({ length: 200 }, (_, at) => {
    const positive = at % 2 === 0
    const source = `${positive ? 'kits' : 'sites'} ${at % 5}`
    const values = new Float64Array(features.length)
    values[0] = positive === (source !== 'kits 4') ? 1 : 0
    values[1] = (at % 7) / 7
    const record = { id: `${at}`, kind: 'log-in', group: `g${at}`, label: positive ? 'phishing' : 'benign' }
    return {
      record: { ...record, source: { repo: source } } as PageRecord,
      evasion: null,
      values,
      telling: true,
      positive,
      weight: 1,
    }
  })
}

describe('cross-validation of the page model', () => {
  const all = examples()
  const validation = crossValidate(all)

  it('judges each page by what other sources taught', () => {
    const odds = all.filter(({ record }) => record.source.repo === 'kits 4').map(validation.oddsOf)
    assert.ok(odds.every(one => one < 0))
    const others = all.filter(({ record, positive }) => positive && record.source.repo !== 'kits 4')
    assert.ok(others.map(validation.oddsOf).every(one => one > 0))
  })

  it('has a threshold that no benign page of an unseen source reaches', () => {
    const { certain, likely, possible } = thresholdsOf(all, validation)
    const worst = Math.max(...all.filter(({ positive }) => !positive).map(validation.oddsOf))
    assert.ok(certain > worst && likely >= possible)
  })

  it('has thresholds that few of the pages beside the corpus reach, however many others there are', () => {
    const added = all
      .filter(({ positive, record }) => !positive && record.source.repo === 'sites 1')
      .map(one => ({ ...one, values: all[0]?.values ?? one.values, record: { ...one.record, kind: 'added' } }))
    const some = [...all.filter(({ record }) => record.source.repo !== 'sites 1'), ...added]
    const apart = crossValidate(some)
    const { likely } = thresholdsOf(some, apart)
    assert.equal(added.filter(one => apart.oddsOf(one) > likely).length, 0)
    assert.ok(likely > thresholdsOf(all, validation).likely)
  })

  it('gives pages of one source the same weights', () => {
    const modelFor = modelsWithout(all)
    const biases = new Set(
      all.filter(({ record }) => record.source.repo === 'sites 1').map(({ record }) => modelFor(record).bias),
    )
    assert.equal(biases.size, 1)
  })
})
