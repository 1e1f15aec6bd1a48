// Finds an e-mail address in a link, plain or in Base64: kits fill it into their form. The address itself is never
// shown.
import { decodedOnce, type LinkParts } from './link_parts.ts'

/** An e-mail address in a link: where, and how it is written. The address itself is not kept. */
export interface LinkAddress {
  readonly place: 'path' | 'query'
  readonly encoding: 'plain' | 'base64'
}

const address = /(?:^|[^a-z0-9._%+@-])[a-z0-9][a-z0-9._+-]{0,63}@(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?![a-z0-9-])/i
const wholeAddress = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}$/i
const base64 = /^[A-Za-z0-9+/_-]{8,400}={0,2}$/

/** Places are tried in this order: a path, then values and names of the query. */
export function addressIn({ written, parameters }: LinkParts): LinkAddress | null {
  const query = parameters.flat()
  for (const [place, texts] of [
    ['path', written],
    ['query', query],
  ] as const) {
    for (const encoding of ['base64', 'plain'] as const) {
      if (texts.some(text => holds[encoding](text))) return { place, encoding }
    }
  }
  return null
}

const holds: Readonly<Record<LinkAddress['encoding'], (text: string) => boolean>> = {
  plain: text => address.test(decodedOnce(text)),
  base64: text => {
    // A space stands for a plus sign of Base64 that the query's encoding replaced.
    const digits = text.replaceAll(' ', '+')
    return base64.test(digits) && wholeAddress.test(textOf(digits))
  },
}

function textOf(digits: string): string {
  try {
    return atob(digits.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

/**
 * Where letters and digits are encoded twice, which is never necessary and only hides them. In a query, a link within a
 * link has its separators encoded twice: that is usual.
 */
export function doubleEncoding({ url: { path, query } }: LinkParts): 'path' | 'query' | null {
  if (twice.test(path)) return 'path'
  return query !== null && twicePlain.test(query) ? 'query' : null
}

const twice = /%25[0-9a-f]{2}/i
/** Letters, digits, dot and hyphen. */
const twicePlain = /%(?:25)+(?:2[de]|3\d|[46][1-9a-f]|[57][0-9a])/i
