// Letters that look like others, after Unicode TR39: a skeleton is the text as a reader sees it at a glance.

/** Letters of other scripts, and Latin letters that are not accented ones, by the Latin letter they resemble. */
const passingFor: Readonly<Record<string, string>> = {
  a: 'аɑαӕ',
  b: 'ьƅɓ',
  c: 'сƈȼ',
  d: 'ԁɗđժ',
  e: 'еєəҽɛ',
  f: 'ƒ',
  g: 'ɡցɠ',
  h: 'һհħɦ',
  i: 'іıɩιɨ',
  j: 'јϳյȷɉ',
  k: 'кκĸƙқ',
  l: 'ӏłɭլƚ',
  m: 'мɱ',
  n: 'пոηŋɲƞ',
  o: 'оοօøɵσө',
  p: 'рρƥþ',
  q: 'ԛգզɋ',
  r: 'гɽɼɍ',
  s: 'ѕʂ',
  t: 'тτƭŧ',
  u: 'υսʉцʋ',
  v: 'ѵν',
  w: 'ԝωѡшա',
  x: 'хχ×',
  y: 'уγүʏƴ',
  z: 'ᴢʐƶ',
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
  return [...bare].map(letter => latinOf.get(letter) ?? letter).join('')
}

/** The scripts of the text, among those that are confused with each other. */
export const scriptsOf = (text: string): string[] =>
  scripts.filter(([, letter]) => letter.test(text)).map(([name]) => name)

/** Digits and pairs that resemble letters; `i`, `l` and their look-alikes are one. */
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
