// Names that imitate a domain name, the likeliest first: slips of the keyboard and of memory, letters that look alike, words that
// lure, other endings, and tenants of platforms. Pure; nothing is looked up.
import { domainToASCII, domainToUnicode } from 'node:url'
import { Type } from 'typebox'
import freeHosting from '../../../plugins/content_analysis/data/free_hosting.json' with { type: 'json' }
import { lureWords } from '../../../plugins/reputation/lookalike/words.ts'
import { dataFile, TextList } from '../../base/data_file.ts'
import { identify } from '../../targets/identity.ts'
import { platforms } from '../../targets/platforms.ts'
import { abusedSuffixes } from '../../targets/suffixes.ts'
import endings from './data/endings.json' with { type: 'json' }
import data from './data/letters.json' with { type: 'json' }
import words from './data/words.json' with { type: 'json' }

// What passes for each letter or pair: others of ASCII, Latin letters with marks or of another shape, and letters of other scripts.
const closed = { additionalProperties: false }
const ReplacedLetters = Type.String({ pattern: '^(?:[a-z0-9]|[a-z]{2})$' })
const Letters = Type.Record(ReplacedLetters, Type.String({ pattern: '^\\p{L}+$' }), closed)
export const LettersFile = dataFile({
  ascii: Type.Record(
    ReplacedLetters,
    Type.Array(Type.String({ pattern: '^[a-z0-9]{1,2}$' }), { minItems: 1, uniqueItems: true }),
    closed,
  ),
  latin: Letters,
  other: Letters,
  cyrillic: Letters,
})

/** By the letter or pair that they replace. */
export type Replacements = ReadonlyMap<string, readonly string[]>

const lettersOf = (table: Readonly<Record<string, string>>): Replacements =>
  new Map(Object.entries(table).map(([letter, letters]) => [letter, [...letters]]))

export const asciiReplacements: Replacements = new Map(Object.entries(data.ascii))
export const latinReplacements = lettersOf(data.latin)
export const otherReplacements = lettersOf(data.other)
/** One letter each, for words that are written in Cyrillic whole. */
export const cyrillicLetters: ReadonlyMap<string, string> = new Map(Object.entries(data.cyrillic))

export const EndingsFile = dataFile({ suffixes: TextList, without_idn: TextList })
export const WordsFile = dataFile({
  languages: Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), TextList, { additionalProperties: false }),
})

/** Words that only look for names, and judge none: many honest names have them. */
const furtherWords: readonly string[] = Object.values(words.languages).flat()

/** How a name differs from the original. */
export const KINDS = {
  homoglyph: 'Letters, digits or pairs that look alike: paypa1, rnicrosoft.',
  lure: 'With a word that lures, in ten languages: example-login, konto-example.',
  omission: 'A letter is missing.',
  transposition: 'Two letters are swapped.',
  repetition: 'A letter is doubled.',
  replacement: 'A letter is replaced by its neighbour on a keyboard.',
  insertion: 'A neighbour on a keyboard is added.',
  vowel_swap: 'Another vowel.',
  plural: 'A plural ending is added.',
  hyphenation: 'A hyphen is added.',
  addition: 'A letter or digit is added at the end of a word.',
  subdomain: 'A dot is added, so that the rest is the registered name.',
  joined: 'The ending is part of the name: examplecom.com, example-co.com.',
  bitsquatting: 'One bit of a character is flipped, as by a faulty memory.',
  ending: 'The same name with another ending.',
  homograph: 'Letters with marks, or of other scripts, that look alike (UTS 39).',
  tenant: 'A customer name on a platform: example.pages.dev.',
} as const
export type Kind = keyof typeof KINDS

export interface Candidate {
  /** In A-labels. */
  readonly name: string
  readonly kind: Kind
}

/**
 * Most names of one original. Two replaced letters make some 30,000 of a long name, and everything else at most 10,000; names
 * beyond that differ so much that nobody is deceived.
 */
export const MOST_CANDIDATES = 60_000

/** The original, taken apart. */
interface Original {
  /** What its owner registered. */
  readonly owner: string
  /** Its first label as it is shown. */
  readonly label: string
  readonly suffix: string
  /** The labels before it: `login` of `login.example.com`. */
  readonly before: string
}

type Labels = Iterable<string>

const ALPHANUMERIC = [...'abcdefghijklmnopqrstuvwxyz0123456789']
const VOWELS = 'aeiou'
/** The rows of common keyboards, top to bottom. Each row stands half a key to the right of the one above it. */
const KEYBOARDS = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
] as const

