// A URL in the parts that its signals read. Every part is decoded once; what cannot be decoded stays as it is written.
import type { TargetUrl } from '../../src/engine/plugin.ts'

export type LinkParts = ReturnType<typeof linkParts>

/** A link has 2048 characters at most, so only one made of separators reaches this. */
const PARTS = 100

/** Splits a URL into decoded segments and parameters. */
export function linkParts(url: TargetUrl) {
  /** Segments as written, case kept and decoded. */
  const path = url.path
    .split('/')
    .filter(segment => segment !== '')
    .slice(0, PARTS)
    .map(decodedOnce)
  const parameters = [...new URLSearchParams(url.query ?? '')].slice(0, PARTS)
  return {
    /** Segments of the path in lower case, without empty ones. */
    segments: path.map(segment => segment.toLowerCase()),
    written: path,
    parameters,
    url,
  }
}

/** The text without one layer of percent-encoding; as it is if that is malformed. */
export function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The ending of a file name, in lower case, or null: `verify.php`, but neither `v1.2` nor `.well-known`. */
export const endingOf = (segment: string): string | null =>
  /[^.]\.([a-z][a-z0-9]{1,4})$/i.exec(segment)?.[1]?.toLowerCase() ?? null

const PAGE_ENDINGS: ReadonlySet<string> = new Set(
  'php php3 php4 php5 php7 phtml html htm xhtml shtml mhtml asp aspx jsp jspx cgi do cfm svg'.split(' '),
)

/** Whether the file is one that a browser shows as a page. */
export function isPage(segment: string): boolean {
  const ending = endingOf(segment)
  return ending !== null && PAGE_ENDINGS.has(ending)
}

/** The segment without the ending of a page. */
export const withoutEnding = (segment: string): string =>
  isPage(segment) ? segment.slice(0, segment.lastIndexOf('.')) : segment
