// The page of my targets: what is read from pasted text, what is stored, and what is said, shown and exported of each target.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { csv } from '../../src/web/csv.js'
import { LONGEST, parseLists, readNames } from '../../src/web/target_lists.js'
import {
  changeWords,
  expiryWords,
  factsOf,
  matches,
  STATE_NAMES,
  sortOverviews,
  tableRows,
  WATCHED_LIST,
} from '../../src/web/target_overview.js'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const DAY = 86_400_000
const inDays = (days: number) => ({ at: NOW + days * DAY, reason: null })
const unknown = { at: null, reason: 'no date known' }

const entry = (
  result_id: string,
  days_ago: number,
  risk_score: number,
  recommendation: 'allow' | 'review' | 'block',
) => ({
  result_id,
  checked_at: new Date(NOW - days_ago * DAY).toISOString(),
  risk_score,
  verdict: 'safe',
  recommendation,
  kept: true,
})

const nothing = { groups: [], results: [], facts: null, last_change: null, compared: 0, trouble: null, loaded: true }
const shop = {
  ...nothing,
  target: 'shop.example',
  groups: [WATCHED_LIST],
  facts: { certificate: inDays(10.5), registration: unknown },
  results: [entry('s2', 1, 40, 'review'), entry('s1', 9, 3, 'allow')],
  last_change: {
    at: new Date(NOW - DAY).toISOString(),
    changes: [{ path: 'verdict', severity: 'weakened' as const, message: 'Verdict: safe → suspicious' }],
  },
  compared: 1,
}
const bakery = {
  ...nothing,
  target: 'bakery.example',
  groups: ['Suppliers'],
  compared: 3,
  facts: { certificate: inDays(60), registration: inDays(-2) },
  results: [entry('b2', 2, 3, 'allow'), entry('b1', 3, 3, 'allow')],
}
const fresh = { ...nothing, target: 'fresh.example', groups: ['Suppliers'] }
const all = [shop, bakery, fresh]

describe('pasted names', () => {
  const cases: readonly (readonly [text: string, targets: readonly string[], left: readonly string[]])[] = [
    ['', [], []],
    ['example.com\nexample.org\r\n\n', ['example.com', 'example.org'], []],
    ['example.com, EXAMPLE.com;example.com.', ['example.com'], []],
    ['Shop\texample.com\t"Ltd"', ['example.com'], ['Shop', 'Ltd']],
    ['https://example.com/path?q=1 example.org/a', ['example.com', 'example.org'], []],
    ['user@example.com mailto:a@example.org', ['example.com', 'example.org'], []],
    ['hxxps://example[.]com example[.]org', ['example.com', 'example.org'], []],
    ['192.0.2.1 2001:db8::1 [2001:db8::2]', ['192.0.2.1', '2001:db8::1', '2001:db8::2'], []],
    ['bücher.example', ['bücher.example'], []],
    ['- — 12', [], ['-', '—', '12']],
  ]
  for (const [text, targets, left] of cases) {
    it(`${JSON.stringify(text)} are ${targets.length === 0 ? 'none' : targets.join(', ')}`, () =>
      assert.deepEqual(readNames(text), { targets, left }))
  }

  it('are cut where a list is full', () => {
    const names = Array.from({ length: LONGEST + 1 }, (_, i) => `a${i}.example`)
    const { targets, left } = readNames(names.join('\n'))
    assert.deepEqual([targets.length, left], [LONGEST, [`a${LONGEST}.example`]])
  })

  it('stay the same when they are read again', () => {
    fc.assert(
      fc.property(fc.array(fc.domain()), names => {
        const { targets } = readNames(names.join('\n'))
        assert.deepEqual(readNames(targets.join('\n')), { targets, left: [] })
      }),
    )
  })
})

