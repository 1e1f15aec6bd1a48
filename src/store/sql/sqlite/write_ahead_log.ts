// Reads SQLite's write-ahead log (https://www.sqlite.org/walformat.html) to distinguish damage from a torn end.
import { endianness } from 'node:os'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Its last bit is the byte order of the words in checksums. */
const MAGIC = 0x377f0682

type Sum = readonly [number, number]

/**
 * Whether the log is damaged in a part that was once written completely. A commit is on the disk before the next one starts,
 * so a crash can tear only the last commit. SQLite stops reading at the first frame that does not verify; if a later frame
 * builds upon a commit at or after that frame, SQLite would drop acknowledged commits.
 */
export function isBrokenWithin(log: Buffer): boolean {
  const header = log.subarray(0, HEADER_BYTES)
  // Not written yet: nothing was committed to it.
  if (header.length < HEADER_BYTES || header.every(octet => octet === 0)) return false
  const little = log.readUInt32BE(0) === MAGIC
  const sum = checksum(header.subarray(0, 24), [0, 0], little)
  if ((!little && log.readUInt32BE(0) !== MAGIC + 1) || !same(sum, sumAt(log, 24))) return true
  return leavesCommits(framesOf(log, little), sum)
}

interface Frame {
  /** Whether the frame belongs to this log and not to an earlier one in the same file. */
  readonly current: boolean
  /** Whether it ends a transaction. */
  readonly commits: boolean
  /** The stored checksum of everything up to and including this frame. */
  readonly sum: Sum
  /** The computed checksum, given the checksum `before` it. */
  after(before: Sum): Sum
}

/** All complete frames. */
function framesOf(log: Buffer, little: boolean): Frame[] {
  const salts = log.subarray(16, 24)
  const size = FRAME_HEADER_BYTES + log.readUInt32BE(8)
  const count = Math.floor((log.length - HEADER_BYTES) / size)
  return Array.from({ length: count }, (_, index) => {
    const frame = log.subarray(HEADER_BYTES + index * size, HEADER_BYTES + (index + 1) * size)
    return {
      current: frame.subarray(8, 16).equals(salts),
      commits: frame.readUInt32BE(4) !== 0,
      sum: sumAt(frame, 16),
      after: before =>
        checksum(frame.subarray(FRAME_HEADER_BYTES), checksum(frame.subarray(0, 8), before, little), little),
    }
  })
}

function leavesCommits(frames: readonly Frame[], start: Sum): boolean {
  let before = start
  const end = frames.findIndex(({ current, sum, after }) => {
    const actual = after(before)
    if (!current || !same(actual, sum)) return true
    before = actual
    return false
  })
  return (
    end !== -1 &&
    frames.slice(end).some(({ current, commits, sum, after }, index, rest) => {
      const next = rest[index + 1]
      const first = index === 0
      if (!commits || !next?.current || !(current || first)) return false
      // In the first frame, the checksum itself may be damaged.
      return same(next.after(sum), next.sum) || (first && same(next.after(after(before)), next.sum))
    })
  )
}

/** Adds whole pairs of words to the checksum. */
function checksum(octets: Buffer, [first, second]: Sum, little: boolean): Sum {
  const view = new DataView(octets.buffer, octets.byteOffset, octets.length)
  let [one, two] = [first, second]
  for (let at = 0; at < octets.length; at += 8) {
    one = (one + view.getUint32(at, little) + two) >>> 0
    two = (two + view.getUint32(at + 4, little) + one) >>> 0
  }
  return [one, two]
}

const sumAt = (octets: Buffer, at: number): Sum => [octets.readUInt32BE(at), octets.readUInt32BE(at + 4)]

const same = (a: Sum, b: Sum): boolean => a[0] === b[0] && a[1] === b[1]

/** Offsets in the shared memory beside a log (the same page, "The WAL-Index File Format"). Words have the machine's byte order. */
const INDEX = { initialised: 12, page_size: 14, frames: 16, octets: 48 } as const

/** Octets that the log had after the last commit, by the index in shared memory; null when that says nothing. */
export function writtenFrames(memory: Buffer): { readonly octets: number } | null {
  if (memory.length < INDEX.octets || memory.readUInt8(INDEX.initialised) === 0) return null
  const size = endianness() === 'LE' ? memory.readUInt16LE(INDEX.page_size) : memory.readUInt16BE(INDEX.page_size)
  const frames = endianness() === 'LE' ? memory.readUInt32LE(INDEX.frames) : memory.readUInt32BE(INDEX.frames)
  // 65 536 does not fit into 16 bits and is stored as 1.
  const page = size === 1 ? 65_536 : size
  return frames === 0 ? null : { octets: HEADER_BYTES + frames * (FRAME_HEADER_BYTES + page) }
}
