// Letters that look alike: a skeleton is the text as a reader sees it at a glance. Uses Unicode's data (UTS 39,
// confusables.txt 13.0, from `unhomoglyph`), and further letters that are confused in names.

import homoglyphs from 'unhomoglyph'
import type { Brand } from '../../../src/engine/plugin.ts'
import { toUnicode } from './punycode.ts'

/** Letters of other scripts, and Latin letters that are not accented ones, by the Latin letter they resemble. */
const passingFor: Readonly<Record<string, string>> = {
  3: 'ʒ',
  a: 'аɑαӕ',
  b: 'ьƅɓʙ',
  c: 'сƈȼ',
  d: 'ԁɗđժ',
  e: 'еєəҽɛ',
  f: 'ƒ',
  g: 'ɡցɠɢԍ',
  h: 'һհħɦⱨ',
  i: 'іıɩιɨ',
  j: 'јϳյȷɉʝ',
  k: 'кκĸƙқᴋⱪ',
  l: 'ӏłɭլƚ',
  m: 'мɱᴍ',
  n: 'пոηŋɲƞꞑ',
  o: 'оοօøɵσө',
  p: 'рρƥþƿ',
  q: 'ԛգզɋ',
  r: 'гɽɼɍɾʀ',
  s: 'ѕʂ',
  t: 'тτƭŧƫ',
  u: 'υսʉцʋ',
  v: 'ѵνⱱⱴ',
  w: 'ԝωѡшաⱳ',
  x: 'хχ×',
  y: 'уγүʏƴ',
  z: 'ᴢʐƶⱬ',
}
const latinOf = new Map(
  Object.entries(passingFor).flatMap(([latin, others]) => [...others].map(other => [other, latin] as const)),
)

const marks = /\p{M}+/gu
const scripts: readonly (readonly [name: string, letter: RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
]

/** The Latin letters that the text resembles, without accents; other letters stay. */
export function plainLetters(text: string): string {
  const bare = text.normalize('NFKD').replace(marks, '')
  return [...bare].map(letter => latinOf.get(letter) ?? prototypeOf(letter)).join('')
}

// The package declares a default export and, being CommonJS, is the function itself.
const toPrototypes = homoglyphs as unknown as (text: string) => string

/** The Latin letters that stand for all that look like this one (UTS 39 section 4); the letter itself when none do. */
function prototypeOf(letter: string): string {
  if (letter <= '\x7f') return letter
  const latin = toPrototypes(letter).normalize('NFKD').replace(marks, '').toLowerCase()
  if (latin === 'rn') return 'm'
  return /^[a-z0-9]{1,2}$/.test(latin) ? latin : letter
}

const otherLetter =
  /(?!\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Common}|\p{Script=Inherited})\p{L}/u

/** The scripts of the text. Scripts that are rarely confused with Latin are not distinguished. */
export const scriptsOf = (text: string): string[] => [
  ...scripts.filter(([, letter]) => letter.test(text)).map(([name]) => name),
  ...(otherLetter.test(text) ? ['another script'] : []),
]

/** Digits and pairs that resemble letters; `i`, `l` and their look-alikes are the same. */
const digits: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'b',
  '7': 't',
  '8': 'b',
  '9': 'g',
  i: 'l',
}

/** One spelling for all look-alikes in plain letters and digits: `rnicr0soft` and `microsoft` have the same. */
export function skeleton(text: string): string {
  let shape = ''
  for (let at = 0; at < text.length; at++) {
    const pair = text.slice(at, at + 2)
    const letter = pair === 'rn' ? 'm' : pair === 'vv' ? 'w' : pair === 'cl' ? 'd' : null
    if (letter !== null) at++
    shape += letter ?? digits[text.charAt(at)] ?? text.charAt(at)
  }
  return shape
}

/** A label as a reader sees it, and the Latin letters it resembles. */
export interface LabelText {
  /** In Unicode, as displayed. */
  readonly seen: string
  /** The Latin letters it resembles, split at hyphens, and joined without hyphens. */
  readonly tokens: readonly string[]
  readonly joined: string
  /** Set for a label in Unicode. */
  readonly scripts: readonly string[]
}

/** Null for a label that does not resemble Latin letters. */
export function readLabel(label: string): LabelText | null {
  const display = toUnicode(label)
  if (display === null) return null
  const foreign = display !== label
  const plain = foreign ? plainLetters(display) : display
  if (foreign && !/^[a-z0-9-]+$/.test(plain)) return null
  const tokens = plain.split('-').filter(token => token !== '')
  return { seen: display, tokens, joined: tokens.join(''), scripts: foreign ? scriptsOf(display) : [] }
}

/** How a label in Unicode resembles Latin: by other scripts or by accents. */
export const foreignDisguise = ({ seen, scripts }: LabelText): 'accents' | 'scripts' | 'letters' => {
  if (scripts.some(script => script !== 'Latin')) return 'scripts'
  return /^[a-z0-9-]+$/.test(seen.normalize('NFKD').replace(/\p{M}+/gu, '')) ? 'accents' : 'letters'
}

/** `crédit-agricole` is the brand's own spelling, with hyphens. */
export const isOwnSpelling = ({ name }: Brand, display: string): boolean => wordsOf(name) === wordsOf(display)
const wordsOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
