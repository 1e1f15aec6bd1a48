import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorRecord, resultRecord } from '../../../src/results/bulk/record.ts'
import { csvHeading, csvLine } from '../../../src/results/bulk/summaries.ts'
import { readResult } from '../../golden/files.ts'

const columns = csvHeading().trimEnd().split(',')

/** The cells of a line without quoted ones. */
const cellsOf = (line: string) => {
  const cells = line.trimEnd().split(',')
  return (name: string) => cells[columns.indexOf(name)]
}

const error = { code: 'invalid-domain', detail: 'No.' }
const invalid = (text: string) => csvLine(errorRecord({ text, line: 1 }, null, error))

describe('a line of CSV', () => {
  it('has the recommendation and its reason before the verdict', () => {
    const { domain, ip, ...rest } = readResult('nxdomain')
    const cell = cellsOf(csvLine(resultRecord({ text: 'x', line: 7 }, { domain, ip, ...rest })))
    assert.deepEqual(
      ['recommendation', 'recommendation_reason', 'confidence', 'verdict', 'risk_score', 'coverage_complete'].map(cell),
      ['review', 'no-such-name.lab does not exist in DNS.', 'high', 'suspicious', '31', 'true'],
    )
    assert.ok(columns.indexOf('recommendation') < columns.indexOf('verdict'))
  })

  it('leaves fields empty that results of earlier versions lack', () => {
    const { recommendation, recommendation_reason, confidence, ...older } = readResult('nxdomain')
    const cell = cellsOf(csvLine(resultRecord({ text: 'x', line: 1 }, older)))
    assert.deepEqual(['recommendation', 'confidence', 'verdict'].map(cell), ['', '', 'suspicious'])
  })

  for (const [what, text, expected] of [
    ['a formula', '=1+1', "'=1+1"],
    ['a command', '@SUM(1)', "'@SUM(1)"],
    ['a formula in full-width letters', '＝1+1', "'＝1+1"],
    ['an escape', '\u001b]0;owned\u0007', '‹U+001B›]0;owned‹U+0007›'],
    ['a carriage return within', 'a\rb', 'a‹U+000D›b'],
    ['what reverses the line', '\u202egpj.exe', '‹U+202E›gpj.exe'],
    ['what hides before a formula', '\u200b=1+1', '‹U+200B›=1+1'],
    ['a null', 'a\u0000b', 'a‹U+0000›b'],
  ] as const) {
    it(`turns ${what} in the input into inert text`, () => assert.equal(cellsOf(invalid(text))('input'), expected))
  }

  it('does so in every column with third-party text', () => {
    const evil = { registrar: '=1+1', lists: [] }
    const record = { domain: 'a.org', ip: null, verdict: 'safe', signal_details: [], recommendation_reason: '+1\u001b' }
    const line = csvLine(
      resultRecord({ text: 'a.org', line: 1 }, { ...record, reputation: evil, geo_location: { isp: '-1\u0007' } }),
    )
    const cell = cellsOf(line)
    assert.deepEqual(['registrar', 'recommendation_reason', 'isp'].map(cell), ["'=1+1", "'+1‹U+001B›", "'-1‹U+0007›"])
  })
})
