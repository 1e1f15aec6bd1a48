import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  corpusOf,
  divide,
  isBenign,
  sharesOf,
  sourcesToHold,
  withSubdomains,
  withTenants,
} from '../../../lab/training/corpus.ts'
import { reportOf } from '../../../lab/training/evaluate.ts'
import type { Kind, LabelledName } from '../../../lab/training/lists.ts'
import { createRandom } from '../../../lab/training/random.ts'
import { type TrainingOptions, trainOnAll, tryOut } from '../../../lab/training/train.ts'
import { findBrands } from '../../../lab/training/vocabulary.ts'
import { ownerOf, splitName } from '../../../src/evidence/name_score/facts.ts'
import { decodeModel } from '../../../src/evidence/name_score/model_file.ts'
import { createNameModel } from '../../../src/evidence/name_score/name_model.ts'

const named = (host: string, kind: Kind, source: string): LabelledName => ({ parts: splitName(host), kind, source })

const random = createRandom(11)
const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? ''
const honest = ['garden', 'river', 'bakery', 'school', 'museum', 'tools', 'walks', 'music']
const luring = ['login', 'secure', 'verify', 'account', 'update', 'wallet']
const letters = [...'bcdfghjklmnpqrstvwxz']
const noise = () => Array.from({ length: 14 }, () => pick(letters)).join('')

/** Names of sources in turn; made up, and easily parted. */
const names: readonly LabelledName[] = Array.from({ length: 3_000 }, (_, index): LabelledName[] => {
  const number = index.toString(36)
  return [
    named(`${pick(honest)}-${pick(honest)}${number}.${pick(['com', 'org', 'de'])}`, 'benign', `list${index % 4}`),
    named(`${pick(luring)}-acme${number}.${pick(['xyz', 'top', 'com'])}`, 'phishing', `feed${index % 3}`),
    ...(index % 3 === 0 ? [named(`${noise()}.biz`, 'dga', 'family')] : []),
    ...(index % 5 === 0 ? [named(`mail.${pick(honest)}${number}.net`, 'benign', 'list4')] : []),
  ]
}).flat()
const withBrand = [named('acme.com', 'benign', 'list0'), ...names]

const options: TrainingOptions = {
  bits: { whole: 14, kinds: 12 },
  fineness: { whole: 4, kinds: 2 },
  epochs: 2,
  rate: 0.3,
  shrink: 5e-4,
  folds: 2,
  trees: 20,
  leaves: 8,
  treeRate: 0.2,
  examples: 5_000,
  generated: { families: 5, size: 20 },
  seed: 1,
  log: () => {},
  hold: new Set(['feed2', 'list3']),
}

describe('the division of a corpus', () => {
  const corpus = corpusOf([...names, named('www.login-acme1.xyz', 'phishing', 'feed2')])
  const { training, reserve, held } = divide(corpus, new Set(['feed2', 'list3']))
  const at = (rows: Uint32Array) => Array.from(rows).flatMap(row => corpus.names[row] ?? [])
  const owners = (rows: Uint32Array) => new Set(at(rows).map(({ parts }) => ownerOf(parts)))

  it('trains on no owner that is held back', () => {
    const back = new Set([...owners(reserve), ...owners(held)])
    assert.deepEqual(
      [...owners(training)].filter(owner => back.has(owner)),
      [],
    )
  })

  it('holds back whole sources and a tenth of the others', () => {
    assert.deepEqual(new Set(at(held).map(({ source }) => source)), new Set(['feed2', 'list3']))
    const share = reserve.length / (reserve.length + training.length)
    assert.ok(share > 0.08 && share < 0.12, `${share}`)
  })

  it('chooses some sources of many by itself, and none of few', () => {
    const many = Array.from({ length: 50 }, (_, index) => named('a.com', 'benign', `source ${index}`))
    const chosen = sourcesToHold(many).size
    assert.ok(chosen > 3 && chosen < 20, `${chosen}`)
    assert.equal(sourcesToHold(many.slice(0, 4)).size, 0)
  })
})

describe('the preparation of a corpus', () => {
  it('takes some benign names a second time under subdomains of benign names', () => {
    const prepared = withSubdomains(names, createRandom(2)).slice(names.length).filter(isBenign)
    assert.ok(prepared.length > 700 && prepared.every(({ parts }) => parts.subdomain === 'mail'))
  })

  it('gives platforms of malicious tenants some benign ones, with labels of benign names', () => {
    const tenants = Array.from({ length: 100 }, (_, index) => named(`bad${index}.pages.dev`, 'phishing', 'feed'))
    const given = [named('garden.com', 'benign', 'list'), named('bakery.weebly.com', 'benign', 'list'), ...tenants]
    const more = withTenants(given, createRandom(3)).slice(given.length)
    assert.equal(more.length, 3)
    for (const { parts, kind } of more) {
      assert.deepEqual([parts.suffix, parts.tenant, kind], ['pages.dev', true, 'benign'])
      assert.ok(['garden', 'bakery'].includes(parts.label), parts.label)
    }
    assert.deepEqual(withTenants(tenants, createRandom(3)), tenants)
  })

  it('lets a long list speak less for each of its names', () => {
    const list = (length: number, source: string) => Array.from({ length }, () => named('a.com', 'benign', source))
    const shares = sharesOf([...list(240_000, 'long'), ...list(10, 'short')])
    assert.deepEqual([shares[0], shares[240_000]], [0.5, 1])
  })

  it('finds the words that are impersonated', () => {
    assert.equal(findBrands(withBrand).length, 1)
    assert.equal(findBrands(withBrand.filter(isBenign)).length, 0)
  })
})

describe('a training', () => {
  const { evaluation, calibration } = tryOut(withBrand, options)
  const file = trainOnAll(withBrand, calibration, options)

  it('parts names of sources it has not seen', () => {
    const rows = new Map(evaluation.positives.map(row => [row.slice, row]))
    assert.ok((rows.get('all')?.auc ?? 0) > 0.95, JSON.stringify(rows.get('all')))
    assert.ok((rows.get('sources held back')?.shares[1] ?? 0) > 0.5)
    assert.ok(rows.has('dga, owner held back') && rows.has('source feed2 (held back)'))
  })

  it('tells all that an operator should know of it', () => {
    const report = reportOf(evaluation)
    for (const part of ['| apex only ', 'at 0.1 %', 'source list3 (held back)', 'scored 90 or more', '| ordinary'])
      assert.ok(report.includes(part), part)
  })

  it('yields a model that scores names', () => {
    const model = createNameModel(decodeModel(file))
    const [bad, good] = ['secure-acme77.xyz', 'garden-music77.org'].map(host => model.score(host))
    assert.ok((bad?.score ?? 0) > (good?.score ?? 100), JSON.stringify([bad, good]))
  })

  it('comes out the same again', () => {
    assert.deepEqual(trainOnAll(withBrand, tryOut(withBrand, options).calibration, options), file)
  })

  it('refuses a side without names', () => {
    assert.throws(() => tryOut(names.filter(isBenign), options), /both lists must have names/)
  })
})
