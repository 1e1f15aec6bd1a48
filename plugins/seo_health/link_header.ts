// Parses the Link header (RFC 8288) for canonical and alternate links.

export interface HeaderLink {
  readonly href: string
  readonly rel: readonly string[]
  readonly hreflang: string | null
}

/** Maximum characters of one header, and links over all headers, that are read. */
const VALUE_LENGTH = 8_192
const MAX_LINKS = 50

/** The target in angle brackets; its parameters follow up to the next target. */
export function parseLinkHeaders(headers: readonly (readonly [name: string, value: string])[]): HeaderLink[] {
  return headers
    .filter(([name]) => name === 'link')
    .flatMap(([, value]) => value.slice(0, VALUE_LENGTH).split('<').slice(1, MAX_LINKS))
    .slice(0, MAX_LINKS)
    .flatMap(part => {
      const end = part.indexOf('>')
      if (end === -1) return []
      const parameters = part.slice(end + 1)
      const rel = parameter(parameters, 'rel')?.toLowerCase().split(/\s+/) ?? []
      return [{ href: part.slice(0, end).trim(), rel, hreflang: parameter(parameters, 'hreflang') }]
    })
}

/** The value of a parameter, a token or quoted string; the first of its name counts. */
function parameter(parameters: string, name: string): string | null {
  for (const one of parameters.split(';')) {
    const equals = one.indexOf('=')
    if (one.slice(0, Math.max(equals, 0)).trim().toLowerCase() !== name) continue
    const value = one.slice(equals + 1).trim()
    return value.startsWith('"') ? (value.slice(1).split('"', 1)[0] ?? '') : (value.split(/[\s,]/, 1)[0] ?? '')
  }
  return null
}
