// Files that hold what not everyone may read.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { assay } from '../cli/assay.ts'
import { freshDirectory } from '../store/fresh_directory.ts'
import { openKeysIn, openStoreIn } from '../store/opened.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const environment = { config: undefined, data: undefined, port: undefined, extra_roots: '' }
const password = 'a-password'
const url = `postgres://user:${password}@127.0.0.1:1/assay`

function fileOf(content: unknown, mode: number): string {
  const file = join(temporaryDirectory(), 'config.json')
  writeFileSync(file, JSON.stringify(content))
  chmodSync(file, mode)
  return file
}

const feed = `https://user:${password}@feeds.example/names.txt`
/** A configuration that takes it from the other file, of that mode. */
const including = (content: unknown, mode: number) => ({ $file: fileOf(content, mode) })

const refused: readonly (readonly [
  title: string,
  content: object,
  mode: number,
  environment: object,
  refused: readonly string[],
])[] = [
  ['is refused when everyone may read it', { store: url }, 0o644, {}, ['store']],
  [
    'is refused when everyone may read it and its password is not used',
    { store: url },
    0o644,
    { store: url },
    ['store'],
  ],
  [
    'is refused when everyone may read it, for each place that has one',
    { store: url, datasets: { openphish: feed, urlhaus: { url: feed } } },
    0o644,
    {},
    ['store', 'datasets.openphish', 'datasets.urlhaus.url'],
  ],
  [
    'is refused when everyone may read what it includes',
    { store: including(url, 0o644), datasets: including({ openphish: feed }, 0o604) },
    0o600,
    {},
    ['store', 'datasets.openphish'],
  ],
  ['may be read by everyone when it includes what they may not', { store: including(url, 0o640) }, 0o644, {}, []],
  ['is taken when its group may read it', { store: url }, 0o640, {}, []],
  ['is taken when its owner alone may read it', { store: url }, 0o600, {}, []],
  ['may be read by everyone when the password is in the environment', {}, 0o644, { store: url }, []],
  [
    'may be read by everyone when it names a variable for the password',
    { store: { $env: 'STORE' } },
    0o644,
    { variables: { STORE: url } },
    [],
  ],
  ['may be read by everyone when there is no password', { store: 'postgres://127.0.0.1:1/assay' }, 0o644, {}, []],
]

describe('a configuration with a password', () => {
  for (const [title, content, mode, given, expected] of refused) {
    it(title, () => {
      const { faults } = readConfig({ config: fileOf(content, mode) }, { ...environment, ...given })
      assert.deepEqual(
        faults.map(({ path }) => path),
        expected,
      )
      assert.ok(!JSON.stringify(faults).includes(password))
    })
  }

  it('in a world-readable file prevents the start, with advice', async () => {
    const { code, err } = await assay('serve', '--config', fileOf({ store: url }, 0o644))
    assert.equal(code, 78)
    assert.match(err, /is world-readable: run `chmod o-r` on it, or take the value .*: \{ "\$env": "NAME" \}/)
    assert.ok(!err.includes(password))
  })
})

describe('the store', () => {
  it('makes its files private at each start', async t => {
    const directory = freshDirectory(t)
    const first = await openStoreIn(directory)
    await first.keys.create({ plan: 'startup', label: 'a key' })
    const files = readdirSync(directory).filter(name => name.startsWith('assay.db'))
    assert.deepEqual(files.sort(), ['assay.db', 'assay.db-shm', 'assay.db-wal'])
    for (const file of files) chmodSync(join(directory, file), 0o666)
    const second = await openKeysIn(directory)
    t.after(async () => {
      await second.close()
      await first.close()
    })
    for (const file of files) assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file)
  })

  it('starts with only one random key', async t => {
    const texts = await Promise.all(
      ['one', 'other'].map(async () => {
        const directory = freshDirectory(t)
        const { keys, close } = await openStoreIn(directory)
        assert.ok(existsSync(directory) && (await keys.list()).length === 0)
        const made = await keys.createFirst({ plan: 'startup', label: 'first key' })
        await close()
        return made?.text
      }),
    )
    assert.ok(texts[0] !== undefined && texts[1] !== undefined)
    assert.notEqual(texts[0], texts[1])
  })
})
