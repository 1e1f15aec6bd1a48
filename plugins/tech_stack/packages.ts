// Reads the file name from a URL, and the package and version if it is on a public package CDN.

/** CDNs with paths that start with the package: `/react@18.2.0/...`. */
const PACKAGE_HOSTS = new Set(['unpkg.com', 'esm.sh', 'esm.run', 'cdn.skypack.dev', 'ga.jspm.io'])

/** Maximum segments and characters of a URL that are read. */
const SEGMENTS = 64
const CHARACTERS = 2_048

const segmentsOf = (url: string): string[] => (url.slice(0, CHARACTERS).split(/[?#]/, 1)[0] ?? '').split('/', SEGMENTS)

/** The last path segment with the query: `jquery.min.js?ver=3.7.1`. */
export function fileOf(url: string): string {
  const [path = ''] = url.slice(0, CHARACTERS).split(/[?#]/, 1)
  return url.slice(path.lastIndexOf('/') + 1, CHARACTERS)
}

/** `name@version`, with an optional scope, at the start of the segment. */
function withTag(segments: readonly string[], at: number): string[] {
  const segment = segments[at] ?? ''
  const whole = segment.startsWith('@') ? `${segment}/${segments[at + 1] ?? ''}` : segment
  return whole.indexOf('@', 1) > 0 ? [whole.replace(/[,+].*$/s, '')] : []
}

/** All `name@version` in a URL. Paths of jsDelivr (`/npm/name@1`), cdnjs and Google (`/ajax/libs/name/1`), and unpkg. */
export function packagesOf(url: string): string[] {
  const segments = segmentsOf(url)
  const host = segments[2] ?? ''
  return segments.flatMap((segment, at) => {
    if (at === 3 && PACKAGE_HOSTS.has(host)) return withTag(segments, at)
    if (segment === 'npm' || segment.endsWith(',npm')) return withTag(segments, at + 1)
    if (segment === 'libs' && segments[at - 1] === 'ajax') {
      return segments[at + 2] === undefined ? [] : [`${segments[at + 1]}@${segments[at + 2]}`]
    }
    return []
  })
}
