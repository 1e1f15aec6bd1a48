// Backup and restore of the embedded store: whole or not there, beside processes that write and after one that was killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Direct from 'libsql'
import { lockStore } from '../../src/store/open_backend.ts'
import { backUp, restore } from '../../src/store/sql/sqlite/backup.ts'
import { testProgram } from '../assay.ts'
import { freshDirectory } from './fresh_directory.ts'
import { openKeysIn, openStoreIn } from './opened.ts'

const COUNTING = join(import.meta.dirname, 'counting_process.ts')
const QUOTA = 1_000_000
const ANSWERS = 20

async function filled(t: TestContext): Promise<string> {
  const directory = freshDirectory(t)
  const { keys, close } = await openKeysIn(directory)
  await keys.create({ plan: 'startup', label: 'kept' })
  await close()
  return directory
}

async function labelsIn(directory: string): Promise<readonly string[]> {
  const { keys, close } = await openKeysIn(directory)
  const all = await keys.list()
  await close()
  return all.map(({ label }) => label)
}

async function usedIn(directory: string): Promise<number> {
  const store = await openStoreIn(directory)
  const { used } = await store.quota.usage('acc_shared', { quota: QUOTA, period: 'month' })
  await store.close()
  return used
}

/** Starts a process that counts answers, and resolves when it has delivered some. */
async function counting(t: TestContext, directory: string) {
  const log = `${directory}.log`
  const delivered = () => (existsSync(log) ? statSync(log).size : 0)
  const args = [directory, log, `${QUOTA}`, `${QUOTA}`, '4']
  const child = spawn(process.execPath, [...testProgram(COUNTING), ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const end = once(child, 'exit')
  t.after(() => child.kill('SIGKILL'))
  while (delivered() < ANSWERS && child.exitCode === null) await pause(5)
  return {
    delivered,
    async kill() {
      child.kill('SIGKILL')
      await end
    },
  }
}

const change = (path: string, text: string) => {
  const database = new Direct(path)
  database.exec(text)
  database.close()
}

describe('a backup', () => {
  it('is one file that its owner alone can read', async t => {
    const directory = await filled(t)
    const target = `${directory}-copies/copy`
    const made = await backUp(directory, target)
    assert.deepEqual(made, { path: target, bytes: statSync(target).size })
    assert.deepEqual([readdirSync(dirname(target)), statSync(target).mode & 0o777], [['copy'], 0o600])
  })

  it('holds every answer delivered before it began, beside a process that counts and after that was killed', async t => {
    const directory = freshDirectory(t)
    const { delivered, kill } = await counting(t, directory)
    for (const name of ['beside', 'after']) {
      if (name === 'after') await kill()
      const before = delivered()
      const target = `${directory}-${name}`
      await backUp(directory, target)
      // An answer is counted first and delivered then; four are asked for at once.
      const most = delivered() + 4
      await restore(target, `${target}-restored`)
      const used = await usedIn(`${target}-restored`)
      assert.ok(used >= before && used <= most, `${name}: ${used} of ${before} to ${most}`)
    }
  })

  const refusals: readonly (readonly [
    title: string,
    change: (directory: string, target: string) => void,
    code: string,
    text: RegExp,
  ])[] = [
    ['a target that exists', (_, target) => writeFileSync(target, 'other'), 'store_unavailable', /it exists already/],
    [
      'a target that cannot be created',
      (_, target) => writeFileSync(dirname(target), ''),
      'store_unavailable',
      /^cannot write a backup to .*: /,
    ],
    [
      'a damaged store',
      directory => truncateSync(join(directory, 'assay.db'), 8_192),
      'store_damaged',
      /assay\.db is damaged: /,
    ],
  ]
  for (const [title, spoil, code, text] of refusals) {
    it(`refuses ${title}, and leaves nothing behind`, async t => {
      const directory = await filled(t)
      const parent = `${directory}-copies`
      if (title !== 'a target that cannot be created') mkdirSync(parent)
      const target = join(parent, 'copy')
      spoil(directory, target)
      const found = statSync(parent).isDirectory() ? readdirSync(parent) : []
      await assert.rejects(backUp(directory, target), { code, message: text })
      if (title === 'a target that exists') assert.equal(readFileSync(target, 'utf8'), 'other')
      assert.deepEqual(statSync(parent).isDirectory() ? readdirSync(parent) : [], found)
    })
  }

  it('refuses a directory without a store, and creates none', async t => {
    const directory = freshDirectory(t)
    await assert.rejects(backUp(directory, `${directory}-copy`), { code: 'store_unavailable', message: /has no store/ })
    assert.equal(existsSync(directory), false)
  })
})

describe('a restore', () => {
  it('gives back what the backup holds, readable by its owner only', async t => {
    const directory = await filled(t)
    const source = `${directory}-copy`
    await backUp(directory, source)
    const to = `${directory}-restored`
    const path = join(to, 'assay.db')
    assert.deepEqual(await restore(source, to), { path, bytes: statSync(source).size })
    assert.deepEqual(readdirSync(to).sort(), ['assay.db', 'assay.lock'])
    assert.deepEqual([statSync(path).mode & 0o777, statSync(to).mode & 0o777], [0o600, 0o700])
    assert.deepEqual(await labelsIn(to), ['kept'])
  })

  it('refuses a directory on which a service runs', async t => {
    const directory = await filled(t)
    const source = `${directory}-copy`
    await backUp(directory, source)
    const to = `${directory}-running`
    const lock = await lockStore({ store: null, data: to })
    await assert.rejects(restore(source, to), { code: 'store_in_use', message: /another process serves from/ })
    lock.release()
    assert.equal(existsSync(join(to, 'assay.db')), false)
  })

  for (const name of ['assay.db', 'assay.db-wal']) {
    it(`refuses a directory with a file ${name}, and leaves it`, async t => {
      const directory = await filled(t)
      const source = `${directory}-copy`
      await backUp(directory, source)
      const to = `${directory}-other`
      mkdirSync(to)
      writeFileSync(join(to, name), 'other')
      const message = /exists: restore to an empty directory, or move its store away first/
      await assert.rejects(restore(source, to), { code: 'store_unavailable', message })
      assert.deepEqual(
        [readdirSync(to).sort(), readFileSync(join(to, name), 'utf8')],
        [[name, 'assay.lock'].sort(), 'other'],
      )
    })
  }

  const refusals: readonly (readonly [title: string, change: (source: string) => void, code: string, text: RegExp])[] =
    [
      ['a file that is cut off', source => truncateSync(source, 8_192), 'store_damaged', /-copy is damaged: /],
      [
        'an empty file',
        source => truncateSync(source, 0),
        'store_damaged',
        /-copy is not a backup: it holds no store$/,
      ],
      [
        'the database of another program',
        source => {
          truncateSync(source, 0)
          change(source, 'CREATE TABLE other (id INTEGER)')
        },
        'store_damaged',
        /-copy is not a backup: it holds no store$/,
      ],
      [
        'a file that is no database',
        source => writeFileSync(source, 'no database at all'.repeat(99)),
        'store_damaged',
        /-copy is damaged: .*not a database/,
      ],
    ]
  for (const [title, spoil, code, text] of refusals) {
    it(`refuses ${title}, and leaves nothing behind`, async t => {
      const directory = await filled(t)
      const source = `${directory}-copy`
      await backUp(directory, source)
      spoil(source)
      const to = `${directory}-restored`
      await assert.rejects(restore(source, to), { code, message: text })
      assert.deepEqual(readdirSync(to), ['assay.lock'])
    })
  }
})
