// Decodes A-labels to Unicode (RFC 3492, RFC 5890 section 2.3.2.1).

const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const INITIAL_N = 128
const LAST_CODE_POINT = 0x10ffff

/** A label in Unicode; null if its Punycode is invalid. Labels without the prefix are returned as they are. */
export const toUnicode = (label: string): string | null =>
  label.startsWith('xn--') ? decodePunycode(label.slice('xn--'.length)) : label

/** RFC 3492 section 6.2; null for invalid input, including surrogates. */
export function decodePunycode(input: string): string | null {
  const delimiter = input.lastIndexOf('-')
  const output = [...input.slice(0, Math.max(delimiter, 0))].map(letter => letter.charCodeAt(0))
  let n = INITIAL_N
  let i = 0
  let bias = INITIAL_BIAS
  for (let at = delimiter + 1; at < input.length; ) {
    const integer = readInteger(input, at, bias)
    if (integer === null) return null
    at = integer.end
    const before = i
    i += integer.value
    const length = output.length + 1
    bias = adapt(i - before, length, before === 0)
    n += Math.floor(i / length)
    i %= length
    if (n > LAST_CODE_POINT || (n >= 0xd800 && n <= 0xdfff)) return null
    output.splice(i++, 0, n)
  }
  return String.fromCodePoint(...output)
}

/** A generalized variable-length integer (RFC 3492 section 3.3). */
function readInteger(input: string, start: number, bias: number): { value: number; end: number } | null {
  let value = 0
  let weight = 1
  for (let at = start, k = BASE; at < input.length; at++, k += BASE) {
    const digit = digitOf(input.charCodeAt(at))
    if (digit === null) return null
    value += digit * weight
    if (value > Number.MAX_SAFE_INTEGER) return null
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
    if (digit < threshold) return { value, end: at + 1 }
    weight *= BASE - threshold
  }
  return null
}

function digitOf(code: number): number | null {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61
  if (code >= 0x41 && code <= 0x5a) return code - 0x41
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : null
}

/** RFC 3492 section 6.1. */
function adapt(delta: number, length: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}
