// Text of a page as it may be kept: printable, white space folded, well-formed, cut.
import { truncate } from '../../printable.ts'

/** Control characters but white space, and those that turn the direction of what follows. */
const unprintable = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
const blanks = /[\s\u00a0]+/g
/** Looking is cheaper than replacing, and most text is fine as it is. */
const unfolded = /[\u0000-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028-\u202f\u205f\u2066-\u2069\u3000\ufeff]| {2}/

export const fold = (text: string): string =>
  unfolded.test(text) ? text.replace(unprintable, '').replace(blanks, ' ') : text

/** One line, trimmed. Looks only at a little more than it keeps. */
export const clean = (text: string, length: number): string => truncate(fold(text.slice(0, length * 4)).trim(), length)
