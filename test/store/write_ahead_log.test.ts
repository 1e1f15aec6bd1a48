// What is left of the store when its write-ahead log is cut or its octets are changed.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Direct from 'libsql'
import { createQuota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { isBrokenWithin } from '../../src/store/sql/sqlite/write_ahead_log.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const plan = { quota: 10_000, period: 'month' } as const
const commits = 6
const header_bytes = 32
/** One page and its header: what each commit here consists of. */
const frame_bytes = 24 + 4096

const all = process.env['WAL_STRIDE'] === '1'
/** Of the thousands of bits each so many-th is inverted: any of an octet's eight. */
const step = all ? 1 : 7
/** And each so many-th change is tried on SQLite itself; `WAL_STRIDE=1` tries all of all, in minutes. */
const stride = all ? 1 : 31

const openStore = async (directory: string) => {
  const { close, ...database } = await openSqlite({ directory, patience_ms: PATIENCE_MS.command })
  return { quota: createQuota({ close, ...database }, Date.now), close }
}

const directory = temporaryDirectory()
let database: Buffer
let log: Buffer
before(async () => {
  const store = await openStore(join(directory, 'used'))
  for (let n = 0; n < commits; n++) await store.quota.charge('acc_a', plan)
  database = readFileSync(join(directory, 'used', 'assay.db'))
  log = readFileSync(join(directory, 'used', 'assay.db-wal'))
  await store.close()
  assert.equal(log.length, header_bytes + commits * frame_bytes)
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
/** A connection keeps its files until its statements are collected as garbage: so many may be open meanwhile. */
const open_max = 50

let places = 0

/** A data directory with this log, as a crash would leave it. */
function place(left: Buffer): { at: string; gone(): void } {
  const at = join(directory, `${++places}`)
  mkdirSync(at)
  writeFileSync(join(at, 'assay.db'), database)
  writeFileSync(join(at, 'assay.db-wal'), left)
  return { at, gone: () => rmSync(at, { recursive: true }) }
}

/** What SQLite makes of it. */
async function usedAfter(left: Buffer): Promise<unknown> {
  const { at, gone } = place(left)
  const reader = new Direct(join(at, 'assay.db'))
  const { used } = (reader.prepare("SELECT counts ->> '$.month[1]' AS used FROM usage").get() ?? {}) as {
    used?: number
  }
  reader.close()
  gone()
  if (places % open_max === 0) {
    collectGarbage()
    await pause(0)
  }
  return used
}

/** With one bit inverted. */
function flipped(bit: number): Buffer {
  const changed = Buffer.from(log)
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return changed
}

/** The bits from an octet up to another, each `step`-th. */
function* bits(from: number, to: number, every: number): Generator<number> {
  for (let bit = from * 8; bit < to * 8; bit += every) yield bit
}

const beginOf = (commit: number) => header_bytes + (commit - 1) * frame_bytes

describe('a write-ahead log', () => {
  it('is valid as written, and so is a missing one', async () => {
    assert.equal(await usedAfter(log), commits)
    for (const sound of [log, Buffer.alloc(0), Buffer.alloc(header_bytes), log.subarray(0, header_bytes)]) {
      assert.equal(isBrokenWithin(sound), false)
    }
  })

  it('loses only its last commit when it is truncated in it', async () => {
    for (let length = beginOf(commits); length < log.length; length++) {
      const left = log.subarray(0, length)
      assert.equal(isBrokenWithin(left), false, `cut at ${length}`)
      if (length % stride === 0) assert.equal(await usedAfter(left), commits - 1, `cut at ${length}`)
    }
  })

  it('loses only its last commit when any bit of it is inverted', async () => {
    let tried = 0
    for (const bit of bits(beginOf(commits), log.length, step)) {
      const left = flipped(bit)
      assert.equal(isBrokenWithin(left), false, `bit ${bit}`)
      if (tried++ % stride === 0) assert.equal(await usedAfter(left), commits - 1, `bit ${bit}`)
    }
  })

  it('is damaged when any earlier bit is inverted: later commits would be lost', () => {
    for (const bit of bits(0, beginOf(commits), 5 * step)) {
      assert.equal(isBrokenWithin(flipped(bit)), true, `bit ${bit}`)
    }
  })

  it('is not damaged by remains of an earlier log after its end', async () => {
    const older = Buffer.from(log)
    for (let commit = 3; commit <= commits; commit++)
      older.writeUInt8(older.readUInt8(beginOf(commit) + 8) ^ 1, beginOf(commit) + 8)
    assert.equal(isBrokenWithin(older), false)
    assert.equal(await usedAfter(older), 2)
  })
})

describe('a store', () => {
  it('starts without the torn last commit, and continues counting', async () => {
    for (const left of [log.subarray(0, log.length - 1), flipped(8 * (log.length - 100))]) {
      const { at, gone } = place(left)
      const store = await openStore(at)
      assert.equal((await store.quota.usage('acc_a', plan)).used, commits - 1)
      const charged = await store.quota.charge('acc_a', plan)
      assert.equal('used' in charged && charged.used, commits)
      await store.close()
      gone()
    }
  })

  it('is refused and left unchanged when its log is damaged earlier', async () => {
    const left = flipped(8 * (beginOf(3) + 2_000))
    const { at, gone } = place(left)
    await assert.rejects(openStore(at), { code: 'store_damaged', message: /log is damaged or cut off/ })
    assert.deepEqual(readFileSync(join(at, 'assay.db-wal')), left)
    assert.deepEqual(readFileSync(join(at, 'assay.db')), database)
    assert.deepEqual(readdirSync(at).sort(), ['assay.db', 'assay.db-wal'])
    gone()
  })
})
