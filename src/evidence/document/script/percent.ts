// `escape` and `unescape` as ECMAScript defines them (annex B.2.1): browsers have them, and old pages are full of them.

/** As `unescape`: `%XX` and `%uXXXX`; anything else stays. */
export const unescapePercent = (text: string): string =>
  text.replace(/%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/gi, (_, unit?: string, octet?: string) =>
    String.fromCharCode(Number.parseInt(unit ?? octet ?? '', 16)),
  )

/** As `escape`. */
export const escapePercent = (text: string): string =>
  text.replace(/[^A-Za-z0-9@*_+\-./]/g, character => {
    const code = character.charCodeAt(0)
    const digits = code.toString(16).toUpperCase()
    return code < 256 ? `%${digits.padStart(2, '0')}` : `%u${digits.padStart(4, '0')}`
  })
