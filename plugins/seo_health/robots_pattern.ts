// Path patterns of robots.txt (RFC 9309 section 2.2): prefixes with `*` for anything and a final `$` for the end.
// Each match takes time linear in the pattern and path together, for any input.

/** Octets that RFC 3986 never requires to be encoded: `%61` and `a` are the same octet. */
const UNRESERVED_OCTET = /^[\w.~-]$/
/** Runs of non-ASCII characters, in UTF-16. */
const NOT_ASCII = /[^\x00-\x7f]+/g

/** Canonical percent-encoding (RFC 9309 section 2.2.2): upper case, only where needed, in UTF-8. */
export function normalizeEncoding(text: string): string {
  return text.replace(NOT_ASCII, encode).replace(/%[0-9a-f]{2}/gi, triplet => {
    const octet = String.fromCharCode(Number.parseInt(triplet.slice(1), 16))
    return UNRESERVED_OCTET.test(octet) ? octet : triplet.toUpperCase()
  })
}

const encode = (run: string): string => encodeURIComponent(run.replace(/\p{Cs}/gu, '\ufffd'))

/** A normalized pattern. A `$` before the end is literal (section 2.2.3). */
export const normalizePattern = (pattern: string): string => normalizeEncoding(pattern).replace(/\$(?=.)/gs, '%24')

/** A normalized path with query. Its own `*` and `$` are literal (section 2.2.3). */
export const normalizePath = (path: string): string =>
  normalizeEncoding(path).replaceAll('*', '%2A').replaceAll('$', '%24')

/** Whether the normalized pattern matches the normalized path. */
export function matchesPattern(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$')
  const [first = '', ...rest] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  const last = isAnchored ? rest.pop() : undefined
  if (isAnchored && last === undefined) return path === first
  let at = first.length
  for (const part of rest) {
    const index = indexFrom(path, part, at)
    if (index === -1) return false
    at = index + part.length
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last))
}

/** The position of `part` at or after `from`, by Knuth-Morris-Pratt, which is linear for all inputs. */
function indexFrom(text: string, part: string, from: number): number {
  if (part.length > text.length - from) return -1
  const borders = bordersOf(part)
  let count = 0
  for (let i = from; i < text.length && count < part.length; i++) {
    while (count > 0 && text[i] !== part[count]) count = borders[count - 1] ?? 0
    if (text[i] === part[count]) count++
    if (count === part.length) return i - count + 1
  }
  return part === '' ? from : -1
}

/** For each prefix, the length of its longest proper prefix that is also its suffix. */
function bordersOf(part: string): number[] {
  const borders = [0]
  let length = 0
  for (let i = 1; i < part.length; i++) {
    while (length > 0 && part[i] !== part[length]) length = borders[length - 1] ?? 0
    if (part[i] === part[length]) length++
    borders.push(length)
  }
  return borders
}
