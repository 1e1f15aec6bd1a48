// Domain names on the wire and as text. Reading is our own: dns-packet joins labels with dots whatever is in them,
// so that one label `a.b` and the two labels `a` and `b` would be the same name.

/** RFC 1035 section 2.3.4: octets of a whole name, length octets included. */
const NAME_OCTETS = 255
/** A name has at most 127 labels, and no more reason to jump: without this, pointers to pointers cost time. */
const POINTERS = 127

export interface NameRead {
  /** Lower case, without the final dot; the root is ''. Octets that are not plain are escaped (RFC 1035 section 5.1): `\046` is a dot inside a label. */
  readonly name: string
  /** Offset after the name, where it stands. */
  readonly end: number
}

/** Reads a possibly compressed name (RFC 1035 section 4.1.4); null when there is none. Pointers only lead backwards. */
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
const shown: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const plain = /^[!-\-/-[\]-~]$/.test(String.fromCharCode(octet))
  return plain ? String.fromCharCode(octet).toLowerCase() : `\\${String(octet).padStart(3, '0')}`
})

function label(message: Buffer, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += shown[message[at] ?? 0]
  return text
}

/** Lower case, without the final dot: as names are compared. */
export const canonicalName = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()

/** It can be put into a question: plain labels of 1 to 63 octets, 253 octets in all (or the root). */
export function isAskable(name: string): boolean {
  if (name === '') return true
  return name.length <= NAME_OCTETS - 2 && name.split('.').every(part => /^[!-\-/-[\]-~]{1,63}$/.test(part))
}

/** It is the zone's name or below it. */
export const isWithin = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`)
