// Where a site says its carbon.txt is (carbontxt.org), as far as that can be known without asking for it.
import type { Evidence } from '../../src/engine/plugin.ts'

type Headers = Evidence['page']['exchanges'][number]['headers']

/** Both spellings of the TXT record that its makers have documented. */
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

/** `1.1 https://example.com/carbon.txt`: the protocol, then who passed the response on (RFC 9110 section 7.6.3). */
const inVia = (value: string): string[] => value.split(',').map(hop => hop.trim().split(/\s+/, 2)[1] ?? '')

/** The URL that a TXT record or a Via header names; null when none does, which does not say that there is no file. */
export function carbonTxt(txt: readonly string[], headers: Headers): string | null {
  const named = [
    ...txt.flatMap(inRecord),
    ...headers.filter(([name]) => name === 'via').flatMap(([, value]) => inVia(value)),
  ]
  return named.map(location).find(url => url !== null) ?? null
}
