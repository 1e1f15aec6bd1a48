// Decompresses a file, up to a limit: gzip, or the first member of a ZIP archive, recognised by their first octets.
// No ZIP library: yauzl and others need the central directory at the end and random access, and publishers ship one
// member, which zlib inflates as a stream from the local header.
import { type FileHandle, open } from 'node:fs/promises'
import { type Readable, Transform } from 'node:stream'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { UnusableDataset } from './dataset.ts'

/** Octets of a local file header of a ZIP archive before the file name (APPNOTE 4.3.7). */
const ZIP_HEADER = 30
const STORED = 0
const DEFLATED = 8

/** Rejects with `UnusableDataset` when the file cannot be read; the stream fails with one when the content exceeds the limit. */
export async function openPlain(path: string, max_bytes: number): Promise<Readable> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`
    throw new UnusableDataset(`${path}: ${why}`, error.code === 'ENOENT' ? 'no_file' : 'unreadable')
  })
  try {
    return await decompressed(file, path, max_bytes)
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

async function decompressed(file: FileHandle, path: string, max_bytes: number): Promise<Readable> {
  const head = Buffer.alloc(ZIP_HEADER)
  const { bytesRead } = await file.read(head, 0, ZIP_HEADER, 0)
  const whole = (start: number) => file.createReadStream({ start })
  const cap = () => capped(path, max_bytes)
  if (bytesRead > 2 && head.readUInt16BE(0) === 0x1f8b) return chained(whole(0), createGunzip(), cap())
  if (bytesRead === ZIP_HEADER && head.readUInt32LE(0) === 0x04034b50) {
    const method = head.readUInt16LE(8)
    const start = ZIP_HEADER + head.readUInt16LE(26) + head.readUInt16LE(28)
    if (method === DEFLATED) return chained(whole(start), createInflateRaw(), cap())
    const size = head.readUInt32LE(18)
    if (method === STORED && size > 0) return chained(file.createReadStream({ start, end: start + size - 1 }), cap())
    throw new UnusableDataset(`${path}: unsupported kind of ZIP archive`, 'bad_encoding')
  }
  return chained(whole(0), cap())
}

/** Joins streams into one: an error of any of them reaches the last, and the end of the last closes all. */
function chained(first: Readable, ...rest: Transform[]): Readable {
  const last = rest.reduce<Readable>((from, to) => {
    from.once('error', error => to.destroy(asUnusable(error)))
    to.once('close', () => from.destroy())
    return from.pipe(to)
  }, first)
  return last
}

const asUnusable = (error: Error): Error =>
  error instanceof UnusableDataset
    ? error
    : new UnusableDataset(`cannot be decompressed: ${error.message}`, 'bad_encoding')

function capped(path: string, max_bytes: number): Transform {
  let left = max_bytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left < 0) done(new UnusableDataset(`${path}: larger than ${max_bytes} octets`, 'too_large'))
      else done(null, chunk)
    },
  })
}