function keyboardNeighbours(): ReadonlyMap<string, ReadonlySet<string>> {
  const neighbours = new Map<string, Set<string>>()
  for (const rows of KEYBOARDS) {
    for (const [row, keys] of rows.entries()) {
      for (const [at, key] of [...keys].entries()) {
        const [above = '', below = ''] = [rows[row - 1], rows[row + 1]]
        const touching = [keys[at - 1], keys[at + 1], above[at], above[at + 1], below[at - 1], below[at]]
        const neighbourKeys = neighbours.get(key) ?? new Set()
        neighbours.set(key, neighbourKeys)
        for (const one of touching) if (one !== undefined) neighbourKeys.add(one)
      }
    }
  }
  return neighbours
}
const NEIGHBOURS = keyboardNeighbours()

const at = (label: string, i: number, replacement: string, length = 1): string =>
  label.slice(0, i) + replacement + label.slice(i + length)

const places = (label: string): number[] => Array.from({ length: label.length }, (_, i) => i)

/** Each letter or pair replaced once; two equal letters also together. */
function* replacements(label: string, table: Replacements): Labels {
  for (const i of places(label)) {
    for (const length of [1, 2]) {
      const part = label.slice(i, i + length)
      if (part.length < length) continue
      for (const other of table.get(part) ?? []) yield at(label, i, other, length)
      if (length === 2 && part[0] === part[1])
        for (const other of table.get(part.charAt(0)) ?? []) yield at(label, i, other + other, length)
    }
  }
}

/** Written with the letters of one other script; null when it lacks one. */
function transcriptions(label: string): Labels {
  const letters = [...label].map(letter => (/^[0-9-]$/.test(letter) ? letter : cyrillicLetters.get(letter)))
  return letters.every(letter => letter !== undefined) ? [letters.join('')] : []
}

function* bitFlips(label: string): Labels {
  for (const i of places(label)) {
    for (let bit = 1; bit < 128; bit *= 2) {
      const flippedLetter = String.fromCharCode(label.charCodeAt(i) ^ bit)
      if (/^[a-z0-9-]$/.test(flippedLetter)) yield at(label, i, flippedLetter)
    }
  }
}

function* beside(label: string, word: string): Labels {
  yield* [`${label}-${word}`, `${word}-${label}`, label + word, word + label]
  const parts = label.split('-')
  if (parts.length > 1) yield* [[...parts.slice(0, -1), word].join('-'), [word, ...parts.slice(1)].join('-')]
}

function* insertions(label: string): Labels {
  const parts = label.split('-')
  for (const letter of ALPHANUMERIC) {
    yield label + letter
    for (const i of parts.slice(1).keys()) yield parts.map((part, at) => (at === i ? part + letter : part)).join('-')
  }
}

const slips = (label: string, write: (i: number, neighbour: string) => Labels): Labels =>
  places(label).flatMap(i => [...(NEIGHBOURS.get(label.charAt(i)) ?? [])].flatMap(key => [...write(i, key)]))

/** Whole names before the ending, most telling first. `label` is in ASCII or as it is shown. */
function* edits(label: string): Iterable<readonly [Kind, Labels]> {
  const all = places(label)
  const inner = all.slice(1)
  yield ['homoglyph', replacements(label, asciiReplacements)]
  yield ['lure', lureWords('credential').flatMap(word => [...beside(label, word)])]
  yield ['omission', all.map(i => at(label, i, ''))]
  yield ['transposition', inner.map(i => at(label, i - 1, label.charAt(i) + label.charAt(i - 1), 2))]
  yield ['repetition', all.map(i => at(label, i, label.charAt(i), 0))]
  yield ['replacement', slips(label, (i, key) => [at(label, i, key)])]
  yield ['insertion', slips(label, (i, key) => [at(label, i, key, 0), at(label, i + 1, key, 0)])]
  yield [
    'vowel_swap',
    all.flatMap(i => (VOWELS.includes(label.charAt(i)) ? [...VOWELS].map(vowel => at(label, i, vowel)) : [])),
  ]
  yield ['plural', all.flatMap(i => ['s', 'es'].map(ending => at(label, i + 1, ending, 0)))]
  yield ['hyphenation', inner.map(i => at(label, i, '-', 0))]
  yield ['addition', insertions(label)]
  yield [
    'subdomain',
    inner.filter(i => label.charAt(i) !== '-' && label.charAt(i - 1) !== '-').map(i => at(label, i, '.', 0)),
  ]
  yield ['bitsquatting', bitFlips(label)]
}

