// The map of the documentation, `docs/README.md`, as data: which pages there are, in which order, and what each answers.
import { posix } from 'node:path'

export interface MappedPage {
  readonly title: string
  /** Path in the package, such as `docs/start.md`. */
  readonly file: string
  /** The question that the page answers. */
  readonly answers: string
}

export interface MapPart {
  readonly title: string
  /** Whether it belongs to the part before it. */
  readonly isInside: boolean
  readonly pages: readonly MappedPage[]
}

export const MAP_FILE = 'docs/README.md'

/** Parts in their order. Throws for a list item that is no page. */
export function readMap(markdown: string): readonly MapPart[] {
  const [, ...parts] = markdown.split(/^(?=###? )/m)
  return parts.map(part => {
    const [heading = '', ...lines] = part.split('\n')
    const [, marks = '', title = ''] = /^(###?) (.*)$/.exec(heading) ?? []
    return { title, isInside: marks.length === 3, pages: lines.filter(line => line.startsWith('- ')).map(readPage) }
  })
}

function readPage(line: string): MappedPage {
  const [, title, link, answers] = /^- \[(.+?)\]\((\S+?)\): (.+)$/.exec(line) ?? []
  if (title === undefined || link === undefined || answers === undefined) throw new Error(`${MAP_FILE}: ${line}`)
  return { title, file: fileOf(MAP_FILE, link), answers }
}

/** The file that a relative link in a file leads to, without its anchor. */
export function fileOf(from: string, link: string): string {
  const [path = ''] = link.split('#')
  return path === '' ? from : posix.join(posix.dirname(from), path)
}

/** The anchor that Markdown viewers give a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
