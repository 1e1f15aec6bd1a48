// Text from strangers, cut and cleaned so that it can be stored, logged and displayed.

/** Control characters, line separators and paragraph separators. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/** Lone surrogates and invisible characters, such as those that reverse the direction of reading. Emoji and Persian need the joiners. */
const INVISIBLE = /[\p{Cs}\p{Cf}]/gu
const JOINERS = /[\u200c\u200d]/
/** Most text needs no cleaning, and testing is cheaper than replacing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Cf}]/u
const ALL_UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Cf}]+/gu

/** At most `max` UTF-16 code units; never ends in half a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** Code units of a value in a result unless the caller says otherwise. */
const VALUE_LENGTH = 512

/** One line of visible, well-formed text, trimmed, at most `max` UTF-16 code units. Reads at most twice as many. */
export function printable(text: string, max = VALUE_LENGTH): string {
  const read = truncate(text, 2 * max)
  if (!UNPRINTABLE.test(read)) return truncate(read.trim(), max).trimEnd()
  const plain = read.replace(BREAKS, ' ').replace(INVISIBLE, one => (JOINERS.test(one) ? one : ''))
  return truncate(plain.trim(), max).trimEnd()
}

/** Drops every unprintable character and keeps all else as it is: for records whose exact spelling matters. */
export const withoutUnprintable = (text: string): string => text.replace(ALL_UNPRINTABLE, '')

/** As `printable`; null when nothing is left. */
export const printableOrNull = (text: string | null | undefined, max = VALUE_LENGTH): string | null =>
  printable(text ?? '', max) || null