/** Two letters replaced: what is likely first. */
function* twice(label: string, isIdn: boolean): Labels {
  const firsts = [...new Set(replacements(label, asciiReplacements))]
  for (const one of firsts) yield* replacements(one, asciiReplacements)
  if (!isIdn) return
  for (const one of firsts) yield* replacements(one, latinReplacements)
  for (const one of replacements(label, latinReplacements)) {
    yield* replacements(one, latinReplacements)
    yield* replacements(one, asciiReplacements)
  }
}

/** The ending as a part of the name, as in `examplecom.com`; and what comes before the name, joined with it. */
function joinedNames({ label, suffix, before }: Original): readonly string[] {
  const top = suffix.slice(suffix.lastIndexOf('.') + 1)
  const gluedSuffix = suffix.replaceAll('.', '')
  const inside = [
    `${label}${gluedSuffix}`,
    `${label}${top}`,
    `${label}-${top}`,
    `${label}-${suffix.replaceAll('.', '-')}`,
  ]
  const fronts = before === '' ? [] : [before.replaceAll('.', ''), before.replaceAll('.', '-')]
  return [
    ...inside.flatMap(one => [`${one}.${suffix}`, `${one}.com`]),
    ...(top === suffix ? [] : [`${label}.${top}`, `${label}${suffix}`]),
    ...['www', ...fronts].flatMap(front => [`${front}${label}.${suffix}`, `${front}-${label}.${suffix}`]),
  ]
}

/** Registries that have no names but ASCII. */
const WITHOUT_IDN: ReadonlySet<string> = new Set(endings.without_idn)

function* variants(original: Original): Iterable<readonly [Kind, Labels]> {
  const { label, suffix } = original
  const under = (labels: Labels): Labels => endedBy(labels, suffix)
  const isIdn = !WITHOUT_IDN.has(suffix)
  for (const [kind, labels] of edits(label)) yield [kind, under(labels)]
  yield ['joined', joinedNames(original)]
  yield ['ending', [...abusedSuffixes, ...endings.suffixes].map(ending => `${label}.${ending}`)]
  yield ['homograph', under(transcriptions(label))]
  if (isIdn) yield ['homograph', under(replacements(label, latinReplacements))]
  yield ['lure', under([...lureWords('strong'), ...furtherWords].flatMap(word => [...beside(label, word)]))]
  yield ['tenant', [...freeHosting.domains, ...platforms].map(platform => `${label}.${platform}`)]
  yield ['lure', under(lureWords('soft').flatMap(word => [...beside(label, word)]))]
  if (isIdn) yield ['homograph', under(replacements(label, otherReplacements))]
  yield ['homograph', under(twice(label, isIdn))]
}

/** Lazily: there may be more than anybody takes. */
function* endedBy(labels: Labels, suffix: string): Labels {
  for (const label of labels) yield `${label}.${suffix}`
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const NAME_OCTETS = 253

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)

/**
 * In A-labels; null when it cannot be a name. By `node:url`, ten times as fast as the library that reads targets: the letters are
 * ours, and the same in every version of Unicode.
 */
function nameOf(rawName: string): string | null {
  const name = isAscii(rawName) ? rawName : domainToASCII(rawName)
  if (name.length > NAME_OCTETS || (isAscii(rawName) && rawName.includes('xn--'))) return null
  return name.split('.').every(label => LABEL.test(label)) ? name : null
}

/** `name` is in lower case and A-labels. Each name comes once, and none is below the original's own. */
export function* candidatesFor(name: string): Generator<Candidate, void> {
  const { owner, suffix } = identify(name)
  const label = owner.slice(0, -suffix.length - 1)
  const original: Original = {
    owner,
    // `node:url` reads a label of digits as an address.
    label: label.startsWith('xn--') ? domainToUnicode(label) : label,
    suffix,
    before: name.slice(0, -owner.length).replace(/\.$/, ''),
  }
  const earlierNames = new Set([owner])
  for (const [kind, names] of variants(original)) {
    for (const rawName of names) {
      const candidate = nameOf(rawName)
      if (candidate === null || earlierNames.has(candidate)) continue
      earlierNames.add(candidate)
      yield { name: candidate, kind: kind === 'homograph' && isAscii(rawName) ? 'homoglyph' : kind }
      if (earlierNames.size > MOST_CANDIDATES) return
    }
  }
}

/** As many as there may be. */
export function* first(candidates: Iterable<Candidate>, most: number): Iterable<Candidate> {
  let remaining = most
  if (remaining <= 0) return
  for (const candidate of candidates) {
    yield candidate
    remaining -= 1
    if (remaining <= 0) return
  }
}
