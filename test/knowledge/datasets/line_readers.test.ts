import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ListFormat } from '../../../src/knowledge/datasets/dataset.ts'
import {
  type DropReason,
  LONGEST_LINE,
  lineReaders,
  splitFields,
  splitLines,
} from '../../../src/knowledge/datasets/list_format.ts'
import { anyText } from '../../any_text.ts'
import { assertCheap } from '../../cpu.ts'

type Row = readonly [line: string, values: readonly string[] | DropReason]

const tables: Readonly<Record<ListFormat, { layout?: { column?: string | number; field?: string }; rows: Row[] }>> = {
  names: {
    rows: [
      ['evil.example', ['evil.example']],
      ['*.evil.example', ['*.evil.example']],
      ['evil.example # seen today', ['evil.example']],
      ['evil.example;SBL1', ['evil.example']],
      ['evil.example\t2026-11-20', ['evil.example']],
      ['# a comment', []],
      ['; a comment', []],
      ['// a comment', []],
      ['', []],
    ],
  },
  hosts: {
    rows: [
      ['0.0.0.0 evil.example', ['evil.example']],
      ['127.0.0.1\tevil.example  worse.example # both', ['evil.example', 'worse.example']],
      [':: evil.example', ['evil.example']],
      ['127.0.0.1 localhost', []],
      ['0.0.0.0 0.0.0.0', []],
      ['# comment', []],
      ['evil.example', 'unreadable'],
      ['<html> <body>', 'unreadable'],
    ],
  },
  adblock: {
    rows: [
      ['||evil.example^', ['evil.example']],
      ['||evil.example^|', ['evil.example']],
      ['||evil.example^$all', ['evil.example']],
      ['||evil.example^$document,popup', ['evil.example']],
      ['||*.evil.example^', ['*.evil.example']],
      ['||evil.example^ # seen today', ['evil.example']],
      ['@@||good.example^', ['@@good.example']],
      ['@@||good.example^$document', ['@@good.example']],
      ['@@||*.good.example^', 'other_rule'],
      ['@@||good.example^$popup', 'limited_rule'],
      ['||evil.example^$important', ['!evil.example']],
      ['||evil.example^$document,important', ['!evil.example']],
      ['@@||good.example^$important', ['@@!good.example']],
      ['||evil.example^$DOC,Script', ['evil.example']],
      ['||evil.example^$third-party', 'limited_rule'],
      ['||evil.example^$document,third-party', 'limited_rule'],
      ['||evil.example^$script', 'limited_rule'],
      ['||evil.example^$~script', 'limited_rule'],
      ['||evil.example^$important,script', 'limited_rule'],
      ['||evil.example^$all,client=192.0.2.1', 'limited_rule'],
      ['||evil.example^$dnsrewrite=192.0.2.1', 'limited_rule'],
      ['@@||good.example^$document,badfilter', 'other_rule'],
      ['||evil.example^$all,badfilter', 'other_rule'],
      ['@@||good.example/path^', 'other_rule'],
      ['||evil.example^$domain=other.example', 'limited_rule'],
      ['||evil.example/path^', 'other_rule'],
      ['||evil.example*^', 'wildcard'],
      ['||evil*.example^', 'wildcard'],
      ['@@||good.*^', 'wildcard'],
      ['example.com##.banner', 'other_rule'],
      ['/banner/*', 'other_rule'],
      ['! Title: a list', []],
      ['[Adblock Plus 2.0]', []],
      ['an error page', 'unreadable'],
    ],
  },
  csv: {
    layout: { column: 'url' },
    rows: [
      ['# id,dateadded,url,status', []],
      ['1,"2026-11-20","http://evil.example/a,b",online', ['http://evil.example/a,b']],
      ['2,"a ""quoted"" word",http://worse.example/,online', ['http://worse.example/']],
      ['# a comment', []],
      ['3,too short', 'unreadable'],
    ],
  },
  tsv: {
    layout: { column: 1 },
    rows: [
      ['1\tevil.example\tx', ['evil.example']],
      ['one column', 'unreadable'],
      ['#1\tcomment', []],
    ],
  },
  json_lines: {
    layout: { field: 'data.host' },
    rows: [
      ['{"data":{"host":"evil.example"}}', ['evil.example']],
      ['{"type":"metadata","size":3}', []],
      ['{"data":{"host":7}}', []],
      ['{"data":null}', []],
      ['{"data":{"host":', 'unreadable'],
      ['17', 'unreadable'],
      ['null', 'unreadable'],
    ],
  },
  urls: {
    rows: [
      ['http://evil.example/a#b;c', ['http://evil.example/a#b;c']],
      ['https://evil.example/ seen', ['https://evil.example/']],
      ['evil.example/path', ['http://evil.example/path']],
      ['evil.example:8080/path', ['http://evil.example:8080/path']],
      ['192.0.2.1/bins/x.sh', ['http://192.0.2.1/bins/x.sh']],
      ['hxxps://evil[.]example/a', ['hxxps://evil[.]example/a']],
      ['hxxp[:]//evil[.]example/a', ['hxxp[:]//evil[.]example/a']],
      ['ftp://evil.example/', ['ftp://evil.example/']],
      ['192.0.2.0/24', ['192.0.2.0/24']],
      ['2001:db8::/32', ['2001:db8::/32']],
      ['# comment', []],
    ],
  },
  netset: {
    rows: [
      ['192.0.2.0/24', ['192.0.2.0/24']],
      ['192.0.2.0/24 ; SBL1', ['192.0.2.0/24']],
      ['192.0.2.1 - 192.0.2.9', ['192.0.2.1-192.0.2.9']],
      ['2001:db8::/32 # x', ['2001:db8::/32']],
      ['192.0.2.0/255.255.255.0', ['192.0.2.0/24']],
      ['192.0.2.0 255.255.255.128 # x', ['192.0.2.0/25']],
      ['10.0.0.0/255.0.0.0', ['10.0.0.0/8']],
      ['192.0.2.0/255.0.255.0', ['192.0.2.0/255.0.255.0']],
      ['192.0.2.1', ['192.0.2.1']],
      ['# comment', []],
    ],
  },
}

