// Backups of the embedded store: beside a process that writes, after it was killed, and put back.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'libsql'
import { systemClock } from '../../src/clock.ts'
import { readSettings } from '../../src/config/config.ts'
import { backUp, MANIFEST } from '../../src/store/embedded/backup.ts'
import { databases } from '../../src/store/embedded/databases.ts'
import { openKeyFile, openStore } from '../../src/store/embedded/embedded_store.ts'
import { schema_version } from '../../src/store/embedded/migrations.ts'
import { restore } from '../../src/store/embedded/restore.ts'
import { openBackend } from '../../src/store/open_backend.ts'
import { StoreError } from '../../src/store/store.ts'
import { assayCommand, testProgram } from '../assay.ts'
import { openWith } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'

const OTHER = testProgram(join(import.meta.dirname, 'other_process.ts'))
const NOW = Date.parse('2026-11-25T12:00:00Z')
const monthly = { quota: 1e9, period: 'month' } as const

const made = (directory: string, target: string) => backUp({ directory, target, release: '1.2.3', now: NOW })

/** A store with one key; its label is `kept`. */
async function filled(t: TestContext): Promise<string> {
  const directory = freshDirectory(t)
  const { keys, close } = await openKeyFile({ directory })
  await keys.create({ plan: 'startup', label: 'kept' })
  await close()
  return directory
}

async function usedIn(directory: string, account: string): Promise<number> {
  const store = await openStore({ directory })
  const { used } = await store.quota.usage(account, monthly)
  await store.close()
  return used
}

const started = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL')
})

/** A process that counts answers until it is killed, and how many it has delivered. */
async function writing(t: TestContext, directory: string) {
  const log = `${directory}.answers`
  const child = spawn(process.execPath, [...OTHER, 'charge', directory, log], { stdio: 'ignore' })
  started.add(child)
  const ended = once(child, 'exit').finally(() => started.delete(child))
  const delivered = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  while (delivered() < 100) await pause(10)
  return { delivered, kill }
}

const hasCode = (code: string, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError, `${error} is no StoreError`)
  assert.equal(error.code, code)
  assert.match(error.message, text)
  return true
}

