// What is left of a text when only the kinds of its characters are looked at.

const kindOf = (character: string, vowel: string, other: string): string => {
  if (character >= '0' && character <= '9') return '0'
  if (character === '-' || character === '.') return character
  return 'aeiouy'.includes(character) ? vowel : other
}

const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
const kinds = characters.map(character => kindOf(character, 'a', 'a'))
const sounds = characters.map(character => kindOf(character, 'v', 'c'))

/** Kinds of characters in the order they come, runs as one: `abc-12x` is `a-0a`. */
export function shapeOf(text: string): string {
  let shape = ''
  let before = ''
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at) & 127] ?? 'a'
    if (kind !== before) shape += kind
    before = kind
  }
  return shape
}

/** Vowels, consonants, digits and hyphens one by one: `sample-1` is `cvcccv-0`. */
export function patternOf(text: string): string {
  let pattern = ''
  for (let at = 0; at < text.length; at++) pattern += sounds[text.charCodeAt(at) & 127] ?? 'c'
  return pattern
}
