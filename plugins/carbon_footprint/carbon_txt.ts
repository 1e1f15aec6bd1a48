// Finds the location of the site's carbon.txt (carbontxt.org), as far as the evidence shows it without another request.
import type { Evidence } from '../../src/engine/plugin.ts'

type Headers = Evidence['page']['exchanges'][number]['headers']

/** Both documented spellings of the TXT record. */
const PREFIXES = ['carbon-txt-location=', 'carbon-txt=']
const CHARACTERS = 512

function location(text: string): string | null {
  const [first = ''] = text.trim().slice(0, CHARACTERS).split(/\s/, 1)
  if (!URL.canParse(first)) return null
  const { protocol, pathname, href } = new URL(first)
  return /^https?:$/.test(protocol) && pathname.endsWith('/carbon.txt') ? href.slice(0, CHARACTERS) : null
}

const inRecord = (text: string): string[] =>
  PREFIXES.filter(prefix => text.startsWith(prefix)).map(prefix => text.slice(prefix.length))

/** `1.1 https://example.com/carbon.txt`: the protocol, then the proxy's name (RFC 9110 section 7.6.3). */
const inVia = (value: string): string[] => value.split(',').map(hop => hop.trim().split(/\s+/, 2)[1] ?? '')

/** The URL in a TXT record or Via header. Null if neither names one; the file may still exist. */
export function carbonTxt(txt: readonly string[], headers: Headers): string | null {
  const locations = [
    ...txt.flatMap(inRecord),
    ...headers.filter(([name]) => name === 'via').flatMap(([, value]) => inVia(value)),
  ]
  return locations.map(location).find(url => url !== null) ?? null
}