describe('a backup', () => {
  it('covers every database that a store makes in its data directory', async t => {
    const data = freshDirectory(t)
    const { config } = readSettings({ data }, '/', {})
    const backend = await openBackend(config, systemClock, () => {})
    await backend.close()
    const made = readdirSync(data).filter(name => name.endsWith('.db'))
    assert.deepEqual(made.sort(), databases.map(({ name }) => name).sort())
  })

  it('is readable by its owner only, and says what it holds', async t => {
    const directory = await filled(t)
    const target = `${directory}-copy`
    const manifest = await made(directory, target)
    assert.deepEqual(JSON.parse(readFileSync(join(target, MANIFEST), 'utf8')), manifest)
    assert.deepEqual(
      { format: manifest.format, assay: manifest.assay, created_at: manifest.created_at },
      { format: 1, assay: '1.2.3', created_at: '2026-11-25T12:00:00Z' },
    )
    assert.deepEqual(
      manifest.files.map(({ name, schema_version: version }) => [name, version]),
      [['assay.db', schema_version]],
    )
    assert.deepEqual(readdirSync(target).sort(), ['assay.db', MANIFEST])
    const modes = [target, ...readdirSync(target).map(name => join(target, name))].map(
      path => statSync(path).mode & 0o777,
    )
    assert.deepEqual(modes, [0o700, 0o600, 0o600])
  })

  it('holds every answer delivered before it began, beside a process that counts and after that was killed', async t => {
    const directory = freshDirectory(t)
    const { delivered, kill } = await writing(t, directory)
    const before = delivered()
    await made(directory, `${directory}-live`)
    const after = delivered()
    await kill()
    const all = delivered()
    await made(directory, `${directory}-killed`)

    const copied = async (name: string) => {
      await restore({ source: `${directory}-${name}`, directory: `${directory}-from-${name}` })
      return usedIn(`${directory}-from-${name}`, 'acc_killed')
    }
    const live = await copied('live')
    // A count is durable before its answer is delivered; fifty are under way.
    assert.ok(before <= live && live <= after + 50, `${before} ≤ ${live} ≤ ${after} + 50`)
    const killed = await copied('killed')
    assert.ok(all <= killed && killed <= all + 50, `${all} ≤ ${killed} ≤ ${all} + 50`)
  })

  it('is whole or not there when the command is killed', async t => {
    const directory = await filled(t)
    const history = new Database(join(directory, 'history.db'))
    history.exec('PRAGMA user_version = 1; CREATE TABLE results (id); INSERT INTO results VALUES (zeroblob(33554432))')
    history.close()
    const target = join(freshDirectory(t), 'copy')
    const child = spawn(process.execPath, [...assayCommand(), 'backup', target, '--data', directory], {
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    const isCopying = () => existsSync(join(target, '..')) && readdirSync(join(target, '..')).length > 0
    while (!isCopying() && child.exitCode === null) await pause(1)
    child.kill('SIGKILL')
    await ended
    if (existsSync(target)) assert.equal(JSON.parse(readFileSync(join(target, MANIFEST), 'utf8')).files.length, 2)
    await made(directory, `${target}-again`)
    await restore({ source: `${target}-again`, directory: `${target}-restored` })
    assert.deepEqual(readdirSync(`${target}-restored`).sort(), ['assay.db', 'assay.lock', 'history.db'])
  })

  const refusals: readonly [
    title: string,
    change: (directory: string, target: string) => void,
    code: string,
    text: RegExp,
  ][] = [
    ['a target that exists', (_, target) => mkdirSync(target), 'store_unavailable', /it exists already/],
    [
      'a target that cannot be created',
      (_, target) => writeFileSync(join(target, '..'), ''),
      'store_unavailable',
      /cannot write a backup to .*not a directory/,
    ],
    [
      'a directory without a store',
      directory => rmSync(join(directory, 'assay.db')),
      'store_unavailable',
      /has no store/,
    ],
    [
      'a damaged database',
      directory => truncateSync(join(directory, 'assay.db'), 8_192),
      'store_damaged',
      /assay\.db is damaged/,
    ],
    [
      'a database of a later release',
      directory => {
        const database = new Database(join(directory, 'assay.db'))
        database.exec(`PRAGMA user_version = ${schema_version + 1}`)
        database.close()
      },
      'store_too_new',
      /written by a later release/,
    ],
  ]
  for (const [title, change, code, text] of refusals) {
    it(`refuses ${title}, and leaves nothing behind`, async t => {
      const directory = await filled(t)
      const parent = `${directory}-backups`
      const target = join(parent, 'copy')
      if (title !== 'a target that cannot be created') mkdirSync(parent)
      change(directory, target)
      const before = statSync(parent).isDirectory() ? readdirSync(parent) : []
      await assert.rejects(made(directory, target), hasCode(code, text))
      assert.deepEqual(statSync(parent).isDirectory() ? readdirSync(parent) : [], before)
    })
  }
})

describe('a restore', () => {
  it('gives back keys and counts, readable by their owner only', async t => {
    const directory = await filled(t)
    await made(directory, `${directory}-copy`)
    const restored = `${directory}-restored`
    await restore({ source: `${directory}-copy`, directory: restored })
    assert.deepEqual(readdirSync(restored).sort(), ['assay.db', 'assay.lock'])
    assert.equal(statSync(join(restored, 'assay.db')).mode & 0o777, 0o600)
    const { keys, close } = await openKeyFile({ directory: restored })
    assert.deepEqual(
      (await keys.list()).map(({ label }) => label),
      ['kept'],
    )
    await close()
  })

  it('can be repeated when it was interrupted between two files', async t => {
    const directory = await filled(t)
    const backend = await openWith({
      store: null,
      data: directory,
      history: { days: 30, first_seen_days: 365, max_bytes: 2 ** 20 },
    })
    await backend.close()
    const source = `${directory}-copy`
    await made(directory, source)
    const restored = `${directory}-restored`
    mkdirSync(restored)
    cpSync(join(source, 'assay.db'), join(restored, 'assay.db'))
    await restore({ source, directory: restored })
    assert.deepEqual(readdirSync(restored).sort(), ['assay.db', 'assay.lock', 'history.db'])
  })

  it('keeps the schema of an earlier release, which the next start migrates', async t => {
    const [, ...lines] = readFileSync(join(import.meta.dirname, '../fixtures/stores/embedded_v1.sql'), 'utf8').split(
      '\n',
    )
    const directory = freshDirectory(t)
    mkdirSync(directory)
    const database = new Database(join(directory, 'assay.db'))
    database.exec(`PRAGMA journal_mode = WAL; ${lines.join('\n')}`)
    database.close()
    const { files } = await made(directory, `${directory}-copy`)
    assert.equal(files[0]?.schema_version, 1)
    await restore({ source: `${directory}-copy`, directory: `${directory}-restored` })
    const { keys, close } = await openKeyFile({ directory: `${directory}-restored` })
    assert.equal((await keys.list()).length, 6)
    await close()
  })

  it('refuses a directory on which a service runs', async t => {
    const directory = await filled(t)
    await made(directory, `${directory}-copy`)
    const child = spawn(process.execPath, [...OTHER, 'charge', `${directory}-running`, `${directory}.log`], {
      stdio: 'ignore',
    })
    started.add(child)
    t.after(() => child.kill('SIGKILL'))
    while (!existsSync(`${directory}.log`)) await pause(10)
    await assert.rejects(
      restore({ source: `${directory}-copy`, directory: `${directory}-running` }),
      hasCode('store_in_use', /another process serves/),
    )
  })

  type Change = (source: string, directory: string) => void
  const manifestWith =
    (change: (manifest: { format: number; files: { name: string }[] }) => void): Change =>
    source => {
      const path = join(source, MANIFEST)
      const manifest = JSON.parse(readFileSync(path, 'utf8'))
      change(manifest)
      writeFileSync(path, JSON.stringify(manifest))
    }
  const place =
    (name: string): Change =>
    (_, directory) => {
      mkdirSync(directory)
      writeFileSync(join(directory, name), 'something')
    }
  const refusals: readonly [title: string, change: Change, code: string, text: RegExp][] = [
    ['a directory with a database', place('assay.db'), 'store_unavailable', /exists: restore to an empty directory/],
    ['a directory with a log', place('assay.db-wal'), 'store_unavailable', /exists: restore to an empty directory/],
    ['a directory with another database', place('history.db'), 'store_unavailable', /history\.db exists/],
    [
      'a file with another byte',
      source => {
        const path = join(source, 'assay.db')
        const octets = readFileSync(path)
        octets.writeUInt8(octets.readUInt8(5_000) ^ 1, 5_000)
        writeFileSync(path, octets)
      },
      'store_damaged',
      /its SHA-256 differs/,
    ],
    ['a missing file', source => rmSync(join(source, 'assay.db')), 'store_damaged', /assay\.db is missing/],
    ['a directory without a manifest', source => rmSync(join(source, MANIFEST)), 'store_damaged', /no such file/],
    [
      'a manifest that is not JSON',
      source => writeFileSync(join(source, MANIFEST), '{'),
      'store_damaged',
      /not a complete backup/,
    ],
    [
      'another format',
      manifestWith(manifest => {
        manifest.format = 2
      }),
      'store_damaged',
      /its format is 2/,
    ],
    [
      'a manifest without the keys',
      manifestWith(manifest => {
        manifest.files = []
      }),
      'store_damaged',
      /assay\.db is missing/,
    ],
    [
      'a file that no store declares, such as one outside of the directory',
      manifestWith(manifest => {
        manifest.files.push({ ...manifest.files[0], name: '../other.db' })
      }),
      'store_too_new',
      /a later release wrote/,
    ],
  ]
  for (const [title, change, code, text] of refusals) {
    it(`refuses ${title}, and puts nothing in place`, async t => {
      const directory = await filled(t)
      const source = `${directory}-copy`
      await made(directory, source)
      const restored = `${directory}-restored`
      change(source, restored)
      const before = existsSync(restored) ? readdirSync(restored) : []
      await assert.rejects(restore({ source, directory: restored }), hasCode(code, text))
      const after = existsSync(restored) ? readdirSync(restored) : []
      assert.deepEqual(
        after.filter(name => name !== 'assay.lock'),
        before,
      )
    })
  }
})
