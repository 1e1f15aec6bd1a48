// Copies of plain data that share no memory with their source, and their size on the heap. V8 keeps the whole source of a
// `slice`, `split` or `match` of 13 characters or more alive: a name of 20 characters from an answer of 64 KiB holds 64 KiB.
// Concatenated text holds its parts until it is first read.

/**
 * A frozen deep copy with texts, arrays and objects of its own. Accepts strings, numbers, booleans, null, undefined, `Date`,
 * arrays and plain objects; throws a `TypeError` for anything else, whose size is unknown.
 */
export function ownCopy<Value>(value: Value): Value
export function ownCopy(value: unknown): unknown {
  if (typeof value === 'string') return ownText(value)
  if (value === null || typeof value !== 'object') return ownPrimitive(value)
  if (Array.isArray(value)) return Object.freeze(value.map(item => ownCopy(item)))
  if (value instanceof Date) return Object.freeze(new Date(value))
  if (!isPlain(value)) throw notPlain(value.constructor?.name ?? 'an object')
  // A spread would cost more: V8 gives each object that is spread and then frozen a shape of its own, some 200 bytes.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, ownCopy(part)])))
}

/**
 * The same text in memory of its own. The detour through UTF-16 loses nothing, not even lone surrogates, and V8 stores the
 * result with one byte a character where possible.
 */
export const ownText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** The same bytes in memory of their own: small buffers are slices of a pool of 8 KiB. */
export function ownOctets(octets: Buffer): Buffer {
  if (octets.length === octets.buffer.byteLength) return octets
  const copy = Buffer.allocUnsafeSlow(octets.length)
  octets.copy(copy)
  return copy
}

function ownPrimitive(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) return value
  throw notPlain(`a ${typeof value}`)
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const notPlain = (what: string) => new TypeError(`only plain data can be cached: ${what} is not`)

/** Bytes of V8's objects on 64 bits without pointer compression, which Node does not use. */
const WORD = 8
const TEXT_HEAD = 16
const ARRAY = 32
const ELEMENTS_HEAD = 16
/** An object with room for four properties; more are stored beside it, three at a time. */
const OBJECT = 56
const PLACES = 4
const MORE = 3
const DATE = 112
/** A number that is not a small integer is an object of its own. */
const NUMBER = 16

const isSmall = (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 31

/** Heap bytes of a copy by `ownCopy`. Repeated text counts each time. */
export function heapOctets(value: unknown): number {
  if (typeof value === 'string') return textOctets(value)
  if (typeof value === 'number') return isSmall(value) ? 0 : NUMBER
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Date) return DATE
  if (Array.isArray(value)) return sum(value, ARRAY + ELEMENTS_HEAD + WORD * value.length)
  const values = Object.values(value)
  const beside = Math.ceil(Math.max(0, values.length - PLACES) / MORE)
  return sum(values, OBJECT + (beside > 0 ? ELEMENTS_HEAD : 0) + WORD * MORE * beside)
}

const sum = (values: readonly unknown[], own: number): number =>
  values.reduce<number>((octets, value) => octets + heapOctets(value), own)

/** A buffer of its own: the object, V8's record of it outside the heap, and the allocator's header. Its bytes are added. */
export const BUFFER = 352

/** V8 takes two bytes a character if any character is beyond Latin-1. */
const textOctets = (text: string): number =>
  TEXT_HEAD + Math.ceil((text.length * (/[^\0-\xff]/.test(text) ? 2 : 1)) / WORD) * WORD
