// Hashes of text and its n-grams that are the same on every machine: FNV-1a with the final mix of MurmurHash3.

export const start = 0x811c9dc5

/** One more UTF-16 code unit. */
export const step = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)

/** FNV's high bits alone are weak on short text. */
export function finish(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** 32 bits, unsigned. */
export function hashText(text: string, seed = start): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) hash = step(hash, text.charCodeAt(index))
  return finish(hash)
}

// Unfinished hashes of n-grams, words and whole texts. Functions that find several write them to `list` from index
// `count` and return the new count; typed arrays drop what exceeds their length.

/** A text as character codes, because it is read many times. */
type Codes = ReturnType<typeof createCodes>

const CARET = 94
const DOLLAR = 36
const HYPHEN = 45
const DOT = 46

/** The octets of a name (RFC 1035 section 2.3.4), and a mark at both ends. */
const MAX_CODES = 255

export const createCodes = () => ({ codes: new Uint8Array(MAX_CODES), length: 0 })

/** `^text$`, each character looked up in `table` when there is one. */
export function writeCodes(text: string, to: Codes, table?: Uint8Array): void {
  const { codes } = to
  const length = Math.min(text.length, MAX_CODES - 2)
  codes[0] = CARET
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    codes[at + 1] = table === undefined ? code : (table[code & 127] ?? 0)
  }
  codes[length + 1] = DOLLAR
  to.length = length + 2
}

/** Every n-gram with `least` to `most` characters. */
export function addGrams(
  { codes, length }: Codes,
  seed: number,
  [least, most]: readonly [number, number],
  list: Uint32Array,
  count: number,
): number {
  let size = count
  for (let from = 0; from + least <= length; from++) {
    let hash = seed
    const first = from + least - 1
    const to = Math.min(length, from + most)
    for (let at = from; at < first; at++) hash = step(hash, codes[at] ?? 0)
    for (let at = first; at < to; at++) {
      hash = step(hash, codes[at] ?? 0)
      list[size++] = hash
    }
  }
  return size
}

const isBetween = (code: number) => code === HYPHEN || code === DOT || (code >= 48 && code <= 57)

/** Words of at least two characters between hyphens, dots and digits. */
export function addParts(text: string, seed: number, list: Uint32Array, count: number): number {
  let size = count
  let hash = seed
  let length = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : HYPHEN
    if (!isBetween(code)) {
      hash = step(hash, code)
      length++
      continue
    }
    if (length > 1) list[size++] = hash
    hash = seed
    length = 0
  }
  return size
}

export function wholeOf(text: string, seed: number, from = 0, to = text.length): number {
  let hash = seed
  for (let at = from; at < to; at++) hash = step(hash, text.charCodeAt(at))
  return hash
}

// The shape of a text: the kinds of its characters.

const kindOf = (character: string, vowel: string, other: string): string => {
  if (character >= '0' && character <= '9') return '0'
  if (character === '-' || character === '.') return character
  return 'aeiouy'.includes(character) ? vowel : other
}

const tableOf = (vowel: string, other: string) =>
  Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code), vowel, other).charCodeAt(0))

const kinds = tableOf('a', 'a')

/** By character code: vowels, consonants, digits and hyphens, so that `sample-1` is `cvcccv-0`. */
export const sounds = tableOf('v', 'c')

/** The hash of the kinds of characters, each run counted once: `a-0a` for `abc-12x`. */
export function hashShape(text: string, seed: number): number {
  let hash = seed
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at) & 127] ?? 0
    if (kind !== before) hash = step(hash, kind)
    before = kind
  }
  return hash
}
