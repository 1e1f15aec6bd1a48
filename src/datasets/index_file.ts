// A file of number columns behind a JSON head. Short columns are read into memory, long ones stay on disk: the system keeps
// the parts in use in its page cache, which all processes share and which it takes back when memory is short.
// What is read into memory is checked by CRC-32, because a damaged column would miss listed names without an error. Columns on
// disk are not checked, so that a start does not read them.
import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { arch } from 'node:os'
import { crc32 } from 'node:zlib'
import type { Column, Numbers } from './feed/key_table.ts'
import { yieldToEventLoop } from './feed/yield_to_event_loop.ts'

const arrayTypes = { Uint8Array, Uint16Array, Uint32Array }
type ArrayType = keyof typeof arrayTypes

interface Head {
  /** Files of other versions, and of machines with another order of octets, are ignored. */
  readonly format: string
  readonly meta: unknown
  /** `checksum`: null for a column that stays on disk. */
  readonly columns: readonly (readonly [name: string, type: ArrayType, length: number, checksum: number | null])[]
}

const format = `assay index 2 ${arch()}`
/** Before the head: its length and its checksum. */
const HEAD_AT = 8
/** Columns begin at a multiple of this. */
const ALIGNMENT = 8
/** No head is longer. */
const LONGEST_HEAD = 64 * 1024
/** Octets up to which a column is in memory: a list of 300 000 names. */
const IN_MEMORY = 4 * 1024 * 1024
/** Octets of one read from disk: one page of the system's cache. */
const BLOCK = 4_096

const aligned = (octets: number): number => Math.ceil(octets / ALIGNMENT) * ALIGNMENT

/** Replaces the file as a whole or not at all. */
export async function writeIndexFile(
  path: string,
  temporary: string,
  meta: object,
  columns: Readonly<Record<string, Numbers>>,
): Promise<void> {
  const list = Object.values(columns).map(octetsOf)
  const head = headOf({ format, meta, columns: await describeColumns(columns) })
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(head)
    for (const octets of list) {
      await file.writeFile(octets)
      await file.writeFile(Buffer.alloc(aligned(octets.length) - octets.length))
    }
    await file.sync()
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

const octetsOf = ({ buffer, byteOffset, byteLength }: Numbers) => new Uint8Array(buffer, byteOffset, byteLength)

async function describeColumns(columns: Readonly<Record<string, Numbers>>): Promise<Head['columns']> {
  const yieldNow = yieldToEventLoop()
  const list: Head['columns'][number][] = []
  for (const [name, column] of Object.entries(columns)) {
    const checksum = column.byteLength > IN_MEMORY ? null : crc32(octetsOf(column))
    list.push([name, column.constructor.name as ArrayType, column.length, checksum])
    await yieldNow()
  }
  return list
}

function headOf(head: Head): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const octets = Buffer.alloc(HEAD_AT + aligned(text.length), ' ')
  text.copy(octets, HEAD_AT)
  octets.writeUInt32LE(octets.length - HEAD_AT, 0)
  octets.writeUInt32LE(crc32(octets.subarray(HEAD_AT)), 4)
  return octets
}

export interface IndexFile {
  readonly meta: unknown
  /** Throws when there is no such column. */
  column(name: string): Column
}

/** Null when there is no file, or one of another version or machine. Rejects when it cannot be read, is cut short or damaged. */
export async function openIndexFile(path: string): Promise<IndexFile | null> {
  const file = await open(path).catch(() => null)
  if (file === null) return null
  try {
    return await readIndexFile(file, path)
  } finally {
    await file.close()
  }
}

async function readIndexFile(file: FileHandle, path: string): Promise<IndexFile | null> {
  const start = Buffer.from(await readAt(file, 0, HEAD_AT))
  const headOctets = start.readUInt32LE(0)
  if (headOctets > LONGEST_HEAD) return null
  const text = await readChecked(file, HEAD_AT, headOctets, start.readUInt32LE(4))
  const head = JSON.parse(Buffer.from(text).toString()) as Head
  if (head.format !== format) return null
  const { size } = await file.stat()
  const ends = head.columns.reduce(
    (end, [, type, length]) => end + aligned(length * arrayTypes[type].BYTES_PER_ELEMENT),
    HEAD_AT + headOctets,
  )
  if (size !== ends) throw new Error(`${path} is cut short`)
  const columns = new Map<string, Column>()
  let at = HEAD_AT + headOctets
  let kept: { readonly fd: number } | null = null
  for (const [name, type, length, checksum] of head.columns) {
    const octets = length * arrayTypes[type].BYTES_PER_ELEMENT
    if (octets <= IN_MEMORY) columns.set(name, new arrayTypes[type](await readChecked(file, at, octets, checksum)))
    else {
      kept ??= openKept(path)
      columns.set(name, columnOnDisk(kept, at, length, arrayTypes[type]))
    }
    at += aligned(octets)
  }
  return {
    meta: head.meta,
    column(name) {
      const column = columns.get(name)
      if (column === undefined) throw new Error(`${path} has no ${name}`)
      return column
    },
  }
}

async function readChecked(
  file: FileHandle,
  position: number,
  octets: number,
  checksum: number | null,
): Promise<ArrayBuffer> {
  const buffer = await readAt(file, position, octets)
  if (crc32(new Uint8Array(buffer)) !== checksum) throw new Error('the file is damaged')
  return buffer
}

async function readAt(file: FileHandle, position: number, octets: number): Promise<ArrayBuffer> {
  const buffer = new Uint8Array(octets)
  for (let done = 0; done < octets; ) {
    const { bytesRead } = await file.read(buffer, done, octets - done, position + done)
    if (bytesRead === 0) throw new Error('the file is cut short')
    done += bytesRead
  }
  return buffer.buffer
}

/** Closes a file when nothing can look into it any more: a check may still use a list that has been replaced. */
const unused = new FinalizationRegistry<number>(fd => closeSync(fd))

function openKept(path: string): { readonly fd: number } {
  const kept = { fd: openSync(path, 'r') }
  unused.register(kept, kept.fd)
  return kept
}

/** The last block that was read is kept, because look-ups read neighbours. */
function columnOnDisk(
  file: { readonly fd: number },
  position: number,
  length: number,
  type: (typeof arrayTypes)[ArrayType],
): Column {
  const block = new type(BLOCK / type.BYTES_PER_ELEMENT)
  let held = -1
  return {
    length,
    byteLength: block.byteLength,
    at(n) {
      const wanted = Math.floor(n / block.length)
      if (wanted !== held) {
        held = -1
        readNumbers(file.fd, block, position + wanted * BLOCK)
        held = wanted
      }
      return n < length ? block[n % block.length] : undefined
    },
    subarray(from, to) {
      const numbers = new type(Math.max(0, Math.min(to, length) - from))
      readNumbers(file.fd, numbers, position + from * numbers.BYTES_PER_ELEMENT)
      return numbers
    },
  }
}

/** The last block of a column may be followed by nothing. */
function readNumbers(fd: number, numbers: Numbers, position: number): void {
  const octets = new Uint8Array(numbers.buffer)
  for (let done = 0; done < octets.length; ) {
    const read = readSync(fd, octets, done, octets.length - done, position + done)
    if (read === 0) return
    done += read
  }
}
