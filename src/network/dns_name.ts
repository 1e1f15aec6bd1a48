// Names on the wire (RFC 1035), read exactly within their bounds. dns-packet is not used for reading: it joins labels with
// dots whatever they contain, so that the label `a.b` equals the labels `a` and `b`.

/** Octets of a whole name, length octets included (RFC 1035 section 2.3.4). */
export const NAME_OCTETS = 255
/** Compression pointers followed: a name has at most 127 labels, and pointers to pointers would cost time. */
const POINTERS = 127

export interface NameRead {
  /**
   * Lower case, without the final dot; the root is ''. Special octets are escaped (RFC 1035 section 5.1): `\046` is a
   * dot inside a label.
   */
  readonly name: string
  /** Offset after the name. */
  readonly end: number
}

/**
 * Reads a possibly compressed name (RFC 1035 section 4.1.4); null when it is malformed. Pointers must point backwards.
 */
export function readName(message: Buffer, offset: number): NameRead | null {
  const labels: string[] = []
  let at = offset
  let end = -1
  let octets = 1
  for (let start = at, pointers = 0; ; ) {
    const length = message[at]
    if (length === undefined) return null
    if (length === 0) return { name: labels.join('.'), end: end === -1 ? at + 1 : end }
    if (length >= 0xc0) {
      if (end === -1) end = at + 2
      at = ((length & 0x3f) << 8) | (message[at + 1] ?? 0xff)
      if (at >= start || ++pointers > POINTERS) return null
      start = at
      continue
    }
    octets += length + 1
    if (length > 63 || octets > NAME_OCTETS || at + length >= message.length) return null
    labels.push(label(message, at + 1, at + 1 + length))
    at += length + 1
  }
}

/** Each octet as text. A table, because a reply of 64 KiB can hold half a million labels. */
const octetText: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const plain = /^[!-\-/-[\]-~]$/.test(String.fromCharCode(octet))
  return plain ? String.fromCharCode(octet).toLowerCase() : `\\${String(octet).padStart(3, '0')}`
})

function label(message: Buffer, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += octetText[message[at] ?? 0]
  return text
}