for (const [format, { layout, rows }] of Object.entries(tables)) {
  describe(`a line of ${format}`, () => {
    const read = lineReaders[format as ListFormat]({ column: 0, field: '', ...layout })
    for (const [line, values] of rows) {
      it(`${JSON.stringify(line)} ${typeof values === 'string' ? `is left out: ${values}` : `has ${JSON.stringify(values)}`}`, () => {
        assert.deepEqual(read(line), values)
      })
    }
  })

  it(`no line makes the reader of ${format} throw`, () => {
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), line => {
        const values = lineReaders[format as ListFormat]({ column: 'url', field: '__proto__.a', ...layout })(line)
        assert.ok(typeof values === 'string' || values.every(value => typeof value === 'string'))
      }),
    )
  })
}

describe('the column of a table', () => {
  it('is found by its heading in any case, in a comment or not', () => {
    const read = lineReaders.csv({ column: 'Domain', field: '' })
    assert.deepEqual(['# a list', 'Rank,DOMAIN', '1,evil.example'].map(read), [[], [], ['evil.example']])
  })

  it('is missing until a heading has it', () => {
    const read = lineReaders.csv({ column: 'Domain', field: '' })
    assert.deepEqual(['Rank,Name', '1,evil.example'].map(read), ['unreadable', 'unreadable'])
  })
})

describe('fields', () => {
  it('round-trip with any quoting', () => {
    const field = fc.string({ maxLength: 20 }).map(text => text.replace(/[\r\n]/g, ' ').trim())
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 10 }), fields => {
        const line = fields.map(text => `"${text.replaceAll('"', '""')}"`).join(',')
        assert.deepEqual(splitFields(line, ','), fields)
      }),
    )
  })

  it('end with the line when a quote is not closed', () => assert.deepEqual(splitFields('a,"b,c', ','), ['a', 'b,c']))

  it('are read in linear time', () => {
    assertCheap(() => splitFields('"'.repeat(200_000), ','), 4)
    assertCheap(() => splitFields(','.repeat(200_000), ','), 4)
  })
})

describe('lines', () => {
  it('are the same for any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 40 }), { maxLength: 20 }), pieces => {
        const split = splitLines()
        const lines = [...pieces.flatMap(piece => split.push(piece)), ...split.end()]
        const whole = pieces
          .join('')
          .split(/[\r\n]/)
          .map(line => line.trim())
        if (/[\r\n]$|^$/.test(pieces.join(''))) whole.pop()
        assert.deepEqual(lines, whole)
      }),
    )
  })

  it('are rejected when they are too long, without those after them', () => {
    const split = splitLines()
    const long = 'x'.repeat(LONGEST_LINE)
    assert.deepEqual([...split.push(long), ...split.push(long), ...split.push('x\nshort\n')], [null, 'short'])
  })
})
