// Media types, read as browsers do (Fetch, "extract a MIME type"; MIME Sniffing, "parse a MIME type"), and what browsers do
// with a body of each.

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
    const [typeText = ''] = piece.split(';', 1)
    const essence = typeText.trim().toLowerCase()
    if (!TYPE.test(essence) || essence === '*/*') continue
    charset = charsetOf(piece) ?? (essence === type ? charset : null)
    type = essence
  }
  return type !== null && charset !== null ? `${type}; charset=${charset}` : type
}

/** The first `charset` parameter in lower case. There is no blank before its equals sign, and only double quotes are quotes. */
export function charsetOf(type: string): string | null {
  for (const parameter of type.split(';').slice(1)) {
    const [, quotedName, token] = /^\s{0,99}charset=(?:"([^"]{1,40})|([^"\s]\S{0,39})\s{0,99}$)/i.exec(parameter) ?? []
    const charset = quotedName ?? token
    if (charset !== undefined) return charset.toLowerCase()
  }
  return null
}

/** Types of HTML pages. For the last two, browsers sniff the content (MIME Sniffing section 7). */
const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/unknown', 'unknown/unknown'])
/** Browsers show documents of any XML type, run their scripts, and lay out XHTML and SVG in them (MIME Sniffing section 4.6). */
const XML = /^(?:text|application)\/xml$|\+xml$/
/** Further types that browsers show themselves. Their content runs no scripts and has no forms. */
const DISPLAYED_TYPE =
  /^(?:(?:image|audio|video|font)\/|text\/(?:plain|css|csv|javascript)$|application\/(?:json|javascript)$)|\+json$/

/** Whether the media type means a page. Without a type the response counts as a page, as in browsers. */
export const isMarkup = (contentType: string | null): boolean =>
  contentType === null || HTML_TYPES.has(essenceOf(contentType)) || isXml(contentType)

export const isXml = (contentType: string | null): boolean => contentType !== null && XML.test(essenceOf(contentType))

const essenceOf = (contentType: string): string => contentType.split(';', 1)[0] ?? ''

const ATTACHMENT = /^\s{0,9}attachment\b/i

/**
 * Whether browsers save the body or hand it to another program (PDF, archives, programs, calendars) instead of showing it.
 * Markup that is served as an attachment is still readable markup.
 */
export function isDownload(headers: readonly (readonly [name: string, value: string])[]): boolean {
  const values = (fieldName: string) =>
    headers.filter(([name]) => name.toLowerCase() === fieldName).map(([, value]) => value)
  const type = mediaType(values('content-type'))
  if (type === null || isMarkup(type)) return false
  return !DISPLAYED_TYPE.test(essenceOf(type)) || values('content-disposition').some(value => ATTACHMENT.test(value))
}
