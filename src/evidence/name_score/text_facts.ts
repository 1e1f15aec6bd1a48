// What can be counted in a label or a subdomain, in one pass.

export interface TextFacts {
  readonly length: number
  readonly digits: number
  readonly hyphens: number
  readonly vowels: number
  /** Different characters. */
  readonly distinct: number
  /** Shannon's, in bits a character. */
  readonly entropy: number
  readonly longestDigits: number
  readonly longestConsonants: number
  /** From a letter to a digit and back. */
  readonly changes: number
  /** Labels, 0 for empty text. */
  readonly labels: number
  readonly longestLabel: number
  /** Runs of letters of at least two. */
  readonly words: number
  readonly longestWord: number
  /** Characters of hexadecimal numbers. */
  readonly hexadecimal: number
}

const kindOf = { other: 0, vowel: 1, consonant: 2, digit: 3, hyphen: 4, dot: 5 } as const

const kinds = new Uint8Array(128)
for (let code = 97; code <= 122; code++) kinds[code] = kindOf.consonant
for (let code = 48; code <= 57; code++) kinds[code] = kindOf.digit
for (const vowel of 'aeiouy') kinds[vowel.charCodeAt(0)] = kindOf.vowel
kinds['-'.charCodeAt(0)] = kindOf.hyphen
kinds['.'.charCodeAt(0)] = kindOf.dot

/** n log2 n for the counts that a name can have. */
const weighted = Float64Array.from({ length: 256 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)))
const occurrences = new Uint8Array(128)

const none: TextFacts = {
  ...{ length: 0, digits: 0, hyphens: 0, vowels: 0, distinct: 0, entropy: 0, changes: 0, hexadecimal: 0, words: 0 },
  ...{ labels: 0, longestDigits: 0, longestConsonants: 0, longestWord: 0, longestLabel: 0 },
}

/** Lower case LDH and dots, at most 253 characters. */
export function measureText(text: string): TextFacts {
  const { length } = text
  if (length === 0) return none
  occurrences.fill(0)
  let [digits, hyphens, vowels, changes, hexadecimal, words] = [0, 0, 0, 0, 0, 0]
  let [digitRun, consonantRun, wordRun, labelRun] = [0, 0, 0, 0]
  let [longestDigits, longestConsonants, longestWord, longestLabel] = [0, 0, 0, 0]
  let labels = 1
  let before = 0
  let distinct = 0
  let repeats = 0
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at) & 127
    const kind = kinds[code] ?? 0
    const seen = occurrences[code] ?? 0
    occurrences[code] = seen + 1
    if (seen === 0) distinct++
    repeats += (weighted[seen + 1] ?? 0) - (weighted[seen] ?? 0)
    const digit = kind === kindOf.digit
    const letter = kind === kindOf.vowel || kind === kindOf.consonant
    if (kind === kindOf.vowel) vowels++
    else if (kind === kindOf.hyphen) hyphens++
    else if (kind === kindOf.dot) labels++
    if (digit) digits++
    if (digit || (code >= 97 && code <= 102)) hexadecimal++
    digitRun = digit ? digitRun + 1 : 0
    consonantRun = kind === kindOf.consonant ? consonantRun + 1 : 0
    wordRun = letter ? wordRun + 1 : 0
    labelRun = kind === kindOf.dot ? 0 : labelRun + 1
    if (wordRun === 2) words++
    if ((digit && before === 1) || (letter && before === 2)) changes++
    before = letter ? 1 : digit ? 2 : 0
    longestDigits = Math.max(longestDigits, digitRun)
    longestConsonants = Math.max(longestConsonants, consonantRun)
    longestWord = Math.max(longestWord, wordRun)
    longestLabel = Math.max(longestLabel, labelRun)
  }
  const entropy = Math.log2(length) - repeats / length
  const runs = { longestDigits, longestConsonants, longestWord, longestLabel }
  return { length, digits, hyphens, vowels, distinct, entropy, changes, hexadecimal, words, labels, ...runs }
}
