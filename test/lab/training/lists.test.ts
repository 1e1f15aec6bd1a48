import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readList } from '../../../lab/training/lists.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-lists-'))
after(() => rmSync(directory, { recursive: true }))

function read(text: string | Buffer, side: 'benign' | 'malicious') {
  const path = join(directory, 'list')
  writeFileSync(path, text)
  return readList(path, side).map(({ parts, kind, source }) => [`${parts.label}.${parts.suffix}`, kind, source])
}

describe('a list of names', () => {
  const rows: readonly [string, string, 'benign' | 'malicious', string[][]][] = [
    [
      'has a name a line',
      'a-one.com\nb-two.org\n',
      'benign',
      [
        ['a-one.com', 'benign', ''],
        ['b-two.org', 'benign', ''],
      ],
    ],
    ['has a source beside it', 'a-one.com\tshops', 'benign', [['a-one.com', 'benign', 'shops']]],
    ['has class and source', 'a-one.com\tdga\tfeed', 'malicious', [['a-one.com', 'dga', 'feed']]],
    ['has a class alone', 'a-one.com\tscam', 'malicious', [['a-one.com', 'scam', '']]],
    ['is of phishing when it has no class', 'a-one.com\tfeed', 'malicious', [['a-one.com', 'phishing', 'feed']]],
    ['may have upper case and Windows lines', 'A-One.COM\r\n', 'benign', [['a-one.com', 'benign', '']]],
    [
      'may have lines that are no host names',
      '# comment\n\nlocalhost\n192.0.2.1\nhttp://a.com/\n-a.com\nco.uk\na-one.com',
      'benign',
      [['a-one.com', 'benign', '']],
    ],
  ]
  for (const [title, text, side, expected] of rows) it(title, () => assert.deepEqual(read(text, side), expected))

  it('may be compressed', () => {
    assert.deepEqual(read(gzipSync('a-one.com\tshops'), 'benign'), [['a-one.com', 'benign', 'shops']])
  })
})
