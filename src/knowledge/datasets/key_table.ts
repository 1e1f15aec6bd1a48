// The keys of a list as a table of keyed hashes in one SQLite file. It is written in sorted batches on a thread, replaced as a
// whole, and read in place: a look-up takes microseconds and needs a few pages of the file, which the system caches.
// A hash of 64 bits stands for its key: with n keys in a table, one look-up finds a key by chance with odds of n in 2^64.
import { hash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import Direct from 'libsql'
import Threaded from 'libsql/promise'

export interface KeyTable {
  /** Distinct keys and pairs. */
  readonly rows: number
  /** What was given to `finish`. */
  readonly details: Readonly<Record<string, unknown>>
  has(key: string): boolean
  /** The number of the first row with the key, from 1 on; null without such a row, or in a table without numbered rows. */
  placeOf(key: string): number | null
  /** How many pairs have this first key, up to `MOST_COUNTED`. */
  countPairs(first: string): number
  hasPair(first: string, second: string): boolean
}

export type KeyTableBuilder = Awaited<ReturnType<typeof createKeyTable>>

/** Octets of one hash. */
const HASH = 8
/** Octets of the secret that is hashed before each key, so that attackers cannot construct a key that collides with a listed key. */
const SECRET = 16
/** Rows sorted and merged at once: in memory some 25 MB, and ten million names are merged in 40 passes over the file. */
const BATCH = 262_144
/** A host with more pages than this has "many": to count them all would hold up requests. */
export const MOST_COUNTED = 10_000

/**
 * Written without a journal and without waiting for the disk: a file that is not complete is never put in its place, and one
 * that a crash of the machine left incomplete has the wrong checksum.
 */
const SETUP = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;
CREATE TABLE keys (key BLOB PRIMARY KEY, place INTEGER) WITHOUT ROWID;
CREATE TABLE meta (secret TEXT, rows INTEGER, details TEXT);
BEGIN`

/** Adds the ?3 keys of ?2 octets each that are in ?1. The first row of a key stays. */
const MERGE = `INSERT OR IGNORE INTO keys
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)
SELECT substr(?1, 1 + ?2 * i, ?2) AS key, ?4 + i AS place FROM n ORDER BY key, place`

const FIND = 'SELECT place FROM keys WHERE key = ? LIMIT 1'
const COUNT = `SELECT count(*) AS count FROM (SELECT 1 FROM keys WHERE key > ? AND key <= ? LIMIT ${MOST_COUNTED})`
const META = 'SELECT secret, rows, details FROM meta LIMIT 1'

/** What connections of both kinds prepare. A single buffer must be in an array, or it is taken for named parameters. */
interface Statement {
  get(parameters: readonly unknown[]): object | undefined
}

/** Writes the first octets of the keyed hash of the text. Node's SHA-256 takes a third of a microsecond. */
const writeHash = (secret: string, key: string, octets: Buffer, at: number): void =>
  void octets.write(hash('sha256', secret + key, 'binary'), at, HASH, 'latin1')

interface KeyTableOptions {
  /** Whether rows are numbered in the order in which they are added. */
  readonly numbered?: boolean
  /** Called when a look-up fails because the file is damaged or cannot be read. */
  readonly onDamage?: () => void
}

/** Rows of one width, in the order in which they were added; the first has the number `place`. */
interface Batch {
  readonly octets: Buffer
  readonly width: number
  readonly count: number
  readonly place: number | null
}

/** Builds a table in a new file, or in memory where `path` is null. */
export async function createKeyTable(path: string | null, { numbered = false, onDamage }: KeyTableOptions = {}) {
  const database = new Threaded(path ?? ':memory:', {})
  const secret = randomBytes(SECRET).toString('hex')
  let mustClose = true
  await database.exec(SETUP)
  const statement = await database.prepare(MERGE)
  /** What is collected while the batch before it is merged on a thread. */
  const ready: Batch[] = []
  let merging = Promise.resolve()
  let places = 1

  const merge = () => {
    const batches = ready.splice(0)
    merging = merging.then(async () => {
      for (const { octets, width, count, place } of batches) await statement.all(octets, width, count, place)
    })
    // The next caller that waits for it gets the error.
    merging.catch(() => {})
  }

  const push = (batch: Omit<Batch, 'place'>) => {
    ready.push({ ...batch, place: numbered ? places : null })
    places += batch.count
  }
  const singles = collectRows(secret, 1, push)
  const pairs = collectRows(secret, 2, push)

  return {
    add: singles.add,
    /** A pair of keys, apart from the single ones. */
    addPair: pairs.add,
    /** Call often, between additions: begins to merge what was added once there is enough of it, and waits for what was merged before. */
    async settle() {
      if (ready.length === 0) return
      await merging
      merge()
    },
    /** Completes the table. */
    async finish(details: object) {
      singles.flush()
      pairs.flush()
      merge()
      await merging
      const write = await database.prepare('INSERT INTO meta SELECT ?, count(*), ? FROM keys RETURNING rows')
      await write.all(secret, JSON.stringify(details))
      await database.exec('COMMIT')
      if (path === null) {
        const [find, count, meta] = await Promise.all([FIND, COUNT, META].map(text => database.prepare(text)))
        mustClose = false
        return tableOf({ find, count, meta } as unknown as Statements)
      }
      database.close()
      mustClose = false
      await writeChecksum(path)
      return readTable(path, onDamage)
    },
    /** Releases what the builder holds; does nothing once it is finished. */
    async abandon() {
      await merging.catch(() => {})
      if (mustClose) database.close()
      mustClose = false
    },
  }
}

/** Collects rows of `keys` keys, hashed, and passes them on in batches. */
function collectRows(secret: string, keys: number, push: (batch: Omit<Batch, 'place'>) => void) {
  const width = keys * HASH
  let octets: Buffer | null = null
  let count = 0
  const flush = () => {
    if (octets !== null) push({ octets: octets.subarray(0, count * width), width, count })
    octets = null
    count = 0
  }
  return {
    add(...row: readonly string[]) {
      octets ??= Buffer.alloc(BATCH * width)
      let at = count * width
      for (const key of row) {
        writeHash(secret, key, octets, at)
        at += HASH
      }
      count += 1
      if (count === BATCH) flush()
    },
    flush,
  }
}

/** The table in this file; null if it does not exist or is damaged. */
export async function openKeyTable(path: string, onDamage?: () => void): Promise<KeyTable | null> {
  const checksums = await checksumsOf(path).catch(() => null)
  if (checksums === null || checksums.written !== checksums.found) return null
  try {
    return readTable(path, onDamage)
  } catch {
    // An empty file has the right checksum, and a machine that lost its power may leave one.
    return null
  }
}

function readTable(path: string, onDamage?: () => void): KeyTable {
  // The file never changes, so that SQLite needs neither locks nor a look at it before each look-up.
  const database = new Direct(`${pathToFileURL(path)}?immutable=1`)
  database.exec('PRAGMA cache_size = -1024')
  const [find, count, meta] = [FIND, COUNT, META].map(text => database.prepare(text))
  return tableOf({ find, count, meta } as unknown as Statements, onDamage)
}

type Statements = Readonly<Record<'find' | 'count' | 'meta', Statement>>

/** SQLite closes the file when nothing refers to the table any more: a check may still use a list that has been replaced. */
function tableOf({ find, count, meta }: Statements, onDamage = () => {}): KeyTable {
  const { secret, rows, details } = meta.get([]) as { secret: string; rows: number; details: string }
  const octets = Buffer.alloc(2 * HASH)
  const last = Buffer.alloc(2 * HASH, 0xff)
  const keyOf = (first: string, second?: string): Buffer => {
    writeHash(secret, first, octets, 0)
    if (second === undefined) return octets.subarray(0, HASH)
    writeHash(secret, second, octets, HASH)
    return octets
  }
  const ask = (statement: Statement, parameters: readonly Buffer[]): object | undefined => {
    try {
      return statement.get(parameters)
    } catch (error) {
      onDamage()
      throw error
    }
  }
  return {
    rows,
    details: JSON.parse(details),
    has: key => ask(find, [keyOf(key)]) !== undefined,
    placeOf: key => (ask(find, [keyOf(key)]) as { place: number | null } | undefined)?.place ?? null,
    countPairs(first) {
      const from = keyOf(first)
      from.copy(last)
      return (ask(count, [from, last]) as { count: number }).count
    },
    hasPair: (first, second) => ask(find, [keyOf(first, second)]) !== undefined,
  }
}

// SQLite notices a damaged structure, but not another key or place. So a CRC-32 of the file is in the field of its head that
// SQLite leaves to applications (`user_version`, offset 60); it is computed as if that field were 0.
const CHECKSUM = { at: 60, end: 64 }
const BLOCK = 1024 * 1024

async function checksumsOf(path: string): Promise<{ readonly written: number; readonly found: number }> {
  let recordedSum = 0
  let computedSum = 0
  let isHead = true
  for await (const block of createReadStream(path, { highWaterMark: BLOCK }) as AsyncIterable<Buffer>) {
    if (isHead) {
      recordedSum = block.readUInt32BE(CHECKSUM.at)
      block.fill(0, CHECKSUM.at, CHECKSUM.end)
      isHead = false
    }
    computedSum = crc32(block, computedSum)
  }
  return { written: recordedSum, found: computedSum }
}

async function writeChecksum(path: string): Promise<void> {
  const { found } = await checksumsOf(path)
  const octets = Buffer.alloc(CHECKSUM.end - CHECKSUM.at)
  octets.writeUInt32BE(found)
  const file = await open(path, 'r+')
  try {
    await file.write(octets, 0, octets.length, CHECKSUM.at)
    await file.sync()
  } finally {
    await file.close()
  }
}
