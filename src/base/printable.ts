// Untrusted text, truncated and cleaned so that it can be stored, logged and displayed.

/** Control characters, line separators and paragraph separators. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/**
 * Lone surrogates and invisible characters, such as direction overrides. The joiners are kept, because emoji and
 * Persian need them.
 */
const INVISIBLE = /[\p{Cs}\p{Cf}]/gu
const JOINERS = /[\u200c\u200d]/
/** Most text needs no cleaning, and testing is cheaper than replacing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Cf}]/u
const ALL_UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Cf}]+/gu

/** Returns at most `max` UTF-16 code units, and never half a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** Default maximum of UTF-16 code units of a value in a result. */
const VALUE_LENGTH = 512

/**
 * Returns one line of visible, well-formed, trimmed text of at most `max` UTF-16 code units. Reads at most twice as
 * many.
 */
export function printable(text: string, max = VALUE_LENGTH): string {
  const prefix = truncate(text, 2 * max)
  if (!UNPRINTABLE.test(prefix)) return truncate(prefix.trim(), max).trimEnd()
  const plain = prefix.replace(BREAKS, ' ').replace(INVISIBLE, one => (JOINERS.test(one) ? one : ''))
  return truncate(plain.trim(), max).trimEnd()
}

/** Drops unprintable characters and keeps everything else: for records with significant spelling. */
export const withoutUnprintable = (text: string): string => text.replace(ALL_UNPRINTABLE, '')

/** As `printable`; null when nothing is left. */
export const printableOrNull = (text: string | null | undefined, max = VALUE_LENGTH): string | null =>
  printable(text ?? '', max) || null
