// The write-ahead log as SQLite writes it (https://www.sqlite.org/walformat.html), read to tell damage from a torn end.

const header_bytes = 32
const frame_header_bytes = 24
/** The last bit tells the order of octets in the words that are summed. */
const magic = 0x377f0682

type Sum = readonly [number, number]

/**
 * Whether something is broken in it that was whole once. A commit is on the disk before the next one is begun, so a
 * crash can tear the last one alone. SQLite ends its reading at the first frame that does not verify; when a later
 * frame was built upon a commit at or after that one, what it would drop had been acknowledged.
 */
export function isBrokenWithin(log: Buffer): boolean {
  const header = log.subarray(0, header_bytes)
  // Not written yet: nothing was committed to it.
  if (header.length < header_bytes || header.every(octet => octet === 0)) return false
  const little = log.readUInt32BE(0) === magic
  const sum = checksum(header.subarray(0, 24), [0, 0], little)
  if ((!little && log.readUInt32BE(0) !== magic + 1) || !same(sum, sumAt(log, 24))) return true
  return leavesCommits(framesOf(log, little), sum)
}

interface Frame {
  /** Of this log, and not of an earlier one in the same file. */
  readonly current: boolean
  /** The last of its transaction. */
  readonly commits: boolean
  /** What it says that the sum of all up to itself is. */
  readonly sum: Sum
  /** What that is, after frames whose sum is `before`. */
  after(before: Sum): Sum
}

/** All that are whole. */
function framesOf(log: Buffer, little: boolean): Frame[] {
  const salts = log.subarray(16, 24)
  const size = frame_header_bytes + log.readUInt32BE(8)
  const count = Math.floor((log.length - header_bytes) / size)
  return Array.from({ length: count }, (_, index) => {
    const frame = log.subarray(header_bytes + index * size, header_bytes + (index + 1) * size)
    return {
      current: frame.subarray(8, 16).equals(salts),
      commits: frame.readUInt32BE(4) !== 0,
      sum: sumAt(frame, 16),
      after: before =>
        checksum(frame.subarray(frame_header_bytes), checksum(frame.subarray(0, 8), before, little), little),
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
      // Of the first one it may be the sum that is broken.
      return same(next.after(sum), next.sum) || (first && same(next.after(after(before)), next.sum))
    })
  )
}

/** Adds whole pairs of words to the sum. */
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
