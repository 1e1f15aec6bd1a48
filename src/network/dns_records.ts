// The data of each record type, read from a reply exactly within its bounds; null when it is not what the type says.
import ipaddr from 'ipaddr.js'
import type { Frame } from './dns_message.ts'
import { readName } from './dns_name.ts'
import type { RecordData } from './resolve.ts'

type Read<T> = (message: Buffer, frame: Frame) => T | null
type Readers = { readonly [Type in keyof RecordData]: Read<RecordData[Type]> }

/** RFC 1035 section 3.3 for the old types; AAAA RFC 3596, CAA RFC 8659 section 4.1, DS RFC 4034 section 5.1, TLSA RFC 6698 section 2.1. */
export const readers: Readers = {
  A: (message, frame) => address(message, frame, 4),
  AAAA: (message, frame) => address(message, frame, 16),
  CNAME: (message, frame) => lastName(message, frame, 0),
  NS: (message, frame) => lastName(message, frame, 0),
  PTR: (message, frame) => lastName(message, frame, 0),
  MX(message, frame) {
    const exchange = lastName(message, frame, 2)
    return exchange === null ? null : { preference: message.readUInt16BE(frame.start), exchange }
  },
  TXT: characterStrings,
  SOA(message, { start, end }) {
    const mname = readName(message, start)
    const rname = mname && readName(message, mname.end)
    if (!rname || rname.end + 20 !== end) return null
    return { mname: mname.name, rname: rname.name, serial: message.readUInt32BE(rname.end) }
  },
  CAA(message, { start, end }) {
    const value = start + 2 + (message[start + 1] ?? 0)
    if (end - start < 3 || value === start + 2 || value > end) return null
    return {
      critical: message.readUInt8(start) >= 0x80,
      tag: message.toString('latin1', start + 2, value),
      value: message.toString('latin1', value, end),
    }
  },
  DS(message, { start, end }) {
    if (end - start < 5) return null
    const key_tag = message.readUInt16BE(start)
    return { key_tag, algorithm: message.readUInt8(start + 2), digest_type: message.readUInt8(start + 3) }
  },
  TLSA(message, { start, end }) {
    if (end - start < 4) return null
    const usage = message.readUInt8(start)
    return { usage, selector: message.readUInt8(start + 1), matching_type: message.readUInt8(start + 2) }
  },
}

function address(message: Buffer, { start, end }: Frame, octets: number): string | null {
  return end - start === octets ? ipaddr.fromByteArray([...message.subarray(start, end)]).toString() : null
}

/** A name that ends where the data ends, after `skip` octets of something else. */
function lastName(message: Buffer, { start, end }: Frame, skip: number): string | null {
  if (end - start <= skip) return null
  const read = readName(message, start + skip)
  return read?.end === end ? read.name : null
}

/** One or more strings of a length octet and that many octets, joined with nothing between (RFC 7208 section 3.3). */
function characterStrings(message: Buffer, { start, end }: Frame): string | null {
  const parts: string[] = []
  for (let at = start; at < end; ) {
    const next = at + 1 + message.readUInt8(at)
    if (next > end) return null
    parts.push(message.toString('latin1', at + 1, next))
    at = next
  }
  return parts.length === 0 ? null : parts.join('')
}
