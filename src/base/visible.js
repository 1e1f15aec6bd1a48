// Makes untrusted text safe to read: characters that reorder, hide or break text are shown as code points.

/**
 * Control characters, line ends and characters that Unicode calls ignorable: direction marks, fillers, zero-width characters,
 * tags. Joiners and variation selectors stay, because scripts and emoji need them.
 */
const hiddenCharacters =
  /(?!\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

const codePoint = (/** @type {string} */ character) =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

/** @param {string} text */
export const visible = text => text.replace(hiddenCharacters, character => `‹U+${codePoint(character)}›`)

/**
 * The value as indented JSON with such characters escaped: the same value, but nothing reorders its lines.
 * @param {unknown} value
 */
export const visibleJson = value =>
  JSON.stringify(value, null, 2).replace(hiddenCharacters, character => {
    if (character === '\n') return character
    return character
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
  })
