// The canonical form of a page, and the expressions that lists of pages are searched for, as Google Safe Browsing documents
// them: one page has many spellings, and a list may name the page, a folder above it or its whole host. Pure.
// No library: those for Safe Browsing also hash, bring a client, or unescape in quadratic time.

/** A page in canonical form: scheme, port, user and fragment do not tell pages apart. */
export interface Page {
  /** In A-labels, or an address. */
  readonly host: string
  /** Begins with a slash. */
  readonly path: string
  /** Without the question mark; null without one. */
  readonly query: string | null
}

/** Host names of a URL that a list may name: the exact one and four above it. */
const HOSTS = 5
/** Labels of the longest name above the host. */
const LABELS = 5
/** Folders of a URL that a list may name, from the root down. */
const FOLDERS = 4

/** Path and query of a URL from the text after its host, as written. Runs in linear time. */
export function readPage(rest: string): Pick<Page, 'path' | 'query'> {
  if (PLAIN_PATH.test(rest)) {
    const question = rest.indexOf('?')
    const query = question < 0 ? '' : rest.slice(question + 1)
    return { path: question < 0 ? rest : rest.slice(0, question), query: query === '' ? null : query }
  }
  const { pathname, search } = new URL(`http://host${rest}`)
  const query = search === '' ? null : escapeOctets(unescapeFully(search.slice(1)))
  // Unlike in Safe Browsing, an escaped question mark stays in the path: the query of another page begins there.
  return { path: escapeOctets(resolveDots(unescapeFully(pathname))).replaceAll('?', '%3F'), query }
}

/** Written in canonical form already, as most are. */
const PLAIN_PATH = /^\/(?!(?:[^?]*\/)?[/.])[!$&-[\]-~]*$/

/** Path and query in one text. */
export const pathAndQuery = ({ path, query }: Pick<Page, 'path' | 'query'>): string =>
  query === null ? path : `${path}?${query}`

/**
 * The exact page, then the path without its query, then the folders above it, longest first. A list that names a folder
 * means everything in it.
 */
export function pathExpressions({ path, query }: Pick<Page, 'path' | 'query'>): string[] {
  const folders: string[] = []
  for (let at = 0; at >= 0 && folders.length < FOLDERS; at = path.indexOf('/', at + 1)) {
    folders.unshift(path.slice(0, at + 1))
  }
  return [...new Set([pathAndQuery({ path, query }), path, ...folders])]
}

/** The exact host, then names above it, longest first and of two labels at least. An address has none above it. */
export function hostExpressions(host: string): string[] {
  if (isAddress(host)) return [host]
  const labels = host.split('.')
  const above: string[] = []
  for (let count = Math.min(LABELS, labels.length - 1); count >= 2 && above.length < HOSTS - 1; count--) {
    above.push(labels.slice(-count).join('.'))
  }
  return [host, ...above]
}

/** Every expression that lists the page: hosts before paths, longest first. */
export const urlExpressions = (page: Page): string[] => {
  const paths = pathExpressions(page)
  return hostExpressions(page.host).flatMap(host => paths.map(path => host + path))
}

const isAddress = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host)

const PERCENT = 0x25

/**
 * The octets, one a character. Unescapes until nothing is left to unescape, in one pass: escapes cannot overlap, so that
 * each is replaced as soon as its last digit is there.
 */
function unescapeFully(text: string): string {
  // Unescaped text is never longer than its source, so it is written in place.
  const octets = Buffer.from(text)
  let end = 0
  for (let at = 0; at < octets.length; at++) {
    octets[end++] = octets[at] as number
    while (end > 2 && octets[end - 3] === PERCENT) {
      const octet = digitOf(octets[end - 2]) * 16 + digitOf(octets[end - 1])
      if (Number.isNaN(octet)) break
      end -= 3
      octets[end++] = octet
    }
  }
  return octets.toString('latin1', 0, end)
}

function digitOf(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

/** Blanks, controls, octets that are not ASCII, `#` and `%`. */
const ESCAPED_CHARACTERS = /[^!-~]|[#%]/g

const escapeOctets = (octets: string): string =>
  octets.replace(ESCAPED_CHARACTERS, one => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** Also makes runs of slashes one. */
function resolveDots(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  const isFolder = /\/\.{0,2}$/.test(path) && segments.length > 0
  return `/${segments.join('/')}${isFolder ? '/' : ''}`
}
