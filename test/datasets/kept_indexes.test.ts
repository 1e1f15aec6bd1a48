import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { dataset, type Use, type Written } from '../../src/datasets/dataset.ts'
import { keyHash } from '../../src/datasets/feed/key_table.ts'
import { type KeptIndexes, openKeptIndexes } from '../../src/datasets/kept_indexes.ts'
import { loadDataset } from '../../src/datasets/loaders.ts'

/** Enough names that their index stays on disk. */
const MANY = 400_000

const nameOf = (n: number): string => `listed-${n}.example.net`

describe('kept indexes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-indexes-'))
  after(() => rmSync(directory, { recursive: true, force: true }))

  /** As a new process: no table by another secret is looked into any more. */
  const open = () =>
    openKeptIndexes(directory, secret => {
      keyHash.rekey(secret)
      return true
    })
  const write = (name: string, lines: readonly string[]): string => {
    const path = join(directory, name)
    writeFileSync(path, lines.join('\n'))
    return path
  }
  const rewrite = (name: string, change: (file: Buffer) => Buffer): void => {
    const path = join(directory, name)
    writeFileSync(path, change(readFileSync(path)))
  }
  const one = <Kind extends Use>(use: Kind, parts: Partial<Written> = {}) => ({
    ...dataset({ id: use, use, ...parts }),
    use,
  })
  /** Kept indexes that count how often one was used. */
  const counted = (): KeptIndexes & { readonly used: () => number } => {
    const indexes = open()
    let used = 0
    return {
      ...indexes,
      async read(path, asked) {
        const found = await indexes.read(path, asked)
        if (found !== null) used += 1
        return found
      },
      used: () => used,
    }
  }

  it('answer for a feed as the list itself, for names, pages and prefixes', async () => {
    const path = write('feed.txt', ['https://bad.example/a/b.php', 'worse.example', '192.0.2.0/24'])
    const feed = one('feed', { format: 'urls', about: 'both' })
    for (const uses of [0, 1]) {
      const indexes = counted()
      const { value, entries } = await loadDataset(path, feed, indexes)
      assert.deepEqual(
        {
          uses: indexes.used(),
          entries,
          name: value.name('www.worse.example', 'worse.example'),
          page: value.pages('bad.example', 'bad.example', ['/a/b.php']),
          other: value.pages('bad.example', 'bad.example', ['/c']),
          address: value.address('192.0.2.7'),
          none: [value.name('good.example', 'good.example'), value.address('198.51.100.1')],
        },
        {
          uses,
          entries: 3,
          name: 'worse.example',
          page: { host: 'bad.example', count: 1, listed: true },
          other: { host: 'bad.example', count: 1, listed: false },
          address: '192.0.2.0/24',
          none: [null, null],
        },
      )
    }
  })

  it('answer for ranks and for preloaded hosts as the lists themselves', async () => {
    const ranks = write('ranks.csv', ['Domain', 'first.example', 'second.example'])
    const hosts = write('hsts.json', [
      '{ "name": "sub.example", "mode": "force-https", "include_subdomains": true },',
      '{ "name": "alone.example", "mode": "force-https" },',
    ])
    for (const uses of [0, 2]) {
      const indexes = counted()
      const popular = await loadDataset(ranks, one('popularity', { column: 'Domain' }), indexes)
      const preloaded = await loadDataset(hosts, one('hsts_preload'), indexes)
      assert.equal(indexes.used(), uses)
      assert.deepEqual(
        ['first.example', 'second.example', 'third.example'].map(name => popular.value.rank(name)),
        [1, 2, null],
      )
      assert.deepEqual(
        ['a.sub.example', 'alone.example', 'a.alone.example'].map(name => preloaded.value.has(name)),
        [true, true, false],
      )
      assert.equal(preloaded.entries, 2)
    }
  })

  it('stay on disk when they are large, and find every name and no other', async () => {
    const path = write(
      'many.txt',
      Array.from({ length: MANY }, (_, n) => nameOf(n)),
    )
    const { value, bytes } = await loadDataset(path, one('feed', { id: 'many' }), open())
    assert.ok(bytes < 32_768, `${bytes} octets in memory`)
    assert.ok(statSync(join(directory, 'many.index')).size > 4 * MANY)
    for (let n = 0; n < 2 * MANY; n += 997) {
      assert.equal(value.name(nameOf(n), 'example.net'), n < MANY ? nameOf(n) : null)
    }
  })

  const stale: readonly (readonly [title: string, spoil: (path: string) => Partial<Written>])[] = [
    [
      'of another file',
      path => {
        writeFileSync(path, 'a.example\nb.example\nc.example')
        return {}
      },
    ],
    [
      'that are cut short',
      () => {
        truncateSync(join(directory, 'stale.index'), 300)
        return {}
      },
    ],
    [
      'that are no index',
      () => {
        writeFileSync(join(directory, 'stale.index'), 'something else')
        return {}
      },
    ],
    ['made when the file was read in another way', () => ({ about: 'both' })],
    [
      'made with another secret',
      () => {
        rmSync(join(directory, 'index.key'))
        return {}
      },
    ],
    [
      'of an earlier format, without checksums',
      () => {
        rewrite('stale.index', file => Buffer.concat([file.subarray(0, 4), file.subarray(8)]))
        return {}
      },
    ],
    [
      'whose head is damaged',
      () => {
        rewrite('stale.index', file => Buffer.from(file.toString('latin1').replace('"size":2', '"size":3'), 'latin1'))
        return {}
      },
    ],
  ]
  for (const [title, spoil] of stale) {
    it(`${title} are made anew`, async () => {
      const path = write('stale.txt', ['a.example', 'b.example'])
      await loadDataset(path, one('feed', { id: 'stale' }), open())
      const parts = spoil(path)
      const indexes = counted()
      const { value } = await loadDataset(path, one('feed', { id: 'stale', ...parts }), indexes)
      assert.equal(indexes.used(), 0)
      assert.equal(value.name('b.example', 'b.example'), 'b.example')
      assert.deepEqual(
        readdirSync(directory).filter(name => name.endsWith('.part')),
        [],
      )
    })
  }

  it('answer as the list itself whatever part of them is damaged', async () => {
    const path = write('damaged.txt', ['https://bad.example/a/b.php', 'worse.example', '192.0.2.0/24'])
    const feed = one('feed', { id: 'damaged', format: 'urls', about: 'both' })
    const PART = 64
    await loadDataset(path, feed, open())
    const intact = readFileSync(join(directory, 'damaged.index'))
    for (let from = 0; from < intact.length; from += PART) {
      const damaged = Buffer.from(intact).fill(0, from, Math.min(from + PART, intact.length))
      rewrite('damaged.index', () => damaged)
      const indexes = counted()
      const { value } = await loadDataset(path, feed, indexes)
      assert.deepEqual(
        [
          indexes.used(),
          value.name('worse.example', 'worse.example'),
          value.pages('bad.example', 'bad.example', ['/a/b.php'])?.listed,
          value.address('192.0.2.7'),
        ],
        [damaged.equals(intact) ? 1 : 0, 'worse.example', true, '192.0.2.0/24'],
        `without the octets from ${from} on`,
      )
    }
  })

  it('are not needed where the directory cannot be written', async () => {
    const path = write('plain.txt', ['a.example'])
    const { value } = await loadDataset(path, one('feed', { id: 'plain' }), openKeptIndexes('/proc/none'))
    assert.equal(value.name('a.example', 'a.example'), 'a.example')
  })
})