describe('stored lists', () => {
  const cases: readonly (readonly [text: string | null, lists: readonly unknown[]])[] = [
    [null, []],
    ['', []],
    ['{', []],
    ['{}', []],
    ['[{"name":"a"},{"name":1,"targets":[]},null,{"name":"b","targets":[1]}]', []],
    ['[{"name":"a","targets":["example.com"]}]', [{ name: 'a', targets: ['example.com'] }]],
  ]
  for (const [text, lists] of cases) {
    it(`${text} are ${lists.length}`, () => assert.deepEqual(parseLists(text), lists))
  }
})

describe('an expiry', () => {
  const cases: readonly (readonly [days: number, words: string, tone: string])[] = [
    [400, '400 days left', ''],
    [30, '30 days left', ''],
    [29.9, '29 days left', 'medium'],
    [14, '14 days left', 'medium'],
    [13.9, '13 days left', 'high'],
    [1, '1 day left', 'high'],
    [0.5, 'less than a day left', 'high'],
    [0, 'expired today', 'critical'],
    [-0.5, 'expired today', 'critical'],
    [-1, 'expired 1 day ago', 'critical'],
    [-30, 'expired 30 days ago', 'critical'],
  ]
  for (const [days, words, tone] of cases) {
    it(`in ${days} days is “${words}”`, () => assert.deepEqual(expiryWords(inDays(days), NOW), { words, tone }))
  }

  it('without a date has its reason', () => {
    assert.deepEqual(expiryWords({ at: null, reason: 'does not apply' }, NOW), {
      words: 'does not apply',
      tone: 'unknown',
    })
  })

  const results: readonly (readonly [what: string, result: object, certificate: unknown, registration: unknown])[] = [
    [
      'both dates',
      {
        domain: 'a.example',
        ssl_info: { expires_at: '2027-02-26T06:53:27' },
        reputation: { expires_at: '2027-01-01T00:00:00Z' },
      },
      { at: Date.parse('2027-02-26T06:53:27Z'), reason: null },
      { at: Date.parse('2027-01-01T00:00:00Z'), reason: null },
    ],
    [
      'a name without a site, whose registration was not seen',
      {
        domain: 'a.example',
        ssl_info: null,
        reputation: null,
        coverage: { sections: { ssl_info: { status: 'not_applicable' }, reputation: { status: 'unavailable' } } },
      },
      { at: null, reason: 'does not apply' },
      { at: null, reason: 'could not be seen' },
    ],
    [
      'a site without HTTPS, whose registry gives no date',
      {
        domain: 'a.example',
        ssl_info: { expires_at: null, invalid_reasons: ['no_tls'] },
        reputation: { expires_at: null },
        coverage: { sections: { ssl_info: { status: 'completed' }, reputation: { status: 'completed' } } },
      },
      { at: null, reason: 'none: the site has no HTTPS' },
      unknown,
    ],
    [
      'an address',
      { domain: null, ssl_info: {}, reputation: {} },
      unknown,
      { at: null, reason: 'does not apply to an address' },
    ],
  ]
  for (const [what, result, certificate, registration] of results) {
    it(`is read from a result of ${what}`, () => assert.deepEqual(factsOf(result), { certificate, registration }))
  }
})

describe('the last change', () => {
  const cases: readonly (readonly [
    what: string,
    overview: typeof shop | typeof bakery | typeof fresh,
    words: string,
  ])[] = [
    ['that was found', shop, 'Verdict: safe → suspicious'],
    ['that was not found', bakery, 'none in the last 4 results'],
    ['of one result', { ...bakery, results: bakery.results.slice(1) }, 'only one result so far'],
    ['of results that were removed', { ...bakery, compared: 0 }, 'earlier results are no longer kept'],
  ]
  for (const [what, overview, words] of cases) {
    it(`${what} is “${words}”`, () => assert.equal(changeWords(overview), words))
  }
})

