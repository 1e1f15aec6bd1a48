import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Row, reportOf, textOf, wilson } from '../../../lab/evaluation/tables.ts'

const row = (parts: Partial<Row>): Row => ({
  id: 'a',
  label: 'phishing',
  kind: 'kit',
  asks: [],
  host_kind: 'random',
  age: '3 d',
  evasion: null,
  place: null,
  source: 'lab',
  verdict: 'safe',
  score: 0,
  recommendation: 'allow',
  confidence: 'high',
  signals: [],
  technologies: [],
  encoding: 'utf-8',
  cpu_ms: 1,
  ...parts,
})

describe('the tables of an evaluation', () => {
  for (const [found, all, low, high] of [
    [0, 0, 0, 0],
    [0, 10, 0, 0.2775],
    [5, 10, 0.2366, 0.7634],
    [10, 10, 0.7225, 1],
  ] as const) {
    it(`gives ${found} of ${all} the Wilson interval from ${low} to ${high}`, () => {
      assert.deepEqual(
        wilson(found, all).map(share => Math.round(share * 10_000) / 10_000),
        [low, high],
      )
    })
  }

  it('counts verdicts by host and age, apart from evaded copies and reconstructions', () => {
    const { tables, pages } = reportOf([
      row({ verdict: 'suspicious' }),
      row({ id: 'b', verdict: 'malicious' }),
      row({ evasion: 'borrowed_head' }),
      row({ kind: 'reconstruction' }),
    ])
    const { checks, safe, suspicious, malicious, flagged_percent } =
      tables['Phishing by host and age']?.['random, 3 d'] ?? {}
    assert.deepEqual(
      { checks, safe, suspicious, malicious, flagged_percent },
      { checks: 2, safe: 0, suspicious: 1, malicious: 1, flagged_percent: 100 },
    )
    assert.equal(tables['Phishing after an evasion']?.['borrowed_head, random, 3 d']?.checks, 1)
    assert.equal(pages, 2)
  })

  it('gives the shares to review or block and of high confidence, whatever the verdict', () => {
    const report = reportOf([
      row({ verdict: 'malicious', recommendation: 'block' }),
      row({ id: 'b', recommendation: 'review', confidence: 'medium' }),
      row({ id: 'c' }),
      row({ id: 'd', confidence: 'low' }),
    ])
    const { flagged_percent, review_percent, high_percent } =
      report.tables['Phishing by host and age']?.['random, 3 d'] ?? {}
    assert.deepEqual(
      { flagged_percent, review_percent, high_percent },
      { flagged_percent: 25, review_percent: 50, high_percent: 50 },
    )
    assert.match(
      textOf(report),
      /\| random, 3 d \| 4 \| 3 \| 0 \| 1 \| 25 \[4\.6–69\.9\] \| 25 \[4\.6–69\.9\] \| 50 \| 50 \| 0 \|/,
    )
  })

  it('counts apart what asks for no secret yet, and who is said to pose as a brand', () => {
    const { tables } = reportOf([
      row({ kind: 'drainer', signals: ['brand_lure'] }),
      row({ id: 'b', asks: ['account'] }),
      row({ id: 'c', asks: ['account', 'password'], signals: ['impersonated_brand'] }),
      row({ id: 'd', label: 'benign', kind: 'log-in', host_kind: 'real', age: '8 y' }),
    ])
    const steps = tables['Phishing that asks for no secret yet']?.['random, 3 d']
    assert.deepEqual([steps?.checks, steps?.posing_percent], [2, 50])
    assert.equal(tables['Phishing by host and age']?.['random, 3 d']?.posing_percent, 66.7)
    assert.equal(tables['Benign by host and age']?.['real, 8 y']?.posing_percent, 0)
  })

  it('counts changed copies apart when the page itself is flagged at the same age', () => {
    const { tables } = reportOf([
      row({ verdict: 'suspicious' }),
      row({ evasion: 'write_atob', recommendation: 'review' }),
      row({ evasion: 'write_atob', age: '8 y' }),
      row({ age: '8 y' }),
    ])
    const keysOf = (title: string) => Object.keys(tables[title] ?? {})
    assert.deepEqual(keysOf('Phishing after an evasion'), ['write_atob, random, 3 d', 'write_atob, random, 8 y'])
    assert.deepEqual(keysOf('Phishing that is flagged as it is, after an evasion'), ['write_atob, random, 3 d'])
  })

  it('counts what pages ask for, once for each page, and judges them by it and by host', () => {
    const unknown = { age: 'unknown', asks: ['password', 'account'] }
    const report = reportOf([
      row({ ...unknown, verdict: 'suspicious', recommendation: 'review' }),
      row({ ...unknown, host_kind: 'tenant' }),
      row({ ...unknown, evasion: 'write_atob' }),
      row({ id: 'b', age: 'unknown' }),
      row({ id: 'c', label: 'benign', host_kind: 'real', age: 'unknown', asks: null }),
    ])
    assert.deepEqual(report.asks, {
      phishing: { something: 1, password: 1, account: 1, nothing: 1 },
      benign: { 'not recorded': 1 },
    })
    const cells = Object.entries(report.tables['By what a page asks for and host, unknown age'] ?? {})
    assert.deepEqual(
      cells.map(([key, { checks, flagged_percent, review_percent }]) => [key, checks, flagged_percent, review_percent]),
      [
        ['benign, not recorded, real', 1, 0, 0],
        ['phishing, account, random', 1, 100, 100],
        ['phishing, account, tenant', 1, 0, 0],
        ['phishing, nothing, random', 1, 0, 0],
        ['phishing, password, random', 1, 100, 100],
        ['phishing, password, tenant', 1, 0, 0],
        ['phishing, something, random', 1, 100, 100],
        ['phishing, something, tenant', 1, 0, 0],
      ],
    )
    assert.match(textOf(report), /## What phishing pages ask for\nsomething 1, password 1, account 1, nothing 1\n/)
  })

  it('compares front pages and paths', () => {
    const { tables } = reportOf([
      row({ place: 'front page', age: '8 y' }),
      row({ place: 'path', age: '8 y', verdict: 'malicious' }),
      row({ place: 'own URL', age: '8 y', label: 'benign' }),
      row({}),
    ])
    const cells = Object.entries(tables['Front page and path'] ?? {})
    assert.deepEqual(
      cells.map(([key, { checks, malicious, malicious_interval }]) => [key, checks, malicious, malicious_interval]),
      [
        ['benign, own URL, 8 y', 1, 0, [0, 79.3]],
        ['phishing, front page, 8 y', 1, 0, [0, 79.3]],
        ['phishing, path, 8 y', 1, 1, [20.7, 100]],
      ],
    )
  })

  it('lists the signals of benign pages on old domains', () => {
    const benign = { label: 'benign', age: '8 y' }
    const rows = [
      row({ ...benign, signals: ['x', 'y'] }),
      row({ ...benign, signals: ['y'] }),
      row({ ...benign, age: '3 d', signals: ['z'] }),
    ]
    assert.deepEqual(reportOf(rows).benign_signals, { y: 2, x: 1 })
  })

  it('count technologies and encodings of benign pages on old domains', () => {
    const benign = { label: 'benign', age: '8 y' }
    const report = reportOf([
      row({ ...benign, technologies: ['jQuery', 'PHP'], encoding: 'koi8-r' }),
      row({ ...benign, technologies: ['PHP'] }),
      row({ technologies: ['PHP'] }),
    ])
    assert.deepEqual(report.benign_technologies, { PHP: 2, jQuery: 1 })
    assert.deepEqual(report.benign_encodings, { 'koi8-r': 1, 'utf-8': 1 })
    assert.match(textOf(report), /## Technologies on benign pages\n2 different, 3 in all: PHP 2, jQuery 1\n/)
  })
})
