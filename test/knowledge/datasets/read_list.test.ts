import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type Dataset, dataset, type ListFormat, UnusableDataset } from '../../../src/knowledge/datasets/dataset.ts'
import { lineReaders } from '../../../src/knowledge/datasets/list_format.ts'
import { readList } from '../../../src/knowledge/datasets/loaders.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'
import { feedOf } from './memory_table.ts'

const directory = temporaryDirectory()
let files = 0

function read(content: string | Buffer, parts: Partial<Dataset> = {}) {
  const path = join(directory, `list${++files}`)
  writeFileSync(path, content)
  return feedOf((entries, table) => readList(path, dataset({ id: 'mine', use: 'feed', ...parts }), table, entries))
}

const LIST = '# names\nevil.com\nworse.com\n'

/** An archive with one member and no central directory, as in a stream. */
function zip(content: string, method: 0 | 8 | 9): Buffer {
  const data = method === 0 ? Buffer.from(content) : deflateRawSync(content)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(data.length, 18)
  header.writeUInt16LE(8, 26)
  return Buffer.concat([header, Buffer.from('list.txt'), data, Buffer.from('PK\x01\x02 the rest')])
}

describe('a list in a file', () => {
  const sound: readonly (readonly [title: string, content: string | Buffer])[] = [
    ['as it is', LIST],
    ['with a mark of its coding', `\ufeff${LIST}`],
    ['with ends of lines of another system', LIST.replaceAll('\n', '\r\n')],
    ['with carriage returns alone', LIST.replaceAll('\n', '\r')],
    ['compressed', gzipSync(LIST)],
    ['compressed in two parts', Buffer.concat([gzipSync('evil.com\n'), gzipSync('worse.com\n')])],
    ['in an archive', zip(LIST, 8)],
    ['in an archive that does not compress', zip(LIST, 0)],
    ['without a last end of line', 'evil.com\nworse.com'],
    ['twice', LIST + LIST],
    ['with a bad entry', `${LIST}com\n`],
  ]
  for (const [title, content] of sound) {
    it(`is read ${title}`, async () => {
      const index = await read(content)
      assert.deepEqual([index.size, index.name('a.worse.com', 'worse.com')], [2, 'worse.com'])
    })
  }

  const faulty: readonly (readonly [title: string, content: string | Buffer, reason: string, Partial<Dataset>?])[] = [
    ['is empty', '', 'empty'],
    ['no entries', '# nobody\n', 'empty'],
    ['lists all of the world', '*\ncom\n', 'wrong_format'],
    ['is a hosts file that is read as names', '0.0.0.0 evil.com\n0.0.0.0 worse.com\n', 'wrong_format'],
    ['lists addresses where names are asked about', '203.0.113.7\n203.0.113.8\n', 'wrong_format'],
    ['lists names where addresses are', LIST, 'wrong_format', { format: 'netset' }],
    ['is a page', '<html>\n<body>\nexample.com\n</html>', 'wrong_format'],
    ['is one line without end', 'x'.repeat(200_000), 'wrong_format'],
    ['has too many octets', LIST.repeat(100), 'too_large', { max_bytes: 1_000 }],
    ['is a bomb', gzipSync(Buffer.alloc(20_000_000, 'evil.com\n')), 'too_large', { max_bytes: 1_000_000 }],
    ['is cut', gzipSync(LIST.repeat(1_000)).subarray(0, 60), 'bad_encoding'],
    ['is an archive of a strange kind', zip(LIST, 9), 'bad_encoding'],
  ]
  for (const [title, content, reason, parts] of faulty) {
    it(`is rejected when it ${title}`, async () => {
      await assert.rejects(read(content, parts), error => error instanceof UnusableDataset && error.reason === reason)
    })
  }

  it('is read or rejected for any content', async () => {
    const formats = fc.constantFrom<ListFormat>(...(Object.keys(lineReaders) as ListFormat[]))
    const start = fc.constantFrom(
      Buffer.from(''),
      Buffer.from([0x1f, 0x8b, 8]),
      Buffer.from('PK\x03\x04'),
      Buffer.from('{"a":'),
    )
    const rest = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map(Buffer.from),
      fc.string().map(text => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(formats, start, rest, async (format, begins, ends) => {
        const outcome = await read(Buffer.concat([begins, ends]), { format, field: 'a' }).catch(
          (error: unknown) => error,
        )
        assert.ok(outcome instanceof UnusableDataset || (outcome as { size: number }).size > 0, String(outcome))
      }),
      { numRuns: 150 },
    )
  })

  it('yields to the event loop while it is long', async () => {
    const many = Array.from({ length: 200_000 }, (_, n) => `host${n}.example.com`).join('\n')
    let turns = 0
    let reading = true
    const turn = () => {
      turns += 1
      if (reading) setImmediate(turn)
    }
    setImmediate(turn)
    const index = await read(many)
    reading = false
    assert.equal(index.size, 200_000)
    assert.ok(turns > 10, `${turns} turns`)
  })
})

