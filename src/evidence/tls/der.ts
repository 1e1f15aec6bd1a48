// Reads the subset of DER (X.690) that certificates use: definite lengths, one-octet tags. Never throws or recurses.

export interface Element {
  /** The identifier octet. */
  readonly tag: number
  readonly content: Buffer
  /** Header and content. */
  readonly whole: Buffer
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const

/** A TLS message cannot contain longer lengths. */
const MAX_LENGTH_BYTES = 4

function readElement(bytes: Buffer, at: number): Element | null {
  const tag = bytes[at]
  const first = bytes[at + 1]
  if (tag === undefined || first === undefined) return null
  const octets = first < 0x80 ? 0 : first & 0x7f
  const start = at + 2 + octets
  if (octets > MAX_LENGTH_BYTES || first === 0x80 || start > bytes.length) return null
  const length = octets === 0 ? first : bytes.readUIntBE(at + 2, octets)
  const end = start + length
  if (end > bytes.length) return null
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) }
}

/** The consecutive elements in `bytes`, up to the first malformed one; at most `most`. */
export function elements(bytes: Buffer, most = 64): Element[] {
  const children: Element[] = []
  for (let at = 0; children.length < most; ) {
    const element = readElement(bytes, at)
    if (element === null) break
    children.push(element)
    at += element.whole.length
  }
  return children
}

/** The elements within the sequence in `bytes`. */
export function inside(bytes: Buffer, most?: number): Element[] {
  const outer = readElement(bytes, 0)
  return outer === null ? [] : elements(outer.content, most)
}

/** The one element that `bytes` consists of; null if they are anything else, undefined without them. */
export function soleElement(bytes: Buffer | undefined, tag: number): Element | null | undefined {
  const element = bytes && readElement(bytes, 0)
  return element && (element.tag !== tag || element.whole.length !== bytes?.length) ? null : element
}

/** All elements within the sequence that `bytes` consist of; null if a part is malformed, undefined without `bytes`. */
export function sequenceIn(bytes: Buffer | undefined): Element[] | null | undefined {
  const outer = soleElement(bytes, tags.sequence)
  if (!outer) return outer
  const members = elements(outer.content, Number.POSITIVE_INFINITY)
  const length = members.reduce((sum, { whole }) => sum + whole.length, 0)
  return length === outer.content.length ? members : null
}

/** The dotted form of an OBJECT IDENTIFIER; '' if it is longer than any real one. */
export function dottedOid(content: Buffer): string {
  if (content.length > 64) return ''
  const arcs: bigint[] = []
  let arc = 0n
  for (const octet of content) {
    arc = (arc << 7n) | BigInt(octet & 0x7f)
    if (octet & 0x80) continue
    arcs.push(arc)
    arc = 0n
  }
  const [head = 0n, ...rest] = arcs
  const root = head < 80n ? head / 40n : 2n
  return [root, head - root * 40n, ...rest].join('.')
}

/** The size in bits of an unsigned INTEGER, without leading zeros. */
export function bitLength(content: Buffer): number {
  const first = content.findIndex(octet => octet !== 0)
  return first < 0 ? 0 : (content.length - first) * 8 - (Math.clz32(content[first] ?? 0) - 24)
}
