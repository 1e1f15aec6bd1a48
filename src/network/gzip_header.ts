// Where the compressed data of a gzip member begins (RFC 1952 section 2.3).

/** FLG.FHCRC, FEXTRA, FNAME, FCOMMENT; the other bits are reserved and must be zero. */
const flags = { hcrc: 0x02, extra: 0x04, name: 0x08, comment: 0x10, reserved: 0xe0 } as const

/** Octets of a header: names and comments of files have no place in a response. */
const longest = 8 * 1024

/** Octets before the data; `incomplete` when the header goes on, `malformed` when these octets begin none, or one too long. */
export function gzipHeader(octets: Buffer): number | 'incomplete' | 'malformed' {
  const length = headerLength(octets)
  if (length === 'malformed' || (length ?? octets.length) > longest) return 'malformed'
  return length === null || length > octets.length ? 'incomplete' : length
}

/** As far as can be told; null when not even that. */
function headerLength(octets: Buffer): number | 'malformed' | null {
  const [first = 0x1f, second = 0x8b, method = 8, flag = 0] = octets
  if (first !== 0x1f || second !== 0x8b || method !== 8 || (flag & flags.reserved) !== 0) return 'malformed'
  let at = 10
  if (flag & flags.extra) {
    if (octets.length < at + 2) return null
    at += 2 + octets.readUInt16LE(at)
  }
  for (const text of [flags.name, flags.comment]) {
    const end = flag & text ? octets.indexOf(0, at) : at - 1
    if (end === -1) return null
    at = end + 1
  }
  return flag & flags.hcrc ? at + 2 : at
}
