// Writes the subset of DER (X.690) that certificates need.

function tlv(tag: number, ...contents: readonly Buffer[]): Buffer {
  const value = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), length(value.length), value])
}

function length(octets: number): Buffer {
  if (octets < 0x80) return Buffer.from([octets])
  const digits = Buffer.alloc(4)
  digits.writeUInt32BE(octets)
  const significant = digits.subarray(digits.findIndex(digit => digit !== 0))
  return Buffer.concat([Buffer.from([0x80 | significant.length]), significant])
}

export const sequence = (...contents: readonly Buffer[]) => tlv(0x30, ...contents)
export const set = (...contents: readonly Buffer[]) => tlv(0x31, ...contents)
export const boolean = (value: boolean) => tlv(0x01, Buffer.from([value ? 0xff : 0]))
export const octets = (value: Buffer) => tlv(0x04, value)
export const bits = (value: Buffer, unusedBits = 0) => tlv(0x03, Buffer.from([unusedBits]), value)
export const nothing = () => tlv(0x05)
export const utf8 = (value: string) => tlv(0x0c, Buffer.from(value, 'utf8'))
export const contextTag = (number: number, ...contents: readonly Buffer[]) => tlv(0xa0 | number, ...contents)
/** A context-specific tag on a primitive value, as in the entries of a GeneralName. */
export const implicit = (number: number, value: Buffer) => tlv(0x80 | number, value)

/** Two's complement in its shortest form. */
export function integer(value: bigint): Buffer {
  let width = 1
  while (value !== BigInt.asIntN(width * 8, value)) width += 1
  const hex = BigInt.asUintN(width * 8, value).toString(16)
  return tlv(0x02, Buffer.from(hex.padStart(width * 2, '0'), 'hex'))
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

/** UTCTime until 2049, GeneralizedTime from 2050 and before 1950 (RFC 5280 section 4.1.2.5). */
export function time(value: Date): Buffer {
  const text = value.toISOString().replace(/[-:T]|\.\d+/g, '')
  const year = value.getUTCFullYear()
  return year >= 1950 && year < 2050 ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text))
}
