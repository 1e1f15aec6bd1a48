// Descriptions that plugins return, and those made of a schema.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FieldSchema } from '../../../src/base/labels.ts'
import { BOUNDS, boundedDescription } from '../../../src/engine/presentation/bounded.ts'
import { describeBySchema } from '../../../src/engine/presentation/by_schema.ts'

const plain = { summary: ['A sentence.'], facts: [['Label', 1]] }

describe('a description', () => {
  it('is copied with the fields of the contract alone', () => {
    const given = {
      summary: ['It is ', { text: 'x', more: 1 }],
      facts: [
        ['A', null],
        ['B', ['c']],
      ],
      tables: [{ title: 'T', columns: ['C'], rows: [[{ text: 'x' }], [true]], more: 1 }],
      remarks: [{ text: 'R', signals: ['s'] }],
      links: [{ label: 'L', url: 'https://example.com/' }],
      place: { label: 'P', latitude: 52, longitude: -4 },
      dependencies: [{ role: 'Hosted by', party: 'x' }],
      fixes: [{ title: 'F', language: 'nginx', code: 'x;' }],
      card: [['Title', { text: 'x', more: 1 }]],
      spans: [{ label: 'S', from: '2026-01-01', to: '2027-01-01T00:00:00Z', more: 1 }],
      hops: [{ url: 'http://example.com/', by: '301', more: 1 }],
      score: 12.4,
      more: 1,
    }
    assert.deepEqual(boundedDescription(given), {
      summary: ['It is ', { text: 'x' }],
      facts: [
        ['A', null],
        ['B', ['c']],
      ],
      tables: [{ title: 'T', columns: ['C'], rows: [[{ text: 'x' }], [true]] }],
      remarks: [{ text: 'R', severity: 'info', signals: ['s'] }],
      links: [{ label: 'L', url: 'https://example.com/' }],
      place: { label: 'P', latitude: 52, longitude: -4 },
      dependencies: [{ role: 'Hosted by', party: 'x' }],
      fixes: [{ title: 'F', language: 'nginx', code: 'x;' }],
      card: [['Title', { text: 'x' }]],
      spans: [{ label: 'S', from: '2026-01-01', to: '2027-01-01T00:00:00Z' }],
      hops: [{ url: 'http://example.com/', by: '301' }],
      score: 12,
    })
  })

  const wrong: readonly (readonly [what: string, value: unknown, message: RegExp])[] = [
    ['a promise', Promise.resolve(plain), /a summary that is not an array/],
    ['nothing', undefined, /a description that is not an object/],
    ['a summary in one piece', { ...plain, summary: 'A sentence.' }, /a summary that is not an array/],
    ['facts as an object', { ...plain, facts: { a: 1 } }, /facts that is not an array/],
    ['a fact without a value', { ...plain, facts: [['A']] }, /not a pair/],
    ['an object as a value', { ...plain, facts: [['A', { b: 1 }]] }, /a value that is not a string/],
    ['a number that is none', { ...plain, facts: [['A', Number.NaN]] }, /not finite/],
    ['a row of another length', { ...plain, tables: [{ title: 'T', columns: ['A'], rows: [[1, 2]] }] }, /each column/],
    ['a remark of unknown severity', { ...plain, remarks: [{ text: 'a', severity: 'bad' }] }, /unknown severity/],
    ['a link that runs a script', { ...plain, links: [{ label: 'a', url: 'javascript:1' }] }, /http or https/],
    ['a place beyond the poles', { ...plain, place: { label: 'a', latitude: 91, longitude: 0 } }, /coordinates/],
    ['a fix in an unknown language', { ...plain, fixes: [{ title: 'a', language: 'sh', code: 'x' }] }, /language/],
    ['a span without a date', { ...plain, spans: [{ label: 'S', from: 'soon', to: '2027-01-01' }] }, /not ISO 8601/],
    ['a hop without a URL', { ...plain, hops: [{ by: '301' }] }, /a URL that is not a string/],
    ['a score above 100', { ...plain, score: 101 }, /0 to 100/],
  ]
  for (const [what, value, message] of wrong) {
    it(`is refused for ${what}`, () => assert.throws(() => boundedDescription(value), message))
  }

  it('is bounded, and says how much of a list is left out', () => {
    const long = 'x'.repeat(5_000)
    const list = Array.from({ length: 1_000 }, () => long)
    const given = { summary: list, facts: list.map(text => [text, list]) }
    const { summary, facts } = boundedDescription(given)
    assert.equal(summary.length, BOUNDS.sentence)
    assert.equal(facts.length, BOUNDS.facts)
    const [label = '', value] = facts[0] ?? []
    assert.equal(label.length, BOUNDS.label)
    assert.deepEqual((value as string[]).slice(-1), ['and 940 more'])
    assert.ok(JSON.stringify({ summary, facts }).length < 5_000_000)
  })
})

describe('a section without a description', () => {
  const schema: FieldSchema = {
    properties: {
      owner: { anyOf: [{ type: 'string', title: 'Owner in the directory' }, { type: 'null' }] },
      seen_at: { type: 'string' },
      begins: { type: 'string', format: 'date' },
      total_bytes: { type: 'integer' },
      answered_in_ms: { type: 'integer' },
      hosts: { items: { properties: { name: { type: 'string', title: 'Host name' } } } },
      place: { title: 'Where', properties: { city: { title: 'Town' } } },
    },
  }
  const section = {
    owner: 'Harbour Wool',
    seen_at: '2026-11-22T12:00:00Z',
    begins: '2026-11-22',
    total_bytes: 1_572_864,
    answered_in_ms: 40,
    open: true,
    names: ['a', 'b'],
    unknown: null,
    none: [],
    hosts: [
      { name: 'a.example', up: false },
      { name: 'b.example', ports: [1, 2] },
    ],
    place: { city: 'Lerwick', deep: { x_y: 1, list: ['m'] } },
  }

  it('has its fields as facts with labels and units, and its objects as tables', () => {
    assert.deepEqual(describeBySchema(section, schema), {
      summary: [],
      facts: [
        ['Owner in the directory', { text: 'Harbour Wool' }],
        ['Seen at', { text: '22 November 2026 at 12:00 UTC' }],
        ['Begins', { text: '22 November 2026' }],
        ['Total bytes', '1.5 MiB'],
        ['Answered in ms', '40 ms'],
        ['Open', true],
        ['Names', ['a', 'b']],
        ['Unknown', null],
        ['None', []],
      ],
      tables: [
        {
          title: 'Hosts',
          columns: ['Host name', 'Up', 'Ports'],
          rows: [
            [{ text: 'a.example' }, false, null],
            [{ text: 'b.example' }, null, ['1', '2']],
          ],
        },
        {
          title: 'Where',
          columns: ['Field', 'Value'],
          rows: [
            ['Town', { text: 'Lerwick' }],
            ['Deep', ['x y: 1', 'list: m']],
          ],
        },
      ],
    })
  })

  it('is never shown as JSON, whatever its plugin reports', () => {
    const odd = { a: [[{ b: 1 }], { c: [null, { d: true }] }], e: { f: [{ g: 1 }] }, h: [1, null] }
    const text = JSON.stringify(boundedDescription(describeBySchema(odd)))
    assert.doesNotMatch(text, /\\"|\[object/)
  })
})
