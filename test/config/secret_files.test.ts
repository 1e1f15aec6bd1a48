// Files that hold what not everyone may read.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { openKeyFile, openStore } from '../../src/store/embedded/embedded_store.ts'
import { assay } from '../cli/assay.ts'
import { freshDirectory } from '../store/fresh_directory.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const environment = { config: undefined, data: undefined, port: undefined, extra_roots: '' }
const password = 'a-password'
const url = `redis://user:${password}@127.0.0.1:1/0`

function fileOf(content: object, mode: number): string {
  const file = join(temporaryDirectory(), 'config.json')
  writeFileSync(file, JSON.stringify(content))
  chmodSync(file, mode)
  return file
}

const refused: readonly (readonly [
  title: string,
  content: object,
  mode: number,
  environment: object,
  refused: boolean,
])[] = [
  ['is refused when everyone may read it', { store: url }, 0o644, {}, true],
  ['is refused when everyone may read it and its password is not used', { store: url }, 0o644, { store: url }, true],
  ['is taken when its group may read it', { store: url }, 0o640, {}, false],
  ['is taken when its owner alone may read it', { store: url }, 0o600, {}, false],
  ['may be read by everyone when the password is in the environment', {}, 0o644, { store: url }, false],
  [
    'may be read by everyone when it names a variable for the password',
    { store: { $env: 'STORE' } },
    0o644,
    { variables: { STORE: url } },
    false,
  ],
  ['may be read by everyone when there is no password', { store: 'redis://127.0.0.1:1' }, 0o644, {}, false],
]

describe('a configuration with a password', () => {
  for (const [title, content, mode, given, expected] of refused) {
    it(title, () => {
      const { faults } = readConfig({ config: fileOf(content, mode) }, { ...environment, ...given })
      assert.deepEqual(
        faults.map(({ path }) => path),
        expected ? ['store'] : [],
      )
      assert.ok(!JSON.stringify(faults).includes(password))
    })
  }

  it('that everyone may read keeps the service from its start, with what to do about it', async () => {
    const { code, err } = await assay('serve', '--config', fileOf({ store: url }, 0o644))
    assert.equal(code, 78)
    assert.match(err, /everyone may read .*chmod o-r it, or give the URL in ASSAY_STORE/)
    assert.ok(!err.includes(password))
  })
})

describe('the store', () => {
  it('closes its files to others at each start, however they came there', async t => {
    const directory = freshDirectory(t)
    const first = await openStore({ directory })
    await first.keys.create({ plan: 'startup', label: 'a key' })
    const files = readdirSync(directory).filter(name => name.startsWith('assay.db'))
    assert.deepEqual(files.sort(), ['assay.db', 'assay.db-shm', 'assay.db-wal'])
    for (const file of files) chmodSync(join(directory, file), 0o666)
    const second = await openKeyFile({ directory })
    t.after(async () => {
      await second.close()
      await first.close()
    })
    for (const file of files) assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file)
  })

  it('begins with no key but a random one of its own', async t => {
    const texts = await Promise.all(
      ['one', 'other'].map(async () => {
        const directory = freshDirectory(t)
        const { keys, close } = await openStore({ directory })
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
