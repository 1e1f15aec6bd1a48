// Reads the media type of a response as browsers do (Fetch, "extract a MIME type"; MIME Sniffing, "parse a MIME type").

/** Two tokens (RFC 9110 section 5.6.2) of at most 127 characters (RFC 6838 section 4.2). */
const TYPE = /^[\w!#$%&'*+.^`|~-]{1,127}\/[\w!#$%&'*+.^`|~-]{1,127}$/

/**
 * `type/subtype` in lower case, with `; charset=` if one is given. The last of several types counts and inherits the
 * charset of the same type before it. Invalid types and the wildcard are skipped. Null if no type is left.
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

/** The first `charset` parameter in lower case. There is no blank before its equals sign, and only double quotes are quotes. */
export function charsetOf(type: string): string | null {
  for (const parameter of type.split(';').slice(1)) {
    const [, quoted, token] = /^\s{0,99}charset=(?:"([^"]{1,40})|([^"\s]\S{0,39})\s{0,99}$)/i.exec(parameter) ?? []
    const charset = quoted ?? token
    if (charset !== undefined) return charset.toLowerCase()
  }
  return null
}

export const XHTML = 'application/xhtml+xml'
/** Types of pages. For the last two, browsers sniff the content (MIME Sniffing section 7). */
const markupTypes: ReadonlySet<string> = new Set(['text/html', XHTML, 'application/unknown', 'unknown/unknown'])

/** Whether the media type is that of a page. Without a type the response counts as a page, as in browsers. */
export function isMarkup(contentType: string | null): boolean {
  return contentType === null || markupTypes.has(essenceOf(contentType))
}

export const essenceOf = (contentType: string): string => contentType.split(';', 1)[0] ?? ''
