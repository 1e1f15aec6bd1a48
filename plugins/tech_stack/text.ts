// Untrusted text as it may be shown.

/** At most so many UTF-16 units, without control characters and halves of characters. */
export const printable = (text: string, length: number): string =>
  text
    .slice(0, length)
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\p{Cs}/gu, '')
