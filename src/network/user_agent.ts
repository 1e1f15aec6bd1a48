// Who asks: said in every request, so that an operator of a site can tell and object.

/** As crawlers are named (RFC 9110 section 10.1.5). `contact` is a URL that explains what asks and how to object. */
export function userAgent(version: string, contact: string | null): string {
  return `Mozilla/5.0 (compatible; assay/${version}${contact === null ? '' : `; +${contact}`})`
}
