// Text of any code points, lone surrogates included.
import fc from 'fast-check'

/** fast-check's own `binary` unit keeps a table of all 1,114,112 of them in memory, which takes a second to make. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map(
  point => String.fromCodePoint(point),
  text => {
    if (typeof text !== 'string' || !/^.$/su.test(text)) throw new Error('no single code point')
    return text.codePointAt(0) ?? 0
  },
)

/** As `fc.string` has them. */
export const anyText = (constraints: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ ...constraints, unit: codePoint })
