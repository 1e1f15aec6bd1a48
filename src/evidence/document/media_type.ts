// The media type of a response, as browsers make it out (Fetch, "extract a MIME type"; MIME Sniffing, "parse a MIME type").

/** A token (RFC 9110 section 5.6.2), of no more characters than names have (RFC 6838 section 4.2). */
const TYPE = /^[\w!#$%&'*+.^`|~-]{1,127}\/[\w!#$%&'*+.^`|~-]{1,127}$/

/**
 * `type/subtype`, lower case, with `; charset=` where one is told. Of several types the last counts, and takes over the
 * charset of the same type before it; what is none, and the type of anything, are passed over. Null when none is left.
 */
export function mediaType(fields: readonly string[]): string | null {
  let type: string | null = null
  let charset: string | null = null
  for (const piece of fields.join(',').split(',')) {
    const [written = ''] = piece.split(';', 1)
    const essence = written.trim().toLowerCase()
    if (!TYPE.test(essence) || essence === '*/*') continue
    charset = charsetOf(piece) ?? (essence === type ? charset : null)
    type = essence
  }
  return type !== null && charset !== null ? `${type}; charset=${charset}` : type
}

/** A media type's first parameter of that name, lower case. No blank stands before its equals sign, and only double quotes are quotes. */
export function charsetOf(type: string): string | null {
  for (const parameter of type.split(';').slice(1)) {
    const [, quoted, token] = /^\s{0,99}charset=(?:"([^"]{1,40})|([^"\s]\S{0,39})\s{0,99}$)/i.exec(parameter) ?? []
    const charset = quoted ?? token
    if (charset !== undefined) return charset.toLowerCase()
  }
  return null
}