describe('a list of rules', () => {
  const rules = ['||evil.com^', '||*.worse.com^', '@@||good.evil.com^', '@@||fine.org^', '||fine.org^', '/ads/*']
  const rows: readonly (readonly [name: string, registrable: string, listed: string | null])[] = [
    ['evil.com', 'evil.com', 'evil.com'],
    ['www.evil.com', 'evil.com', 'evil.com'],
    ['good.evil.com', 'evil.com', null],
    ['a.good.evil.com', 'evil.com', null],
    ['notgood.evil.com', 'evil.com', 'evil.com'],
    ['a.worse.com', 'worse.com', 'worse.com'],
    ['fine.org', 'fine.org', null],
    ['a.fine.org', 'fine.org', null],
    ['other.org', 'other.org', null],
  ]
  for (const [name, registrable, listed] of rows) {
    it(`${listed === null ? 'does not list' : 'lists'} ${name}`, async () => {
      const index = await read(rules.join('\n'), { format: 'adblock', about: 'names' })
      assert.equal(index.name(name, registrable), listed)
    })
  }

  const ranked: readonly (readonly [title: string, rules: readonly string[], name: string, listed: string | null])[] = [
    ['an important rule beats an exception', ['||evil.com^$important', '@@||evil.com^'], 'evil.com', 'evil.com'],
    ['in whatever order they come', ['@@||evil.com^', '||evil.com^$important'], 'evil.com', 'evil.com'],
    ['and one below it', ['||evil.com^$important', '@@||good.evil.com^'], 'a.good.evil.com', 'evil.com'],
    ['but not one above a name that it does not cover', ['||x.evil.com^$important', '@@||evil.com^'], 'evil.com', null],
    ['an important exception beats both', ['||evil.com^$important', '@@||evil.com^$important'], 'evil.com', null],
    ['and an important rule below it', ['||x.evil.com^$important', '@@||evil.com^$important'], 'x.evil.com', null],
    ['an important rule without exceptions lists its name', ['||evil.com^$important'], 'a.evil.com', 'evil.com'],
    ['a shared host is never listed as a whole', ['||github.io^$important'], 'a.github.io', null],
  ]
  for (const [title, lines, name, listed] of ranked) {
    it(title, async () => {
      const index = await read(lines.join('\n'), { format: 'adblock', about: 'names' })
      assert.equal(index.name(name, name.endsWith('github.io') ? name : 'evil.com'), listed)
    })
  }

  it('counts a name once that is important and listed', async () => {
    const lines = ['||evil.com^', '||evil.com^$important', '||worse.com^$important', '@@||fine.org^$important']
    assert.equal((await read(lines.join('\n'), { format: 'adblock', about: 'names' })).size, 2)
  })

  it('says how much of it counts for nothing, and why', async () => {
    const more = [...rules, '||ev*l.com^', 'x##.banner', 'some words', '||192.0.2.1^', '||ads.com^$third-party']
    const { size, dropped } = await read(more.join('\n'), { format: 'adblock', about: 'names' })
    assert.deepEqual(
      [size, dropped],
      [3, { other_rule: 2, wildcard: 1, unreadable: 1, other_kind: 1, limited_rule: 1 }],
    )
  })
})
