import assert from 'node:assert/strict'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Dataset, type DatasetDefinition, dataset, type Use } from '../../../src/knowledge/datasets/dataset.ts'
import { openKeptIndexes } from '../../../src/knowledge/datasets/kept_indexes.ts'
import { loadDataset } from '../../../src/knowledge/datasets/loaders.ts'

/** Enough names that their index stays on disk. */
const MANY = 400_000

const nameOf = (n: number): string => `listed-${n}.example.net`

describe('kept indexes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-indexes-'))
  after(() => rmSync(directory, { recursive: true, force: true }))

  const write = (name: string, lines: readonly string[]): string => {
    const path = join(directory, name)
    writeFileSync(path, lines.join('\n'))
    return path
  }
  const rewrite = (name: string, change: (file: Buffer) => Buffer): void => {
    const path = join(directory, name)
    writeFileSync(path, change(readFileSync(path)))
  }
  const one = <Kind extends Use>(use: Kind, parts: Partial<DatasetDefinition> = {}) => ({
    ...dataset({ id: use, use, ...parts }),
    use,
  })
  /** Loads the list, and says whether a kept index of it was used: that leaves the file as it is. */
  const load = async <Kind extends Use>(path: string, asked: Dataset & { readonly use: Kind }) => {
    const inode = () => statSync(join(directory, `${asked.id}.index`), { throwIfNoEntry: false })?.ino
    const before = inode()
    const loaded = await loadDataset(path, asked, { indexes: openKeptIndexes(directory), held: null })
    return { ...loaded, used: inode() === before }
  }

  it('answer for a feed as the list itself, for names, pages and prefixes', async () => {
    const path = write('feed.txt', ['https://bad.example/a/b.php', 'worse.example', '192.0.2.0/24'])
    const feed = one('feed', { format: 'urls', about: 'both' })
    for (const isKept of [false, true]) {
      const { value, entries, used } = await load(path, feed)
      assert.deepEqual(
        {
          used,
          entries,
          name: value.name('www.worse.example', 'worse.example'),
          page: value.pages('bad.example', 'bad.example', ['/a/b.php']),
          other: value.pages('bad.example', 'bad.example', ['/c']),
          address: value.address('192.0.2.7'),
          none: [value.name('good.example', 'good.example'), value.address('198.51.100.1')],
        },
        {
          used: isKept,
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
    for (const isKept of [false, true]) {
      const popular = await load(ranks, one('popularity', { column: 'Domain' }))
      const preloaded = await load(hosts, one('hsts_preload'))
      assert.deepEqual([popular.used, preloaded.used], [isKept, isKept])
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
    const { value, entries } = await load(path, one('feed', { id: 'many' }))
    assert.equal(entries, MANY)
    assert.ok(statSync(join(directory, 'many.index')).size < 16 * MANY)
    for (let n = 0; n < 2 * MANY; n += 997) {
      assert.equal(value.name(nameOf(n), 'example.net'), n < MANY ? nameOf(n) : null)
    }
  })

  const stale: readonly (readonly [title: string, spoil: (path: string) => Partial<DatasetDefinition>])[] = [
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
      'whose details are damaged',
      () => {
        rewrite('stale.index', file =>
          Buffer.from(file.toString('latin1').replace('"names":true', '"names":false'), 'latin1'),
        )
        return {}
      },
    ],
  ]
  for (const [title, spoil] of stale) {
    it(`${title} are made anew`, async () => {
      const path = write('stale.txt', ['a.example', 'b.example'])
      await load(path, one('feed', { id: 'stale' }))
      const parts = spoil(path)
      const { value, used } = await load(path, one('feed', { id: 'stale', ...parts }))
      assert.equal(used, false)
      assert.equal(value.name('b.example', 'b.example'), 'b.example')
      assert.deepEqual(
        readdirSync(directory).filter(name => name.endsWith('.part')),
        [],
      )
    })
  }

  it('answer as the list itself when nothing is left of them', async () => {
    const path = write('empty.txt', ['worse.example'])
    const feed = one('feed', { format: 'names', about: 'names' })
    await load(path, feed)
    rewrite('feed.index', () => Buffer.alloc(0))
    const { value, used } = await load(path, feed)
    assert.deepEqual([used, value.name('worse.example', 'worse.example')], [false, 'worse.example'])
  })

  it('answer as the list itself whatever part of them is damaged', async () => {
    const path = write('damaged.txt', ['https://bad.example/a/b.php', 'worse.example', '192.0.2.0/24'])
    const feed = one('feed', { id: 'damaged', format: 'urls', about: 'both' })
    const PART = 509
    await load(path, feed)
    const intact = readFileSync(join(directory, 'damaged.index'))
    for (let from = 0; from < intact.length; from += PART) {
      const damaged = Buffer.from(intact).fill(0, from, Math.min(from + PART, intact.length))
      rewrite('damaged.index', () => damaged)
      const { value, used } = await load(path, feed)
      assert.deepEqual(
        [
          used,
          value.name('worse.example', 'worse.example'),
          value.pages('bad.example', 'bad.example', ['/a/b.php'])?.listed,
          value.address('192.0.2.7'),
        ],
        [damaged.equals(intact), 'worse.example', true, '192.0.2.0/24'],
        `without the octets from ${from} on`,
      )
    }
  })

  it('fail, and say so, when they are damaged while in use', async () => {
    const path = write(
      'torn.txt',
      Array.from({ length: 50_000 }, (_, n) => nameOf(n)),
    )
    let damaged = 0
    const { value } = await loadDataset(path, one('feed', { id: 'torn' }), {
      indexes: openKeptIndexes(directory),
      held: null,
      onDamage: () => {
        damaged += 1
      },
    })
    const index = join(directory, 'torn.index')
    const file = openSync(index, 'r+')
    writeSync(file, Buffer.alloc(statSync(index).size), 0, undefined, 0)
    closeSync(file)
    assert.throws(() => value.name(nameOf(7), 'example.net'))
    assert.equal(damaged, 1)
  })

  it('are closed when nothing uses them any more', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const path = write('again.txt', ['a.example'])
    const openFiles = () =>
      readdirSync('/proc/self/fd').flatMap(name => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`).includes('again.index') ? [name] : []
        } catch {
          return []
        }
      })
    for (let n = 0; n < 3; n++) {
      writeFileSync(path, `${n}.example`)
      await load(path, one('feed', { id: 'again' }))
    }
    const { value } = await load(path, one('feed', { id: 'again' }))
    for (let turn = 0; turn < 100 && openFiles().length > 1; turn++) {
      collect()
      await setTimeout(10)
    }
    assert.equal(openFiles().length, 1)
    assert.equal(value.name('2.example', '2.example'), '2.example')
  })

  it('are not needed where the directory cannot be written', async () => {
    const path = write('plain.txt', ['a.example'])
    const indexes = openKeptIndexes('/proc/none')
    const { value } = await loadDataset(path, one('feed', { id: 'plain' }), { indexes, held: null })
    assert.equal(value.name('a.example', 'a.example'), 'a.example')
  })
})
