// Measurements of a label or a subdomain: counts, how usual its letters are, and the words in it.
import { finish, start, step } from './hash.ts'

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
  /** Runs of at least two letters. */
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
const weightedLogs = Float64Array.from({ length: 256 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)))
const occurrences = new Uint8Array(128)

const none: TextFacts = {
  length: 0,
  digits: 0,
  hyphens: 0,
  vowels: 0,
  distinct: 0,
  entropy: 0,
  changes: 0,
  hexadecimal: 0,
  words: 0,
  labels: 0,
  longestDigits: 0,
  longestConsonants: 0,
  longestWord: 0,
  longestLabel: 0,
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
    const count = occurrences[code] ?? 0
    occurrences[code] = count + 1
    if (count === 0) distinct++
    repeats += (weightedLogs[count + 1] ?? 0) - (weightedLogs[count] ?? 0)
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

// How usual the letters are: the cost of each character after the two before it, learned from benign names.

const SYMBOLS = 38
const BOUNDARY = 37

const codes = new Uint8Array(128).fill(BOUNDARY)
for (let code = 97; code <= 122; code++) codes[code] = code - 97
for (let code = 48; code <= 57; code++) codes[code] = code - 48 + 26
codes['-'.charCodeAt(0)] = 36

export const letterTableSize = SYMBOLS ** 3

/** The cost of a letter after two others is kept in sixteenths of a bit. */
const COSTS_PER_BIT = 16

/** Calls back with the table index of each three consecutive characters; the ends of the text count as characters. */
export function eachTriple(text: string, visit: (place: number) => void): void {
  let pair = BOUNDARY * SYMBOLS + BOUNDARY
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? (codes[text.charCodeAt(at) & 127] ?? BOUNDARY) : BOUNDARY
    const place = pair * SYMBOLS + code
    visit(place)
    pair = place % (SYMBOLS * SYMBOLS)
  }
}

export interface LetterCost {
  /** Bits a character, on average; 0 for empty text. */
  readonly mean: number
  /** Bits of the most expensive three consecutive characters. */
  readonly worst: number
}

export function letterCost(text: string, table: Uint8Array): LetterCost {
  if (text === '') return { mean: 0, worst: 0 }
  let sum = 0
  let worst = 0
  let [before, beforeThat] = [0, 0]
  eachTriple(text, place => {
    const cost = table[place] ?? 0
    sum += cost
    worst = Math.max(worst, cost + before + beforeThat)
    beforeThat = before
    before = cost
  })
  return { mean: sum / COSTS_PER_BIT / (text.length + 1), worst: worst / COSTS_PER_BIT }
}

/** Makes the table from the number of times that each three consecutive characters were seen. */
export function letterTable(counts: Uint32Array): Uint8Array {
  const table = new Uint8Array(letterTableSize)
  for (let pair = 0; pair < SYMBOLS * SYMBOLS; pair++) {
    const first = pair * SYMBOLS
    let total = 0
    for (let code = 0; code < SYMBOLS; code++) total += (counts[first + code] ?? 0) + 0.5
    for (let code = 0; code < SYMBOLS; code++) {
      const bits = -Math.log2(((counts[first + code] ?? 0) + 0.5) / total)
      table[first + code] = Math.min(255, Math.round(bits * COSTS_PER_BIT))
    }
  }
  return table
}

// Words: those that lure, and names that are often impersonated.

/** Words of names that steal secrets or money, in the languages most used for it. Stems, so that each counts once. */
const LURES = `
  login logon signin sign-in account acount konto compte cuenta conta verif valida confirm secur safe support servic help
  updat upgrade unlock restore recover reset suspend limited alert notice billing payment pay invoice refund wallet bank
  online webmail office password auth token airdrop claim bonus gift free reward promo prize winner giveaway delivery
  tracking parcel package post customs connect portal access client customer user member session dapp swap staking mint
  restaura atualiza acesso seguro sicher kunden livraison suivi colis amende
`
  .trim()
  .split(/\s+/)

const lureHashes = new Set(LURES.map(hashWord))
const MIN_RUN_CHARACTERS = 3
const MAX_RUN_CHARACTERS = 14

export function hashWord(word: string): number {
  let hash = start
  for (let at = 0; at < word.length; at++) hash = step(hash, word.charCodeAt(at))
  return finish(hash)
}

export interface WordsFound {
  readonly lures: number
  /** Characters of the longest impersonated word, 0 when there is none. */
  readonly brand: number
}

/** Calls back with the hash and length of every run of characters that a word could be. */
export function eachWord(text: string, visit: (hash: number, length: number) => void): void {
  for (let from = 0; from + MIN_RUN_CHARACTERS <= text.length; from++) {
    const to = Math.min(text.length, from + MAX_RUN_CHARACTERS)
    let hash = start
    for (let at = from; at < to; at++) {
      hash = step(hash, text.charCodeAt(at))
      if (at - from + 1 >= MIN_RUN_CHARACTERS) visit(finish(hash), at - from + 1)
    }
  }
}

/** A filter on the low bits of the hash rejects most runs of characters without a set look-up. */
const FILTER_BITS = 16
const FILTER_MASK = 2 ** FILTER_BITS - 1

/** `brands`: hashes of `hashWord`. */
export function createWordFinder(brands: ReadonlySet<number>): (text: string) => WordsFound {
  const filter = new Uint8Array(2 ** FILTER_BITS)
  for (const words of [lureHashes, brands]) for (const hash of words) filter[hash & FILTER_MASK] = 1
  return text => {
    let lureCount = 0
    let brand = 0
    eachWord(text, (hash, length) => {
      if (filter[hash & FILTER_MASK] === 0) return
      if (lureHashes.has(hash)) lureCount++
      if (length > brand && brands.has(hash)) brand = length
    })
    return { lures: lureCount, brand }
  }
}

const digitLetters: Readonly<Record<string, string>> = { '0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't' }

/** Replaces digits that look like letters. */
export const withoutDigits = (text: string): string => text.replace(/[013457]/g, digit => digitLetters[digit] ?? digit)

export const isLure = (hash: number): boolean => lureHashes.has(hash)