describe('targets', () => {
  const none = { text: '', group: '', state: 'all' }
  const filters: readonly (readonly [what: string, filter: typeof none, targets: readonly string[]])[] = [
    ['no filter', none, ['shop.example', 'bakery.example', 'fresh.example']],
    ['a part of a name', { ...none, text: ' BAKE' }, ['bakery.example']],
    ['the text of a change', { ...none, text: 'suspicious' }, ['shop.example']],
    ['a list', { ...none, group: 'Suppliers' }, ['bakery.example', 'fresh.example']],
    ['block', { ...none, state: 'block' }, []],
    ['review', { ...none, state: 'review' }, ['shop.example']],
    ['allow', { ...none, state: 'allow' }, ['bakery.example']],
    ['soon expiring or expired', { ...none, state: 'expiring' }, ['shop.example', 'bakery.example']],
    ['changed', { ...none, state: 'changed' }, ['shop.example']],
    ['not checked', { ...none, state: 'unchecked' }, ['fresh.example']],
    ['a list and a text', { ...none, group: 'Suppliers', text: 'shop' }, []],
  ]
  for (const [what, filter, targets] of filters) {
    it(`by ${what} are ${targets.length === 0 ? 'none' : targets.join(', ')}`, () =>
      assert.deepEqual(
        all.filter(one => matches(one, filter, NOW)).map(({ target }) => target),
        targets,
      ))
  }

  it('have a filter for each choice', () => {
    for (const [state] of STATE_NAMES.slice(1))
      assert.equal(matches({ ...fresh, loaded: false }, { ...none, state }, NOW), false, state)
  })

  const orders: readonly (readonly [order: string, targets: readonly string[]])[] = [
    ['name', ['bakery.example', 'fresh.example', 'shop.example']],
    ['score', ['shop.example', 'bakery.example', 'fresh.example']],
    ['expiry', ['bakery.example', 'shop.example', 'fresh.example']],
    ['change', ['shop.example', 'bakery.example', 'fresh.example']],
  ]
  for (const [order, targets] of orders) {
    it(`are in the order of ${order}`, () =>
      assert.deepEqual(
        sortOverviews(all, order).map(({ target }) => target),
        targets,
      ))
  }

  it('are rows of a table with dates, days and the link of the report', () => {
    const [heading = [], ...rows] = tableRows(all, NOW, id => `https://assay.example/#result=${id}`)
    assert.equal(
      heading.join(),
      'target,lists,checked_at,recommendation,verdict,risk_score,certificate_expires_at,certificate_days_left,' +
        'registration_expires_at,registration_days_left,last_change_at,last_change,results,report',
    )
    const [watched, expired] = ['2026-11-27', '2026-11-26'].map(day => `${day}T12:00:00.000Z`)
    const report = 'https://assay.example/#result='
    const certificates = ['2026-12-09T00:00:00.000Z', '2027-01-27T12:00:00.000Z']
    const change = [watched, 'Verdict: safe → suspicious', 2, `${report}s2`]
    assert.deepEqual(rows, [
      ['shop.example', 'Watched', watched, 'Review', 'safe', 40, certificates[0], 10, null, null, ...change],
      [
        'bakery.example',
        'Suppliers',
        expired,
        'Allow',
        'safe',
        3,
        certificates[1],
        60,
        expired,
        -2,
        null,
        null,
        2,
        `${report}b2`,
      ],
      ['fresh.example', 'Suppliers', ...Array(10).fill(null), 0, null],
    ])
  })
})

describe('the exported table', () => {
  const cells: readonly (readonly [value: string | number | null, written: string])[] = [
    ['plain', 'plain'],
    [null, ''],
    [-3, '-3'],
    ['a,b', '"a,b"'],
    ['say "a"', '"say ""a"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['a=1', 'a=1'],
  ]
  for (const [value, written] of cells) {
    it(`has ${JSON.stringify(value)} as ${JSON.stringify(written)}`, () =>
      assert.equal(csv([[value]]), `${written}\r\n`))
  }
})
